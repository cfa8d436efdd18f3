"""One robots.txt as it is served: its bytes, its validators, and its rules."""

import hashlib
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from canfetch.agents.registry import REGISTRY
from canfetch.author.draft import Draft
from canfetch.author.policy_file import parse_policy
from canfetch.author.rendering import render_policy
from canfetch.author.site_policy import SitePolicy
from canfetch.core.agent import Agent, as_agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.content_formats import foreign_content_note
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.quoting import quoted
from canfetch.core.text import encode_text
from canfetch.core.verdict import Rule
from canfetch.errors import InvalidDraft, InvalidSitePolicy, ServingError

_ETAG_DIGITS: Final = 32


class ServedFile:
    """A robots.txt that may be served.

    Attributes:
        content: The bytes.
        etag: The strong validator: a hash of the bytes, so that all processes send the same one.
        modified: When the file was last modified, in seconds since the epoch, or None if it is not from a file.
        robots: The parsed file.
    """

    __slots__ = ("_by_profile", "_tokens", "content", "etag", "modified", "robots")

    def __init__(self, content: bytes, *, modified: float | None = None) -> None:
        self.content = content
        self.etag = f'"{hashlib.sha256(content).hexdigest()[:_ETAG_DIGITS]}"'
        self.modified = modified
        self.robots = parse(content)
        self._by_profile = {self.robots.profile: self.robots}
        self._tokens: frozenset[str] | None = None

    def with_profile(self, profile: str) -> RobotsTxt:
        """Return the file as another profile reads it."""
        robots = self._by_profile.get(profile)
        if robots is None:
            robots = self._by_profile[profile] = self.robots.with_profile(profile)
        return robots

    @property
    def tokens(self) -> frozenset[str]:
        """The product tokens that the file names, in lower case.

        Cost: O(groups) at the first call.
        """
        if self._tokens is None:
            self._tokens = frozenset(token.lower() for group in self.robots.groups for token in group.tokens)
        return self._tokens


def build_file(value: object, *, modified: float | None = None, allow_closed: bool) -> ServedFile:
    """Return the file to serve for the value of a source.

    Args:
        value: Bytes or text, a `Draft` or a `SitePolicy`.
        modified: When it was modified.
        allow_closed: Whether it may close the site.
    Raises: ServingError: The content is invalid, or it closes the site.
    """
    content = _content_of(value)
    _check_content(content)
    file = ServedFile(content, modified=modified)
    if not allow_closed:
        rule = find_closing_rule(file.robots)
        if rule is not None:
            raise ServingError(
                f"line {rule.line}, {rule}, closes the whole site to search engines, in production; remove the rule, "
                "or pass allow_closed=True"
            )
    return file


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
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ServingError(f"not UTF-8: invalid byte 0x{content[error.start]:02X} at offset {error.start}") from None


# Paths that no rule names: the home page, and pages that stand for all others.
_PAGES: Final = ("/", "/canfetch-sample", "/canfetch-sample/page.html", "/canfetch-sample?page=1")


def find_closing_rule(robots: RobotsTxt) -> Rule | None:
    """Return the rule that closes the site to crawlers that the file does not name, or None if the site is open.

    Cost: A few decisions for each search engine, and one for each of its allow rules.
    """
    unnamed = robots.rules_for("*")
    verdict = unnamed.decide(_PAGES[1])
    if verdict.allowed or _is_open(robots, unnamed):
        return None
    # Most search engines share the groups for `*`.
    rules = {tuple(rules.group_indices): rules for rules in map(robots.rules_for, _search_engines())}
    return None if any(_is_open(robots, one) for one in rules.values()) else verdict.rule


@cache
def _search_engines() -> tuple[Agent, ...]:
    return tuple(
        as_agent(crawler.agent)
        for crawler in REGISTRY.crawlers
        if crawler.purposes[0] == "search-index" and not crawler.retired and not crawler.token_only
    )


def _is_open(robots: RobotsTxt, rules: AgentRules) -> bool:
    return any(map(rules.allows, _PAGES)) or any(map(rules.allows, _exceptions(robots, rules)))


def _exceptions(robots: RobotsTxt, rules: AgentRules) -> Iterator[bytes]:
    """Yield a target for each allow rule, except rules for single files."""
    for index in rules.group_indices:
        for rule in robots.groups[index].rules:
            path = rule.pattern.removesuffix(b"$").replace(b"*", b"canfetch-sample")
            name = path.partition(b"?")[0].rpartition(b"/")[2]
            if rule.allow and path.startswith(b"/") and b"." not in name:
                yield path
