"""Drafts: a robots.txt built from groups, rules and records, each of which is validated when it is added.

The output is ASCII with LF line ends, one blank line between groups, and sitemaps at the end. Exceptions come before
the rules that they override (`ordering`), so that parsers that take the first match agree with the others.
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
# A shorter delay would be rendered as 0.
MIN_CRAWL_DELAY: Final = 0.001


def is_delay(value: object) -> bool:
    """Return whether a value is a valid crawl delay: a number of seconds, at most a day."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return MIN_CRAWL_DELAY <= value <= _MAX_CRAWL_DELAY


class DraftGroup:
    """A group of a draft, from `Draft.group`. Each method returns the group, so that calls can be chained."""

    __slots__ = ("_comments", "_everything", "_paths", "_records", "_rules", "_signal", "_usages", "tokens")

    def __init__(self, tokens: tuple[str, ...]) -> None:
        self.tokens = tokens
        self._rules: dict[DraftRule, None] = {}
        # The first rule of each path, by its normalised form.
        self._paths: dict[bytes, DraftRule] = {}
        self._usages: dict[bytes, Preferences] = {}
        self._signal: Preferences = {}
        self._everything = False
        self._records: list[tuple[str, str]] = []
        self._comments: list[str] = []

    def allow(self, *patterns: str) -> Self:
        """Add allow rules for patterns.

        Args: patterns: Such as `/press/` or `/*.html$`. Use `literal_path(path)` for a literal path.
        Raises: InvalidDraft: A pattern is invalid, or disallowed in this group; TypeError: A pattern is not a str.
        """
        return self._with_rules(patterns, allow=True)

    def disallow(self, *patterns: str) -> Self:
        """Add disallow rules for patterns.

        Args: patterns: As for `allow`.
        Raises: InvalidDraft: A pattern is invalid, or allowed in this group; TypeError: A pattern is not a str.
        """
        return self._with_rules(patterns, allow=False)

    def allow_everything(self) -> Self:
        """Allow everything, with an empty `Disallow`, which parsers of every age support.

        Raises: InvalidDraft: The group has rules.
        """
        if self._rules:
            raise InvalidDraft(f"{self._name} already has rules: remove them, or allow_everything()")
        self._everything = True
        return self

    def crawl_delay(self, seconds: float) -> Self:
        """Set the seconds between two requests, which not all crawlers support.

        Raises: InvalidDraft: The value is not a number from 0.001 to 86400, or the group has a delay.
        """
        if not is_delay(seconds):
            raise InvalidDraft(
                f"{self._name}: invalid crawl delay {seconds!r}: expected a number of seconds from "
                f"{MIN_CRAWL_DELAY} to {_MAX_CRAWL_DELAY}"
            )
        if any(key == "Crawl-delay" for key, _ in self._records):
            raise InvalidDraft(f"{self._name} already has a crawl delay")
        return self._with_record("Crawl-delay", f"{seconds:.3f}".rstrip("0").rstrip("."))

    def content_usage(
        self,
        *,
        path: str | None = None,
        training: bool | None = None,
        search: bool | None = None,
        ai_use: bool | None = None,
    ) -> Self:
        """Add a `Content-Usage` line, which states the allowed uses in the vocabulary of AIPREF.

        Args:
            path: A pattern that starts with `/`, or None for all paths.
            training: Whether training is allowed, or None for no preference.
            search: Whether search is allowed, or None for no preference.
            ai_use: Whether other AI use is allowed, or None for no preference.
        Raises: InvalidDraft: No use is passed, the path has preferences, or Content-Signal contradicts them;
            TypeError: `path` is not a str.
        """
        preferences = parse_preferences({"training": training, "search": search, "ai-use": ai_use})
        if path is not None and not validate_pattern(validate_str(path, "a path")).startswith("/"):
            raise InvalidDraft(
                f"{self._name}: invalid Content-Usage path {quoted(path)}: expected a path that starts with '/'"
            )
        covered = canonical((path or _EVERY_PATH).encode("ascii")).removesuffix(b"*")
        if covered in self._usages:
            scope = "all paths" if path is None else quoted(path)
            raise InvalidDraft(f"{self._name} already has Content-Usage for {scope}: pass all uses in one call")
        if covered == _EVERY_PATH.encode():
            self._check_contradictions(preferences, self._signal)
        self._usages[covered] = preferences
        return self._with_record("Content-Usage", format_content_usage(preferences, path))

    def content_signal(
        self, *, training: bool | None = None, search: bool | None = None, ai_use: bool | None = None
    ) -> Self:
        """Add a `Content-Signal` line, which states the allowed uses. The arguments are those of `content_usage`.

        Raises: InvalidDraft: No use is passed, the group has a Content-Signal, or Content-Usage contradicts it.
        """
        preferences = parse_preferences({"training": training, "search": search, "ai-use": ai_use})
        if any(key == "Content-Signal" for key, _ in self._records):
            raise InvalidDraft(f"{self._name} already has a Content-Signal: pass all uses in one call")
        self._check_contradictions(preferences, self._usages.get(_EVERY_PATH.encode(), {}))
        self._signal = preferences
        return self._with_record("Content-Signal", format_content_signal(preferences))

    def license(self, url: str) -> Self:
        """Add the URL of the license terms for this group, in place of the file's.

        Raises: InvalidDraft: The URL is not absolute.
        """
        return self._with_record("License", validate_url(url, "license"))

    def comment(self, text: str) -> Self:
        """Add a comment above the group.

        Raises: InvalidDraft: The text is not one line of printable ASCII.
        """
        self._comments.append(validate_comment(text))
        return self

    @property
    def rules(self) -> tuple[DraftRule, ...]:
        """The rules, in the order of the output."""
        return tuple(order_rules(list(self._rules)))

    def lines(self) -> list[str]:
        """Return the group's lines.

        Raises: InvalidDraft: The group has no rule.
        Cost: O(rules squared).
        """
        if not self._rules and not self._everything:
            raise InvalidDraft(f"{self._name} has no rules: add some, or call allow_everything()")
        lines = [_comment_line(text) for text in self._comments]
        lines += [f"User-agent: {token}" for token in self.tokens]
        if self._everything:
            lines.append("Disallow:")
        lines += [f"{'Allow' if rule.allow else 'Disallow'}: {rule.pattern}" for rule in self.rules]
        return [*lines, *(f"{key}: {value}" for key, value in self._records)]

    @property
    def _name(self) -> str:
        return f"the group of {', '.join(self.tokens)}"

    def _with_rules(self, patterns: tuple[str, ...], *, allow: bool) -> Self:
        if self._everything:
            raise InvalidDraft(f"{self._name} already allows everything: remove allow_everything(), or the rules")
        for pattern in patterns:
            rule = DraftRule(allow, validate_rule_pattern(pattern))
            other = self._paths.setdefault(rule.canonical, rule)
            if other.allow is not allow:
                spelling = "" if other.pattern == pattern else f" (the same as {quoted(other.pattern)})"
                raise InvalidDraft(f"{self._name} both allows and disallows {quoted(pattern)}{spelling}: remove one")
            self._rules[rule] = None
        return self

    def _check_contradictions(self, preferences: Preferences, existing: Preferences) -> None:
        for use, allowed in preferences.items():
            if existing.get(use, allowed) is not allowed:
                raise InvalidDraft(
                    f"{self._name}: Content-Usage and Content-Signal contradict each other about {use}: "
                    "use the same value in both"
                )

    def _with_record(self, key: str, value: str) -> Self:
        self._records.append((key, value))
        return self


