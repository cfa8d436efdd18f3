"""What a client is told once: who it is, how patient it is, and whose readings it follows."""

from collections.abc import Collection, Iterable
from math import isfinite
from typing import Any, Final, NamedTuple, Self, TypedDict, Unpack

from canfetch.access.policies import AccessPolicy, get_policy
from canfetch.core.agent import Agent, as_agent
from canfetch.core.choices import unknown_choice
from canfetch.core.engines import compiler_for
from canfetch.core.limits import DEFAULT_MAX_BYTES, MAX_BYTES_LIMIT
from canfetch.core.origin import Origin
from canfetch.core.profiles import Profile, get_profile
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidLimit, InvalidOption

DEFAULT_MAX_MEMORY_BYTES: Final = 64 * 1024 * 1024
LEASE_MARGIN_SECONDS: Final = 5.0


class ClientOptions(TypedDict, total=False):
    """What a client may be told besides its User-Agent.

    Attributes:
        agent: product token or chain that rules are chosen for; the User-Agent's own token by default.
        policy: whose reading of status codes and time; `rfc9309` by default.
        profile: whose reading of the file; `rfc9309` by default.
        max_bytes: how much of a file is read; 500 KiB at least, and by default.
        connect_timeout: the longest wait for a connection; 10.
        read_timeout: the longest wait for the next octets; 10.
        timeout: the longest that a fetch takes with all its redirects; 30.
        allow_private: whether private and loopback addresses may be connected to, at any hop; True.
            Services that fetch what strangers name say False.
        revalidate: ask with conditions where a copy has an ETag or a date; False, an unconditional GET.
        misconfigured_origins: origins that are known to answer 5xx for every missing page, such as
            `["https://example.com"]`; what policy `google2019` reads as 404. None by default.
        stale_while_revalidate: how long past its time an answer may serve while it is fetched anew; 0.
        max_memory_bytes: about how much memory known origins may take; 64 MiB.
        engine: which engine parses; the default one.
    """

    agent: str | Agent | None
    policy: str
    profile: str
    max_bytes: int
    connect_timeout: float
    read_timeout: float
    timeout: float
    allow_private: bool
    revalidate: bool
    misconfigured_origins: Collection[str]
    stale_while_revalidate: float
    max_memory_bytes: int
    engine: str | None


class Options(NamedTuple):
    """A client's options, checked; `Client` says what each means."""

    user_agent: str
    agent: Agent
    policy: AccessPolicy
    profile: Profile
    max_bytes: int
    connect_timeout: float
    read_timeout: float
    timeout: float
    allow_private: bool
    revalidate: bool
    misconfigured_origins: frozenset[str]
    stale_while_revalidate: float
    max_memory_bytes: int
    lease_seconds: float
    engine: str | None

    @classmethod
    def validated(cls, *, user_agent: str, **given: Unpack["ClientOptions"]) -> Self:
        """Check what a caller says.

        Raises: InvalidOption: one cannot be meant, or there is none of that name; InvalidLimit, InvalidProductToken,
            InvalidURL, UnknownPolicy, UnknownProfile, EngineError.
        """
        _check_names(given)
        if not _is_header(user_agent):
            raise InvalidOption(f"user_agent is {user_agent!r}; give the header that the crawler sends, in ASCII")
        max_bytes = given.get("max_bytes", DEFAULT_MAX_BYTES)
        if not _is_limit(max_bytes):
            bounds = f"{DEFAULT_MAX_BYTES} to {MAX_BYTES_LIMIT}"
            raise InvalidLimit(f"max_bytes is {max_bytes}, give a whole number from {bounds}")
        agent = given.get("agent")
        timeout = given.get("timeout", 30.0)
        options = cls(
            user_agent=user_agent,
            agent=as_agent(product_token(user_agent) if agent is None else agent),
            policy=get_policy(given.get("policy", "rfc9309")),
            profile=get_profile(given.get("profile", "rfc9309")),
            max_bytes=max_bytes,
            connect_timeout=given.get("connect_timeout", 10.0),
            read_timeout=given.get("read_timeout", 10.0),
            timeout=timeout,
            allow_private=given.get("allow_private", True),
            revalidate=given.get("revalidate", False),
            misconfigured_origins=_origin_names(given.get("misconfigured_origins", ())),
            stale_while_revalidate=given.get("stale_while_revalidate", 0.0),
            max_memory_bytes=given.get("max_memory_bytes", DEFAULT_MAX_MEMORY_BYTES),
            # A worker that dies holding a lease holds the others up little longer than a fetch may take.
            lease_seconds=timeout + LEASE_MARGIN_SECONDS,
            engine=given.get("engine"),
        )
        for name in ("connect_timeout", "read_timeout", "timeout"):
            seconds = getattr(options, name)
            if not _is_number(seconds) or seconds <= 0:
                raise InvalidOption(f"{name} is {seconds!r}; give seconds over 0 that end: an origin may never answer")
        for name in ("stale_while_revalidate", "max_memory_bytes"):
            amount = getattr(options, name)
            if not _is_number(amount) or amount < 0:
                raise InvalidOption(f"{name} is {amount!r}; give a number, 0 or more")
        for name in ("allow_private", "revalidate"):
            if not isinstance(getattr(options, name), bool):
                raise InvalidOption(f"{name} is {getattr(options, name)!r}; give True or False")
        # An engine that is not there is told now, and not with the first file.
        compiler_for(options.engine, options.profile)
        return options


def _check_names(given: Iterable[str]) -> None:
    known = ClientOptions.__annotations__
    for name in given:
        if name not in known:
            raise InvalidOption(unknown_choice("option", name, known))


def _origin_names(origins: Collection[str]) -> frozenset[str]:
    if isinstance(origins, str):
        raise InvalidOption(f"misconfigured_origins is {origins!r}; give origins, such as [{origins!r}]")
    return frozenset(str(Origin.from_url(origin)) for origin in origins)


def _is_header(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isprintable() and value.strip() != ""


def _is_limit(value: object) -> bool:
    return isinstance(value, int) and DEFAULT_MAX_BYTES <= value <= MAX_BYTES_LIMIT


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and isfinite(value)
