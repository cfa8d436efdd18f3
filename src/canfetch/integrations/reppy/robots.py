"""The classes `Robots` and `Agent`."""

import time
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, Self

from canfetch.core.document import RobotsTxt, parse
from canfetch.core.origin import Origin, find_origin
from canfetch.core.origin import robots_url as find_robots_url
from canfetch.core.urls import url_bytes
from canfetch.core.verdict import Rule
from canfetch.errors import InvalidURL
from canfetch.integrations.lenient_answers import LenientAnswers
from canfetch.integrations.reppy.ttl import HeaderWithDefaultPolicy, TTLPolicyBase
from canfetch.integrations.user_agents import agent_from

__all__ = ["Agent", "AllowAll", "AllowNone", "Robots"]

_ESCAPED_CONTROLS = {byte: f"%{byte:02X}" for byte in [*range(0x20), 0x7F]}


class Robots:
    """A parsed robots.txt with the interface of `reppy.robots.Robots`.

    Verdicts are those of `canfetch.parse`. URLs of other hosts are disallowed.

    Attributes:
        url: The URL of the file.
        expires: When the file expires, in seconds since the epoch, or None.
        robots: The file, for everything that reppy does not have, such as `robots.decide`.

    Args:
        url: The URL of the file.
        content: The file.
        expires: When it expires, in seconds since the epoch. Default: never.
        profile: The parsing profile, a name in `canfetch.PROFILES`.
    Raises: UnknownProfile; TypeError.
    """

    DEFAULT_TTL_POLICY: ClassVar[TTLPolicyBase] = HeaderWithDefaultPolicy(default=3600, minimum=600)

    def __init__(
        self, url: str | bytes, content: str | bytes, expires: float | None = None, *, profile: str = "rfc9309"
    ) -> None:
        self.expires = expires
        self.robots: RobotsTxt = parse(content, profile=profile)
        self.url = url
        self._host = _Host(url)
        self._answers = LenientAnswers(self.robots)

    @classmethod
    def parse(cls, url: str | bytes, content: str | bytes, expires: float | None = None) -> Self:
        """Parse a robots.txt file. The arguments are those of the class."""
        return cls(url, content, expires)

    @classmethod
    def fetch(
        cls,
        url: str,
        ttl_policy: TTLPolicyBase | None = None,
        max_size: int | None = None,
        *,
        after_response_hook: Callable[[Any], object] | None = None,
        after_parse_hook: Callable[["Robots"], object] | None = None,
        **options: Any,
    ) -> "Robots":
        """Fetch the robots.txt of the origin of `url`, and parse it.

        Args:
            url: The URL of the robots.txt.
            ttl_policy: Defines when the file expires. Default: `DEFAULT_TTL_POLICY`.
            max_size: The maximum size in bytes. Default: the first 500 KiB of any file are read.
            after_response_hook: Called with the response, or with the exception if there is none.
            after_parse_hook: Called with the parsed file.
            options: `headers`, `timeout`, `policy` (an access policy) and `transport` (a transport of canfetch).
        Returns: The file. It is an `AllowAll` or `AllowNone` if the access policy allows or disallows everything.
        Raises: ReppyException: The site is unreachable, or the file is too large; InvalidOption.
        """
        from canfetch.integrations.reppy.fetching import fetch_robots  # noqa: PLC0415 - many programs only parse

        result = fetch_robots(url, max_size, after_response_hook, **options)
        expires = (ttl_policy or cls.DEFAULT_TTL_POLICY).expires(result.response)
        if result.content is None:
            return (AllowAll if result.allows_everything else AllowNone)(url, expires)
        robots = cls.parse(url, result.content, expires)
        if after_parse_hook is not None:
            after_parse_hook(robots)
        return robots

    @classmethod
    def robots_url(cls, url: str | bytes) -> str:
        """Return the URL of the robots.txt that governs `url`.

        Raises: ValueError: `url` is not an absolute URL.
        """
        return find_robots_url(url)

    @property
    def sitemaps(self) -> list[str]:
        """The values of the sitemap records, in file order."""
        return list(self.robots.sitemaps)

    def allowed(self, path: str | bytes, name: str | bytes) -> bool:
        """Return whether the agent `name` may fetch `path`, which can be a URL.

        Raises: TypeError; ValueError: `path` cannot be split.
        """
        if not self._host.includes(path):
            return False
        try:
            return self._answers.by_user_agent[name](path)  # type: ignore[index]  # bytes are not found
        except (KeyError, TypeError, InvalidURL):
            # Slow path: the agent is new, or an argument is unusual or invalid.
            return self._answers.allows(path, _text(name))

    def agent(self, name: str | bytes) -> "Agent":
        """Return the rules for the agent `name`. Changes of the result do not change the file."""
        return Agent.from_robots(self, name)

    @property
    def expired(self) -> bool:
        """Whether the file has expired."""
        return self.expires is not None and time.time() > self.expires

    @property
    def ttl(self) -> float:
        """The seconds until the file expires."""
        return float("inf") if self.expires is None else max(self.expires - time.time(), 0)

    def __str__(self) -> str:
        names = dict.fromkeys(["*", *(name.lower() for group in self.robots.groups for name in group.tokens)])
        return "{" + ", ".join(f'"{name}": {self.agent(name)}' for name in names) + "}"