class Draft:
    """A robots.txt built from groups.

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
        """Add a group.

        Args: tokens: One or more product tokens, or `*`.
        Raises: InvalidDraft: No token is passed, or a token is invalid or has a group; TypeError: A token is not a str.
        """
        if not tokens:
            raise InvalidDraft("a group requires at least one product token, or '*'")
        for token in tokens:
            if validate_token(token).lower() in self._named:
                raise InvalidDraft(f"{quoted(token)} already has a group: put all its rules into one group")
            self._named.add(token.lower())
        group = DraftGroup(tokens)
        self._groups.append(group)
        return group

    def sitemap(self, *urls: str) -> None:
        """Add the URLs of sitemaps.

        Raises: InvalidDraft: A URL is not absolute, or a duplicate; TypeError: A URL is not a str.
        """
        for url in urls:
            if validate_url(url, "sitemap") in self._sitemaps:
                raise InvalidDraft(f"duplicate sitemap URL {quoted(url)}")
            self._sitemaps[url] = None

    def license(self, *urls: str) -> None:
        """Add URLs of license terms, for groups without their own.

        Raises: InvalidDraft: A URL is not absolute.
        """
        self._licenses += [validate_url(url, "license") for url in urls]

    def comment(self, text: str) -> None:
        """Add a comment at the top of the file.

        Raises: InvalidDraft: The text is not one line of printable ASCII.
        """
        self._comments.append(validate_comment(text))

    @property
    def groups(self) -> tuple[DraftGroup, ...]:
        """The groups, in the order of the output."""
        return tuple(order_groups([(group.tokens, group) for group in self._groups]))

    def render(self) -> bytes:
        """Return the file as bytes.

        Raises: InvalidDraft: A group has no rules, or the file is longer than crawlers must parse.
        Cost: O(rules squared) for each group.
        """
        parts = [
            [_comment_line(text) for text in self._comments],
            [f"License: {url}" for url in self._licenses],
            *(group.lines() for group in self.groups),
            [f"Sitemap: {url}" for url in self._sitemaps],
        ]
        content = "\n".join("".join(f"{line}\n" for line in part) for part in parts if part).encode("ascii")
        if len(content) > DEFAULT_MAX_BYTES:
            raise InvalidDraft(
                f"file too long: {len(content)} bytes, expected at most {DEFAULT_MAX_BYTES} (RFC 9309 section 2.5)"
            )
        return content


def _comment_line(text: str) -> str:
    return f"# {text}".rstrip()
