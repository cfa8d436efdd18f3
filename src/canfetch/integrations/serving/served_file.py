"""One robots.txt as it is served: its bytes, its validators, and its rules."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from canfetch.agents.requested import named_tokens
from canfetch.author.draft import Draft
from canfetch.author.hosts import Host
from canfetch.author.policy_file import is_policy_content, parse_policy
from canfetch.author.rendering import render_policy
from canfetch.author.site_policy import SitePolicy
from canfetch.core.agent import Agent
from canfetch.core.content_formats import foreign_content_note
from canfetch.core.document import RobotsTxt, keep_dot_segments, parse
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.quoting import quoted
from canfetch.core.text import encode_text
from canfetch.core.verdict import Rule
from canfetch.errors import InvalidDraft, InvalidSitePolicy, ServingError
from canfetch.integrations.serving.environments import SiteEnvironment

ETAG_DIGITS: Final = 32
# RFC 3986 section 2.3: characters that mean the same with an escape and without it.
_UNRESERVED: Final = re.compile(rb"%(?:2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])", re.IGNORECASE)


class ServedFile:
    """A robots.txt that may be served.

    Attributes:
        content: The bytes.
        etag: The strong validator: a hash of the bytes, so that all processes send the same one.
        is_stored: Whether caches may store the response.
        robots: The parsed file.
    """

    __slots__ = (
        "_by_profile",
        "_disallowing",
        "_tokens",
        "_unescaped",
        "content",
        "etag",
        "is_stored",
        "robots",
    )

    def __init__(self, content: bytes, *, is_stored: bool = True) -> None:
        self.content = content
        self.etag = f'"{hashlib.sha256(content).hexdigest()[:ETAG_DIGITS]}"'
        self.is_stored = is_stored
        self.robots = parse(content)
        self._by_profile = {(self.robots.profile, False): self.robots}
        self._unescaped: dict[tuple[str, bool], RobotsTxt] = {}
        self._tokens: dict[str, str] | None = None
        # Crawlers are in the registry or in the file, so their number is bounded.
        self._disallowing: dict[tuple[Agent, str | None], Rule | None] = {}

    def with_profile(self, profile: str, *, keeps_dots: bool = False) -> RobotsTxt:
        """Return the file as a profile reads it.

        Args: keeps_dots: Whether the dot segments of URLs are compared as they are.
        """
        robots = self._by_profile.get((profile, keeps_dots))
        if robots is None:
            robots = self.robots.with_profile(profile)
            robots = keep_dot_segments(robots) if keeps_dots else robots
            self._by_profile[profile, keeps_dots] = robots
        return robots

    def unescaped(self, profile: str, *, keeps_dots: bool = False) -> RobotsTxt:
        """Return the file as a profile reads it, without the escapes that its rules do not need, such as `%7E`.

        Args: keeps_dots: As for `with_profile`.
        """
        robots = self._unescaped.get((profile, keeps_dots))
        if robots is None:
            content = _UNRESERVED.sub(lambda escape: unquote_to_bytes(escape[0]), self.robots.content)
            robots = parse(content, profile=profile)
            robots = keep_dot_segments(robots) if keeps_dots else robots
            self._unescaped[profile, keeps_dots] = robots
        return robots

    def disallowing_rule(self, agent: Agent, profile: str | None = None) -> Rule | None:
        """Return a rule that disallows something to an agent, or None. One whose pattern is also allowed has no effect.

        Args: profile: The profile that reads the file, if not that of `robots`.
        Cost: O(rules) at the first call for an agent.
        """
        key = agent, profile
        if key not in self._disallowing:
            robots = self.robots if profile is None else self.with_profile(profile)
            self._disallowing[key] = _disallowing_rule(robots, agent)
        return self._disallowing[key]

    @property
    def tokens(self) -> Mapping[str, str]:
        """The product tokens that the file names, as it has them, by their lower case.

        Cost: O(groups) at the first call.
        """
        if self._tokens is None:
            self._tokens = named_tokens(self.robots)
        return self._tokens


def _disallowing_rule(robots: RobotsTxt, agent: Agent) -> Rule | None:
    rules = [rule for index in robots.rules_for(agent).group_indices for rule in robots.groups[index].rules]
    allowed: dict[bytes, int] = {}
    for rule in rules:
        if rule.allow:
            pattern = _without_stars(rule.pattern)
            allowed[pattern] = max(rule.specificity, allowed.get(pattern, 0))
    for rule in rules:
        if not rule.allow and rule.pattern and rule.specificity > allowed.get(_without_stars(rule.pattern), 0):
            return rule
    return None


def _without_stars(pattern: bytes) -> bytes:
    """Return a pattern without the stars at its end, which match everything, unless a literal `$` is before them."""
    short = pattern.rstrip(b"*")
    return pattern if short.endswith(b"$") else short


def build_file(value: object, environment: SiteEnvironment, *, host: Host | None = None) -> ServedFile:
    """Return the file to serve for the value of a source.

    Args:
        value: Bytes or text, a `Draft` or a `SitePolicy`.
        environment: The environment.
        host: The host of the request, which decides for a policy if the environment is `by-host`.
    Raises: ServingError: The content is invalid, or its effect is not that of the environment; InvalidOption: The
        environment does not exist.
    """
    if isinstance(value, SitePolicy) and value.environments:
        environment.check_hosts(value)
        if environment.is_by_host:
            found = None if host is None else value.environment_of(str(host))
            policy = value.for_host(str(host or ""))
        else:
            found = value.get_environment(environment.name)
            policy = value.for_environment(environment.name)
        # A mistake must not stay in caches, nor a response to a host that a client made up.
        return _checked_file(policy, is_stored=found is not None)
    environment.check_name()
    file = _checked_file(value)
    environment.check_file(file.robots)
    return file


def _checked_file(value: object, *, is_stored: bool = True) -> ServedFile:
    content = _content_of(value)
    _check_content(content)
    return ServedFile(content, is_stored=is_stored)


def policy_content(toml: bytes) -> SitePolicy:
    """Parse a policy file.

    Raises: ServingError.
    """
    try:
        return parse_policy(toml.decode("utf-8"))
    except (InvalidSitePolicy, UnicodeDecodeError) as error:
        raise ServingError(f"invalid policy: {error}") from None


def _content_of(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        if value.endswith((".txt", ".toml")) and "\n" not in value and ":" not in value:
            raise ServingError(f"{quoted(value)} is a file name, not the content of a robots.txt: pass a pathlib.Path")
        return encode_text(value)
    try:
        if isinstance(value, Draft):
            return value.render()
        if isinstance(value, SitePolicy):
            return render_policy(value).encode()
    except (InvalidDraft, InvalidSitePolicy) as error:
        raise ServingError(str(error)) from None
    raise ServingError(f"invalid robots.txt {quoted(value)}: expected bytes, str, a Draft or a SitePolicy")


def _check_content(content: bytes) -> None:
    if len(content) > DEFAULT_MAX_BYTES:
        raise ServingError(f"{len(content)} bytes: crawlers may ignore everything past {DEFAULT_MAX_BYTES} bytes")
    note = foreign_content_note(content)
    if note is not None:
        raise ServingError(f"not a robots.txt: {note}")
    if is_policy_content(content):
        raise ServingError(
            "not a robots.txt: the content is a policy in TOML; the name of its file has to end with '.toml'"
        )
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ServingError(f"not UTF-8: invalid byte 0x{content[error.start]:02X} at offset {error.start}") from None