class AllowNone(Robots):
    """A file that disallows everything."""

    def __init__(self, url: str | bytes, expires: float | None = None) -> None:
        super().__init__(url, b"User-agent: *\nDisallow: /", expires)


class AllowAll(Robots):
    """A file that allows everything."""

    def __init__(self, url: str | bytes, expires: float | None = None) -> None:
        super().__init__(url, b"", expires)


class Agent:
    """The rules of one agent with the interface of `reppy.robots.Agent`. Without a file, everything is allowed."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._host = _Host("")
        self._use(parse(b""), "*", None)

    @classmethod
    def from_robots(cls, robots: Robots, name: str | bytes) -> Self:
        """Return the rules for the agent `name` in a file."""
        agent = cls()
        file, token = robots.robots, agent_from(_text(name))
        agent._host = _Host(robots.url)
        agent._rules = [rule for index in file.rules_for(token).group_indices for rule in file.groups[index].rules]
        agent._use(file, _text(name), file.crawl_delay(agent=token) or None)
        return agent

    @property
    def delay(self) -> float | None:
        """The Crawl-delay in seconds, or None. The longest of several counts."""
        return self._delay

    def allow(self, path: str | bytes) -> Self:
        """Add a rule that allows `path`, and return the agent."""
        return self._add(path, allow=True)

    def disallow(self, path: str | bytes) -> Self:
        """Add a rule that disallows `path`, and return the agent."""
        return self._add(path, allow=False)

    def allowed(self, path: str | bytes) -> bool:
        """Return whether the agent may fetch `path`, which can be a URL.

        Raises: TypeError; ValueError: `path` cannot be split.
        """
        if not self._host.includes(path):
            return False
        try:
            return self._answers.by_user_agent[self._name](path)
        except (KeyError, InvalidURL):
            return self._answers.allows(path, self._name)

    def _add(self, path: str | bytes, *, allow: bool) -> Self:
        # A fragment would be a comment.
        pattern = url_bytes(_text(path).partition("#")[0].translate(_ESCAPED_CONTROLS))
        rules = [*((rule.allow, rule.pattern) for rule in self._rules), (allow, pattern)]
        lines = [(b"Allow: " if allows else b"Disallow: ") + value for allows, value in rules]
        file = parse(b"\n".join([b"User-agent: *", *lines]))
        self._rules = list(file.groups[0].rules)
        self._use(file, "*", self._delay)
        return self

    def _use(self, file: RobotsTxt, name: str, delay: float | None) -> None:
        self._name = name
        self._delay = delay
        self._answers = LenientAnswers(file)

    def __len__(self) -> int:
        return len(self._rules)

    def __str__(self) -> str:
        ordered = sorted(self._rules, key=lambda rule: rule.specificity, reverse=True)
        directives = ", ".join(f"Directive({rule})" for rule in ordered)
        return ("" if self.delay is None else f"Crawl-Delay: {self.delay:.3g} ") + f"[{directives}]"


class _Host:
    """The host of a robots.txt, to tell the URLs of other hosts."""

    def __init__(self, url: str | bytes) -> None:
        self._url = url

    def includes(self, url: str | bytes) -> bool:
        """Return whether a URL has this host, whatever its scheme and port, or no host."""
        if isinstance(url, str) and url.startswith(self._prefix):
            return True
        origin = self._origin
        text = _text(url)
        if origin is None or (text.startswith("/") and not text.startswith("//")):
            return True
        other = find_origin(f"{origin.scheme}:{text}" if text.startswith("//") else text)
        return other is None or other.host == origin.host

    @cached_property
    def _origin(self) -> Origin | None:
        return find_origin(self._url)

    @cached_property
    def _prefix(self) -> str:
        return f"{self._origin}/"


def _text(value: str | bytes) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if not isinstance(value, str):
        raise TypeError(f"expected str or bytes, not {type(value).__name__}")
    return value
