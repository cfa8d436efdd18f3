"""A robots.txt in the making: groups, rules and records, each checked when it is given.

What is rendered is ASCII with LF; a blank line parts groups and none is within one; sitemaps come last. Every rule
stands in front of those that it is an exception of (`ordering`), so that readers that take the first match
read it as those that take the longest.
"""

from typing import Final, Self

from canfetch.author.ordering import DraftRule, order_groups, order_rules
from canfetch.author.preferences import Preferences, format_content_signal, format_content_usage, parse_preferences
from canfetch.author.validation import (
    validate_comment,
    validate_pattern,
    validate_rule_pattern,
    validate_str,
    validate_token,
    validate_url,
)
from canfetch.core.escapes import canonical
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidDraft

_EVERY_PATH: Final = "/"
_MAX_CRAWL_DELAY: Final = 86_400
# What is shorter would be written as 0.
MIN_CRAWL_DELAY: Final = 0.001


def is_delay(value: object) -> bool:
    """Say whether something can be written as a crawl delay: a number of seconds, of a day at most."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return MIN_CRAWL_DELAY <= value <= _MAX_CRAWL_DELAY


class DraftGroup:
    """A group in the making, from `Draft.group`; each method gives the group back, so that calls can be chained."""

    __slots__ = ("_asides", "_comments", "_everything", "_paths", "_rules", "_signal", "_usages", "tokens")

    def __init__(self, tokens: tuple[str, ...]) -> None:
        self.tokens = tokens
        self._rules: dict[DraftRule, None] = {}
        # Of each path, in the form that is compared, what was said first.
        self._paths: dict[bytes, DraftRule] = {}
        self._usages: dict[bytes, Preferences] = {}
        self._signal: Preferences = {}
        self._everything = False
        self._asides: list[tuple[str, str]] = []
        self._comments: list[str] = []

    def allow(self, *patterns: str) -> Self:
        """Let these be fetched.

        Args: patterns: such as `/press/`, `/*.html$`; a path as it is: `literal_path(path)`.
        Raises: InvalidDraft: one matches nothing, is misread by some, or is disallowed here; TypeError: no text.
        """
        return self._with_rules(patterns, allow=True)

    def disallow(self, *patterns: str) -> Self:
        """Let these not be fetched.

        Args: patterns: as those of `allow`.
        Raises: InvalidDraft: one matches nothing, is misread by some, or is allowed here; TypeError: no text.
        """
        return self._with_rules(patterns, allow=False)

    def allow_everything(self) -> Self:
        """Let all be fetched: an empty `Disallow`, which readers of every age understand.

        Raises: InvalidDraft: there are rules already.
        """
        if self._rules:
            raise InvalidDraft(f"{self._name} has rules already: drop them, or do not allow everything")
        self._everything = True
        return self

    def crawl_delay(self, seconds: float) -> Self:
        """Ask for so many seconds between two requests; not all crawlers read it.

        Raises: InvalidDraft: no number from a thousandth to a day's, or there is one already.
        """
        if not is_delay(seconds):
            raise InvalidDraft(
                f"{self._name}: a crawl delay of {seconds!r}: give a number of seconds from "
                f"{MIN_CRAWL_DELAY} to a day, or leave it out"
            )
        if any(key == "Crawl-delay" for key, _ in self._asides):
            raise InvalidDraft(f"{self._name} has a crawl delay already: give one")
        return self._with_aside("Crawl-delay", f"{seconds:.3f}".rstrip("0").rstrip("."))

    def content_usage(
        self,
        *,
        path: str | None = None,
        training: bool | None = None,
        search: bool | None = None,
        ai_use: bool | None = None,
    ) -> Self:
        """Say which uses are welcome, in AIPREF's words; of a use that is not given nothing is said.

        Args: path: a pattern that begins with `/`, or None for all paths.
        Raises: InvalidDraft: nothing is said, of that path something is said already, or Content-Signal says the
            opposite; TypeError: no text.
        """
        preferences = parse_preferences({"training": training, "search": search, "ai-use": ai_use})
        if path is not None and not validate_pattern(validate_str(path, "a path")).startswith("/"):
            raise InvalidDraft(
                f"{self._name}: Content-Usage path {quoted(path)} does not begin with '/': write '/*...'"
            )
        spoken_of = canonical((path or _EVERY_PATH).encode("ascii")).removesuffix(b"*")
        if spoken_of in self._usages:
            raise InvalidDraft(f"{self._name}: Content-Usage speaks of {path or 'all paths'} already: say all in one")
        if spoken_of == _EVERY_PATH.encode():
            self._refuse_opposites(preferences, self._signal)
        self._usages[spoken_of] = preferences
        return self._with_aside("Content-Usage", format_content_usage(preferences, path))

    def content_signal(
        self, *, training: bool | None = None, search: bool | None = None, ai_use: bool | None = None
    ) -> Self:
        """Say which uses are welcome, in the words of content signals.

        Raises: InvalidDraft: nothing is said, something was said already, or Content-Usage says the opposite.
        """
        preferences = parse_preferences({"training": training, "search": search, "ai-use": ai_use})
        if any(key == "Content-Signal" for key, _ in self._asides):
            raise InvalidDraft(f"{self._name} has a Content-Signal already: say all in one")
        self._refuse_opposites(preferences, self._usages.get(_EVERY_PATH.encode(), {}))
        self._signal = preferences
        return self._with_aside("Content-Signal", format_content_signal(preferences))

    def license(self, url: str) -> Self:
        """Say where the terms of use for these crawlers are; it stands in place of the file's.

        Raises: InvalidDraft: no absolute URL.
        """
        return self._with_aside("License", validate_url(url, "license"))

    def comment(self, text: str) -> Self:
        """Put a comment above the group.

        Raises: InvalidDraft: not one line of printable ASCII.
        """
        self._comments.append(validate_comment(text))
        return self

    @property
    def rules(self) -> tuple[DraftRule, ...]:
        """The rules, in the order in which they are written."""
        return tuple(order_rules(list(self._rules)))

    def lines(self) -> list[str]:
        """Write the group's lines.

        Raises: InvalidDraft: it has no rule.
        Cost: O(rules squared).
        """
        if not self._rules and not self._everything:
            raise InvalidDraft(f"{self._name} has no rules: give some, or call allow_everything()")
        lines = [_comment_line(text) for text in self._comments]
        lines += [f"User-agent: {token}" for token in self.tokens]
        if self._everything:
            lines.append("Disallow:")
        lines += [f"{'Allow' if rule.allow else 'Disallow'}: {rule.pattern}" for rule in self.rules]
        return [*lines, *(f"{key}: {value}" for key, value in self._asides)]

    @property
    def _name(self) -> str:
        return f"the group of {', '.join(self.tokens)}"

    def _with_rules(self, patterns: tuple[str, ...], *, allow: bool) -> Self:
        if self._everything:
            raise InvalidDraft(f"{self._name} allows everything already: drop that, or the rules")
        for pattern in patterns:
            rule = DraftRule(allow, validate_rule_pattern(pattern))
            other = self._paths.setdefault(rule.canonical, rule)
            if other.allow is not allow:
                spelt = "" if other.pattern == pattern else f", which is the path {quoted(other.pattern)}"
                raise InvalidDraft(f"{self._name} both allows and disallows {quoted(pattern)}{spelt}: keep one of them")
            self._rules[rule] = None
        return self

    def _refuse_opposites(self, preferences: Preferences, said: Preferences) -> None:
        for use, welcome in preferences.items():
            if said.get(use, welcome) is not welcome:
                raise InvalidDraft(
                    f"{self._name}: Content-Usage and Content-Signal say the opposite of {use}: say the same in both"
                )

    def _with_aside(self, key: str, value: str) -> Self:
        self._asides.append((key, value))
        return self


class Draft:
    """A robots.txt in the making.

    >>> draft = Draft()
    >>> group = draft.group("GPTBot", "ClaudeBot").disallow("/private/").allow("/private/press/")
    >>> draft.sitemap("https://www.example.com/sitemap.xml")
    >>> print(draft.render().decode(), end="")
    User-agent: GPTBot
    User-agent: ClaudeBot
    Allow: /private/press/
    Disallow: /private/
    <BLANKLINE>
    Sitemap: https://www.example.com/sitemap.xml
    """

    __slots__ = ("_comments", "_groups", "_licenses", "_named", "_sitemaps")

    def __init__(self) -> None:
        self._groups: list[DraftGroup] = []
        self._named: set[str] = set()
        self._comments: list[str] = []
        self._licenses: list[str] = []
        self._sitemaps: dict[str, None] = {}

    def group(self, *tokens: str) -> DraftGroup:
        """Begin a group.

        Args: tokens: one product token or more, or `*`.
        Raises: InvalidDraft: none, one that is no product token, or one that has a group already.
        """
        if not tokens:
            raise InvalidDraft("a group speaks to nobody: give a product token, or '*'")
        for token in tokens:
            if validate_token(token).lower() in self._named:
                raise InvalidDraft(f"{quoted(token)} is named already: put all its rules into one group")
            self._named.add(token.lower())
        group = DraftGroup(tokens)
        self._groups.append(group)
        return group

    def sitemap(self, *urls: str) -> None:
        """Name sitemaps.

        Raises: InvalidDraft: no absolute URL, or one that is named already; TypeError: no text.
        """
        for url in urls:
            if validate_url(url, "sitemap") in self._sitemaps:
                raise InvalidDraft(f"sitemap URL {quoted(url)} is named already: name it once")
            self._sitemaps[url] = None

    def license(self, *urls: str) -> None:
        """Say where the terms of use are, for whoever has no group with another.

        Raises: InvalidDraft: no absolute URL.
        """
        self._licenses += [validate_url(url, "license") for url in urls]

    def comment(self, text: str) -> None:
        """Put a comment at the top of the file.

        Raises: InvalidDraft: not one line of printable ASCII.
        """
        self._comments.append(validate_comment(text))

    @property
    def groups(self) -> tuple[DraftGroup, ...]:
        """The groups, in the order in which they are written."""
        return tuple(order_groups([(group.tokens, group) for group in self._groups]))

    def render(self) -> bytes:
        """Give the file's octets.

        Raises: InvalidDraft: a group without rules, or more octets than every crawler reads.
        Cost: O(rules squared) for each group.
        """
        parts = [
            [_comment_line(text) for text in self._comments],
            [f"License: {url}" for url in self._licenses],
            *(group.lines() for group in self.groups),
            [f"Sitemap: {url}" for url in self._sitemaps],
        ]
        octets = "\n".join("".join(f"{line}\n" for line in part) for part in parts if part).encode("ascii")
        if len(octets) > DEFAULT_MAX_BYTES:
            raise InvalidDraft(
                f"the file would have {len(octets)} octets: keep to {DEFAULT_MAX_BYTES}, which every crawler must read"
            )
        return octets


def _comment_line(text: str) -> str:
    return f"# {text}".rstrip()
