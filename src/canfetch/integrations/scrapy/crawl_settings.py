"""The settings of a crawl, validated."""

from collections.abc import Callable, Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeVar

from canfetch.access.editions import Edition, get_edition
from canfetch.access.pacing import Pace
from canfetch.access.policies import get_policy
from canfetch.client.argument_checks import check_agent
from canfetch.client.request_headers import is_header_value
from canfetch.consent.purposes import find_purpose
from canfetch.core.agent import Agent, as_agent
from canfetch.core.choices import unknown_choice
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.profiles import get_profile
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError, InvalidOption
from canfetch.integrations.scrapy.agents import agent_of_header
from canfetch.pages.verdict import DECISION_NAMES

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

_PAGE_RULES: Final = ("headers", "html")
_FALLBACK_USER_AGENT: Final = "Scrapy"
_STANDARD: Final = "rfc9309"
_T = TypeVar("_T")


class CrawlSettings(NamedTuple):
    """The settings of a crawl. `docs/scrapy.md` describes them.

    Attributes:
        user_agent: The User-Agent header of requests without one.
        agent: The agent of all requests, or None if their headers decide.
        store: The location of the store, or None.
        evidence: The folder of the evidence, or None.
        identity: The folder of the keys that sign requests, or None.
        skip_report: The file to which dropped requests are added, or None.
        policy: The name of the access policy.
        profile: The name of the parsing profile.
        timeout: Seconds for a fetch with all its redirects.
        obey_delay: Whether the delays that files declare are kept.
        bounds: The bounds of the delays.
        processes: The number of crawls that share the delay of an origin.
        page_rules: Which page-level rules are read: `headers`, `html`, or None.
        required_uses: The uses that a page must allow.
        purpose: What the content is collected for, which its site must not disallow, or None.
        mark_uses: Whether responses whose use is disallowed are kept.
    """

    user_agent: str
    agent: Agent | None
    store: str | None
    evidence: str | None
    identity: str | None
    skip_report: str | None
    policy: str
    profile: str
    timeout: float
    obey_delay: bool
    bounds: Pace
    processes: int
    page_rules: str | None
    required_uses: tuple[str, ...]
    purpose: UsagePurpose | None
    mark_uses: bool

    @classmethod
    def from_crawler(cls, crawler: "Crawler") -> Self:
        """Read and validate the settings of a crawl.

        Raises: InvalidOption: A setting is invalid. The message names it.
        """
        settings = crawler.settings
        bounds = Pace(
            min_delay=_seconds(settings, "CANFETCH_MIN_DELAY", 0.0),
            max_delay=_seconds(settings, "CANFETCH_MAX_DELAY", 60.0),
        )
        if bounds.min_delay > bounds.max_delay:
            raise InvalidOption(
                f"invalid CANFETCH_MIN_DELAY {bounds.min_delay:g}: expected at most CANFETCH_MAX_DELAY, "
                f"{bounds.max_delay:g}"
            )
        required_uses = parse_uses("CANFETCH_REQUIRED_USES", settings.getlist("CANFETCH_REQUIRED_USES"))
        return cls(
            user_agent=_default_user_agent(crawler),
            agent=_fixed_agent(settings),
            store=_text(settings, "CANFETCH_STORE"),
            evidence=_text(settings, "CANFETCH_EVIDENCE"),
            identity=_text(settings, "CANFETCH_IDENTITY"),
            skip_report=_text(settings, "CANFETCH_SKIP_REPORT"),
            policy=_access_policy(settings),
            profile=parsing_profile(settings),
            timeout=_seconds(settings, "CANFETCH_TIMEOUT", 30.0, minimum=0.001),
            obey_delay=_flag(settings, "CANFETCH_OBEY_DELAY"),
            bounds=bounds,
            processes=_positive_integer(settings, "CANFETCH_PROCESSES", 1),
            page_rules=_page_rules(settings, required_uses),
            required_uses=required_uses,
            purpose=parse_purpose("CANFETCH_PURPOSE", settings.get("CANFETCH_PURPOSE")),
            mark_uses=_flag(settings, "CANFETCH_MARK_USES", default=False),
        )


def parse_uses(name: str, uses: Iterable[object]) -> tuple[str, ...]:
    """Return the uses that a setting or a key of `Request.meta` lists.

    Raises: InvalidOption: A use does not exist.
    """
    parsed = tuple(str(use) for use in uses)
    for use in parsed:
        if use not in DECISION_NAMES:
            raise InvalidOption(f"invalid {name}: {unknown_choice('use', use, DECISION_NAMES)}")
    return parsed


