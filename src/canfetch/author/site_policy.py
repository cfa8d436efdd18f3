"""The model of a site policy: who may fetch what, which uses are allowed, and page-level rules.

The most specific intent applies to a crawler, alone and as a whole: that of its own name, else that of a name of the
same operator that it falls back on, else that of one of its purposes, else that of everyone.

A policy may have environments, such as production and staging. Each is a policy of its own, and one is chosen before
anything is rendered.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import Final, Literal, NamedTuple

from canfetch.agents.crawler import Purpose
from canfetch.author.hosts import HostPattern, parse_configured_host
from canfetch.author.ordering import DraftRule
from canfetch.author.preferences import Preferences
from canfetch.author.refusal import DEFAULT_REFUSAL, Refusal
from canfetch.author.regexes import compile_patterns, matches_target
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, InvalidSitePolicy

AudienceKind = Literal["crawler", "purpose", "everyone"]
EVERY_PATH: Final = "/"


class Audience(NamedTuple):
    """The crawlers that an intent is for: one by its product token, all of a purpose, or everyone."""

    kind: AudienceKind
    name: str = ""

    @property
    def purpose(self) -> Purpose:
        """The purpose, in an audience of the kind `purpose`."""
        name: Purpose = self.name  # type: ignore[assignment]  # validated by `policy_file`
        return name

    def __str__(self) -> str:
        return f"{self.kind}.{self.name}" if self.name else self.kind


class Intent(NamedTuple):
    """The rules and preferences of a policy for one audience.

    Attributes:
        audience: The crawlers that the intent is for.
        fetch: Whether fetching is allowed if no rule matches.
        rules: The rules. Of those that match, the most specific decides, and allow wins a tie.
        crawl_delay: The crawl delay in seconds, or None.
        usage: The usage preferences, or None.
        licenses: URLs of license terms.
    """

    audience: Audience
    fetch: bool = True
    rules: tuple[DraftRule, ...] = ()
    crawl_delay: float | None = None
    usage: Preferences | None = None
    licenses: tuple[str, ...] = ()

    def allows(self, target: str) -> bool:
        """Return whether the audience may fetch a target: path and query, as sent, without dot segments.

        Cost: O(rules).
        """
        return self.allows_many((target,))[0]

    def allows_many(self, targets: Iterable[str]) -> list[bool]:
        """Return for each target whether the audience may fetch it. See `allows`.

        Cost: O(rules) for each target.
        """
        deciders = _deciders(self.rules)
        return [next((allow for allow, regex in deciders if regex.match(target)), self.fetch) for target in targets]

    @property
    def rules_by_precedence(self) -> tuple[DraftRule, ...]:
        """All rules, in an order in which the first match decides; the last one matches everything."""
        return (*_ordered(self.rules), DraftRule(self.fetch, EVERY_PATH))

    @property
    def disallows_everything(self) -> bool:
        """Whether the audience may fetch nothing."""
        return not self.fetch and not any(rule.allow for rule in self.rules)

    def __str__(self) -> str:
        return ", ".join([f"{self.audience}: {'all' if self.fetch else 'none'}", *map(str, self.rules)])


def _ordered(rules: Iterable[DraftRule]) -> list[DraftRule]:
    return sorted(rules, key=lambda rule: rule.precedence, reverse=True)


@lru_cache(maxsize=64)
def _deciders(rules: tuple[DraftRule, ...]) -> tuple[tuple[bool, re.Pattern[str]], ...]:
    """Return verdicts, each with a regex. The first regex that matches a target decides."""
    neighbours = groupby(_ordered(rules), key=lambda rule: rule.allow)
    return tuple((allow, compile_patterns(rule.pattern for rule in alike)) for allow, alike in neighbours)


class PageIntent(NamedTuple):
    """Page-level rules for the pages on some paths.

    Attributes:
        patterns: The patterns of the paths.
        rules: The directives.
        crawler: The product token that the directives are for, or None for all crawlers.
    """

    patterns: tuple[str, ...]
    rules: tuple[str, ...]
    crawler: str | None = None

    @property
    def value(self) -> str:
        """The value of the X-Robots-Tag header."""
        words = ", ".join(self.rules)
        return words if self.crawler is None else f"{self.crawler.lower()}: {words}"

    def matches(self, target: str) -> bool:
        """Return whether a target gets the header."""
        return any(matches_target(pattern, target) for pattern in self.patterns)


class SitePolicy(NamedTuple):
    """A site policy, from `parse_policy`.

    Attributes:
        everyone: The intent for all crawlers without another.
        purposes: The intents for crawlers of a purpose.
        crawlers: The intents for single crawlers.
        pages: The page-level rules.
        sitemaps: URLs of sitemaps.
        licenses: URLs of license terms, for groups without their own.
        comments: Comments for the top of the file.
        include_star_ignorers: Whether `everyone` includes crawlers that ignore `*`, so that they are named.
        refusal: What server rules respond to requests that the policy disallows.
        environments: The environments, of which one has to be chosen, such as with `for_host`. Empty: The policy is the
            same everywhere.
    """

    everyone: Intent
    purposes: tuple[Intent, ...] = ()
    crawlers: tuple[Intent, ...] = ()
    pages: tuple[PageIntent, ...] = ()
    sitemaps: tuple[str, ...] = ()
    licenses: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    include_star_ignorers: bool = False
    refusal: Refusal = DEFAULT_REFUSAL
    environments: "tuple[Environment, ...]" = ()

    def for_environment(self, name: str) -> "SitePolicy":
        """Return the policy of an environment. It disallows everything if there is no environment with the name.

        Raises: InvalidOption: The policy has no environments.
        """
        if not self.environments:
            raise InvalidOption(f"environment {quoted(name)} cannot be chosen: the policy has no environments")
        found = self.get_environment(name)
        return self.closed_because("the policy has no environment with this name") if found is None else found.policy

    def for_host(self, host: str) -> "SitePolicy":
        """Return the policy of a host. It disallows everything if the host belongs to no environment, or is invalid.

        Args: host: A host, such as `www.example.com` or `localhost:8000`. A policy without environments is the same for
            all hosts.
        Cost: O(patterns of hosts).
        """
        if not self.environments:
            return self
        found = self.environment_of(host)
        return self.closed_because("no environment of the policy has this host") if found is None else found.policy

    def get_environment(self, name: str) -> "Environment | None":
        """Return the environment with a name, or None."""
        return next((one for one in self.environments if one.name == name), None)

    def environment_of(self, host: str) -> "Environment | None":
        """Return the environment that a host belongs to, or None.

        The most specific of all patterns decides: a host before a pattern, then the longer one, then one with a port.

        Cost: O(patterns of hosts).
        """
        parsed = parse_configured_host(host)
        if parsed is None:
            return None
        matching = [
            (pattern.specificity, one) for one in self.environments for pattern in one.hosts if pattern.matches(parsed)
        ]
        return max(matching, key=lambda item: item[0])[1] if matching else None

    def closed_because(self, reason: str) -> "SitePolicy":
        """Return a policy that disallows everything to all crawlers, with the reason as a comment."""
        return closed_policy(f"Everything is disallowed: {reason}.")._replace(refusal=self.refusal)

    @property
    def intents(self) -> tuple[Intent, ...]:
        """Every intent, the most specific first."""
        return (*self.crawlers, *self.purposes, self.everyone)

    def headers(self, target: str) -> tuple[tuple[str, str], ...]:
        """Return the X-Robots-Tag headers of a page, as pairs of name and value.

        Args: target: Path and query, as sent.
        """
        return tuple(("X-Robots-Tag", page.value) for page in self.pages if page.matches(target))


class Environment(NamedTuple):
    """An environment of a site, such as production or a preview.

    Attributes:
        name: The name.
        hosts: The hosts that belong to it.
        policy: What applies in it.
        closed: Whether the policy states that it is closed or open, or None.
    """

    name: str
    hosts: tuple[HostPattern, ...]
    policy: SitePolicy
    closed: bool | None = None


def closed_policy(*comments: str) -> SitePolicy:
    """Return a policy that disallows everything to all crawlers, including those that ignore `*`."""
    return SitePolicy(Intent(Audience("everyone"), fetch=False), comments=comments, include_star_ignorers=True)


def check_chosen(policy: SitePolicy) -> None:
    """Check that an environment was chosen if the policy has environments.

    Raises: InvalidSitePolicy.
    """
    if policy.environments:
        names = ", ".join(repr(one.name) for one in policy.environments)
        raise InvalidSitePolicy(
            f"the policy has environments: choose one of {names} with policy.for_environment(name), or pass its host "
            "to policy.for_host(host)"
        )
