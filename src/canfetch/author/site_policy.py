"""What a site wants of crawlers: who may fetch what, which uses are welcome, what pages say.

Of the intents that could apply to a crawler the most specific does, alone and whole: that of its own name, else that
of a name of the same operator that it falls back on, else that of its purpose, else that of everyone.
"""

from typing import Final, Literal, NamedTuple

from canfetch.agents.crawler import Purpose
from canfetch.author.ordering import DraftRule
from canfetch.author.preferences import Preferences
from canfetch.author.regexes import matches_target

AudienceKind = Literal["crawler", "purpose", "everyone"]
EVERY_PATH: Final = "/"


class Audience(NamedTuple):
    """Whom an intent is about: a crawler by its product token, all of a purpose, or everyone."""

    kind: AudienceKind
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind}.{self.name}" if self.name else self.kind


class Intent(NamedTuple):
    """What an audience may fetch, and what is said to it.

    `fetch` is what holds where no rule matches; of the rules that match, the one with the most octets decides, allow
    before disallow. `usage` is what is said of uses, `licenses` are URLs of terms.
    """

    audience: Audience
    fetch: bool = True
    rules: tuple[DraftRule, ...] = ()
    crawl_delay: float | None = None
    usage: Preferences | None = None
    licenses: tuple[str, ...] = ()

    def allows(self, target: str) -> bool:
        """Say whether the audience may fetch a target: path and query, as sent, without dot segments.

        Cost: O(rules).
        """
        deciding = max(
            (rule for rule in self.rules if matches_target(rule.pattern, target)),
            key=lambda rule: rule.strength,
            default=None,
        )
        return self.fetch if deciding is None else deciding.allow

    @property
    def rules_by_precedence(self) -> tuple[DraftRule, ...]:
        """All rules, in an order in which the first that matches decides; the last one matches everything."""
        ordered = sorted(self.rules, key=lambda rule: rule.strength, reverse=True)
        return (*ordered, DraftRule(self.fetch, EVERY_PATH))

    @property
    def disallows_everything(self) -> bool:
        """Whether nothing may be fetched."""
        return not self.fetch and not any(rule.allow for rule in self.rules)

    def __str__(self) -> str:
        words = [f"{self.audience}: {'all' if self.fetch else 'none'}"]
        words += [f"{'allow' if rule.allow else 'disallow'} {rule.pattern}" for rule in self.rules]
        return ", ".join(words)


class PageIntent(NamedTuple):
    """What pages say of themselves: on which paths, which rules, and for which crawler, or None for all."""

    patterns: tuple[str, ...]
    rules: tuple[str, ...]
    crawler: str | None = None

    @property
    def value(self) -> str:
        """The value of the X-Robots-Tag header."""
        words = ", ".join(self.rules)
        return words if self.crawler is None else f"{self.crawler.lower()}: {words}"

    def matches(self, target: str) -> bool:
        """Say whether a target gets the header."""
        return any(matches_target(pattern, target) for pattern in self.patterns)


class SitePolicy(NamedTuple):
    """Everything that a site wants of crawlers, made by `parse_policy`.

    `everyone` is the intent of whoever has no other; `include_star_ignorers` says that it is also meant for crawlers
    that obey a group of their own name alone, so that they are named.
    """

    everyone: Intent
    purposes: tuple[Intent, ...] = ()
    crawlers: tuple[Intent, ...] = ()
    pages: tuple[PageIntent, ...] = ()
    sitemaps: tuple[str, ...] = ()
    licenses: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    include_star_ignorers: bool = False

    @property
    def intents(self) -> tuple[Intent, ...]:
        """Every intent, the most specific first."""
        return (*self.crawlers, *self.purposes, self.everyone)

    def headers(self, target: str) -> tuple[tuple[str, str], ...]:
        """Give the X-Robots-Tag headers of a page, as pairs of name and value.

        Args: target: path and query, as sent.
        """
        return tuple(("X-Robots-Tag", page.value) for page in self.pages if page.matches(target))


def purpose_of(intent: Intent) -> Purpose:
    """Give the purpose that an intent is about, which its reader has checked."""
    name: Purpose = intent.audience.name  # type: ignore[assignment]  # one of them, by `policy_file`
    return name