def parse_purpose(name: str, value: object) -> UsagePurpose | None:
    """Return the purpose that a setting or a key of `Request.meta` names, or None.

    Raises: InvalidOption: It is unknown.
    """
    if value is None or value == "":
        return None
    try:
        return find_purpose(str(value))
    except InvalidOption as error:
        raise InvalidOption(f"invalid {name}: {error}") from None


def parsing_profile(settings: "BaseSettings") -> str:
    """Return the name of the parsing profile.

    Raises: InvalidOption: It does not exist, or an edition sets it as well.
    """
    edition = _edition(settings, "CANFETCH_PROFILE")
    return _checked(settings, "CANFETCH_PROFILE", get_profile).name if edition is None else edition.profile


def _access_policy(settings: "BaseSettings") -> str:
    edition = _edition(settings, "CANFETCH_POLICY")
    return _checked(settings, "CANFETCH_POLICY", get_policy).name if edition is None else edition.policy


def _edition(settings: "BaseSettings", other: str) -> Edition | None:
    """Return the edition, or None if no setting selects one.

    Raises: InvalidOption: It does not exist, or the setting `other` has a value as well.
    """
    if settings.get("CANFETCH_EDITION") is None:
        return None
    if settings.get(other) is not None:
        raise InvalidOption(f"CANFETCH_EDITION and {other} cannot be used together: an edition sets {other}")
    return _checked(settings, "CANFETCH_EDITION", get_edition)


def _default_user_agent(crawler: "Crawler") -> str:
    """Return the header that Scrapy's own middlewares set, in their order.

    Raises: InvalidOption: It cannot be sent.
    """
    settings = crawler.settings
    of_requests = {str(name).lower(): value for name, value in settings.getdict("DEFAULT_REQUEST_HEADERS").items()}
    for value in (
        of_requests.get("user-agent"),
        getattr(crawler.spider, "user_agent", None),
        settings.get("USER_AGENT"),
    ):
        if isinstance(value, str) and value:
            if not is_header_value(value):
                raise InvalidOption(f"invalid USER_AGENT {quoted(value)}: expected printable ASCII characters")
            return value
    return _FALLBACK_USER_AGENT


def _fixed_agent(settings: "BaseSettings") -> Agent | None:
    agent: Any = settings.get("CANFETCH_AGENT")
    try:
        if agent is not None:
            return check_agent(Agent(agent) if isinstance(agent, list | tuple) else as_agent(agent))
    except (CanfetchError, TypeError) as error:
        raise InvalidOption(f"invalid CANFETCH_AGENT {quoted(agent)}: {error}") from None
    user_agent = settings.get("ROBOTSTXT_USER_AGENT")
    return agent_of_header(str(user_agent)) if user_agent else None


def _checked(settings: "BaseSettings", name: str, get: Callable[[str], _T]) -> _T:
    """Return what `get` returns for a setting whose default is `rfc9309`."""
    try:
        return get(settings.get(name) or _STANDARD)
    except (CanfetchError, TypeError) as error:
        raise InvalidOption(f"invalid {name}: {error}") from None


def _text(settings: "BaseSettings", name: str) -> str | None:
    value = settings.get(name)
    return None if value is None or value == "" else str(value)


def _seconds(settings: "BaseSettings", name: str, default: float, *, minimum: float = 0.0) -> float:
    value = settings.get(name, default)
    try:
        seconds = float(value)
    except (TypeError, ValueError, OverflowError):
        seconds = -1.0
    if not isfinite(seconds) or seconds < minimum:
        raise InvalidOption(f"invalid {name} {quoted(value)}: expected a finite number of seconds, {minimum:g} or more")
    return seconds


def _flag(settings: "BaseSettings", name: str, *, default: bool = True) -> bool:
    try:
        return settings.getbool(name, default)
    except ValueError:
        raise InvalidOption(f"invalid {name} {quoted(settings.get(name))}: expected True or False") from None


def _positive_integer(settings: "BaseSettings", name: str, default: int) -> int:
    value = settings.get(name, default)
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if number < 1:
        raise InvalidOption(f"invalid {name} {quoted(value)}: expected an integer, 1 or more")
    return number


def _page_rules(settings: "BaseSettings", required_uses: tuple[str, ...]) -> str | None:
    value = _text(settings, "CANFETCH_PAGE_RULES")
    if value is None:
        return _PAGE_RULES[0] if required_uses else None
    if value not in _PAGE_RULES:
        raise InvalidOption(f"invalid CANFETCH_PAGE_RULES: {unknown_choice('value', value, _PAGE_RULES)}")
    return value
