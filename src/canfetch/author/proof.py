"""Proofs: a rendered policy is parsed, and its verdicts are compared with the policy for every crawler.

The expected verdicts come from the policy, through regular expressions. The actual verdicts come from the rendered
file, on every profile and every available engine. The two share no code but the normalisation of patterns.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, NoReturn

from canfetch.agents.other_clients import is_other_client
from canfetch.author.policy_compiler import compile_policy
from canfetch.author.resolution import CrawlerIntent, Resolution, resolve
from canfetch.author.site_policy import Intent, SitePolicy
from canfetch.core.abnf import is_product_token
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.engines import native_module
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.profiles import PROFILES

PROOF_SCHEMA: Final = "canfetch.proof/2"
# The profiles of current crawlers. The others are historical.
CURRENT_PROFILES: Final = ("rfc9309", "strict", "google2019", "google", "googlebot", "bing", "yandex")

_NAME_TRUNCATED: Final = "this profile reads only letters, '-' and '_' of a name"
_OTHER_GROUP: Final = "this profile matches parts of names, and selects another group"
_NO_ALLOW: Final = "this profile does not support Allow"
_NO_WILDCARDS: Final = "this profile supports neither '*' nor '$'"
_INDEX_PAGE: Final = "this profile applies an Allow of index.html to its folder, too"
_OTHER_ORDER: Final = "this profile selects another rule"
_RECORD_LOST: Final = "the record is not parsed back"

# The source that states that a crawler might ignore robots.txt.
_SOURCES: Final = (("operator", "their operators"), ("third-party", "third parties"))

# Targets that only a pattern for everything matches.
_UNMATCHED: Final = ("/", "/canfetch-sample.html", "/canfetch-sample/a/b.txt?c=d")
_STAR_VALUES: Final = ("", "x", "x/y", "x?y=")
_SLASHES: Final = re.compile(r"[/\\]|%2[Ff]|%5[Cc]")
_SUFFIXES: Final = ("", "z", "/z", "?z=1", ".z")


class IntentProof(NamedTuple):
    """The result for one intent on one profile.

    Attributes:
        intent: The intent.
        profile: The name of the profile.
        engines: The engines used.
        crawlers: The number of crawlers.
        targets: The number of targets.
        checked: The number of verdicts, for each crawler, target and engine.
        met: The number of verdicts that match the intent.
    """

    intent: Intent
    profile: str
    engines: tuple[str, ...]
    crawlers: int
    targets: int
    checked: int
    met: int

    @property
    def is_met(self) -> bool:
        """Whether all verdicts match the intent."""
        return self.checked == self.met


class Shortfall(NamedTuple):
    """A verdict or a record that does not match its intent.

    Attributes:
        intent: The intent.
        profile: The name of the profile.
        crawlers: The names of the crawlers.
        subject: The target, or the kind of record.
        expected: The expected verdict or value.
        actual: The actual verdict or value.
        reason: Why they differ.
    """

    intent: Intent
    profile: str
    crawlers: tuple[str, ...]
    subject: str
    expected: str
    actual: str
    reason: str

    @property
    def is_fault(self) -> bool:
        """Whether this is a fault of the file.

        It is, on the profiles of current crawlers, unless the profile cannot represent the crawlers' names.
        """
        return self.profile in CURRENT_PROFILES and self.reason != _NAME_TRUNCATED

    def __str__(self) -> str:
        crawlers = ", ".join(self.crawlers)
        return f"{self.profile}: {crawlers}: {self.subject}: expected {self.expected}, got {self.actual}: {self.reason}"

    def to_json(self) -> dict[str, Any]:
        """Return the shortfall as JSON-compatible values."""
        return {
            **self._asdict(),
            "intent": str(self.intent.audience),
            "crawlers": [*self.crawlers],
            "is_fault": self.is_fault,
        }


class Proof(NamedTuple):
    """The result of `prove`. A proof has no truth value. Use `.holds`.

    Attributes:
        robots_txt: The rendered file.
        intents: The result for each intent on each profile.
        shortfalls: What does not match the policy.
        limitations: What no robots.txt or header can achieve, one sentence each.
    """

    robots_txt: bytes
    intents: tuple[IntentProof, ...]
    shortfalls: tuple[Shortfall, ...]
    limitations: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every intent is met on all profiles of current crawlers."""
        return not any(shortfall.is_fault for shortfall in self.shortfalls)

    def __bool__(self) -> NoReturn:
        raise TypeError("a Proof has no truth value: use .holds")

    def to_json(self) -> dict[str, Any]:
        """Return the proof as JSON-compatible values."""
        return {
            "schema": PROOF_SCHEMA,
            "holds": self.holds,
            "robots_txt": self.robots_txt.decode("ascii"),
            "intents": [
                {**row._asdict(), "intent": str(row.intent.audience), "engines": [*row.engines], "is_met": row.is_met}
                for row in self.intents
            ],
            "shortfalls": [shortfall.to_json() for shortfall in self.shortfalls],
            "limitations": [*self.limitations],
        }


def prove(policy: SitePolicy) -> Proof:
    """Render a policy, parse the result, and compare the verdicts of every crawler on every profile with the policy.

    Args: policy: From `parse_policy`.
    Raises: InvalidDraft: The policy cannot be rendered.
    Cost: O(crawlers, times targets, times profiles).
    """
    resolution = resolve(policy)
    content = compile_policy(policy, resolution).render()
    prover = _Prover(policy, resolution, content)
    rows: list[IntentProof] = []
    for intent, _ in resolution.groups:
        expected = intent.allows_many(prover.targets)
        rows += [prover.check_verdicts(intent, expected, profile) for profile in PROFILES]
        prover.check_records(intent, expected)
    prover.check_sitemaps()
    return Proof(content, tuple(rows), prover.shortfalls, find_limitations(policy, resolution))


class _Prover:
    def __init__(self, policy: SitePolicy, resolution: Resolution, content: bytes) -> None:
        self._policy = policy
        self._resolution = resolution
        self._content = content
        self._robots = parse(content)
        self.targets = sample_targets(policy)
        self._found: dict[tuple[str, str, str, str, str, str], tuple[Intent, set[str]]] = {}

    @property
    def shortfalls(self) -> tuple[Shortfall, ...]:
        ranks = {crawler.name: rank for rank, crawler in enumerate(self._resolution.crawlers)}
        return tuple(
            Shortfall(intent, profile, tuple(sorted(names, key=ranks.__getitem__)), subject, expected, actual, reason)
            for (_, profile, subject, expected, actual, reason), (intent, names) in self._found.items()
        )

    def check_verdicts(self, intent: Intent, expected: list[bool], profile: str) -> IntentProof:
        """Check the verdicts of a profile. `expected` has the verdict for each target."""
        crawlers = self._resolution.crawlers_for(intent)
        engines = tuple(_engines())
        met = 0
        for engine in engines:
            robots = parse(self._content, profile=profile, engine=engine)
            for alike in _alike(robots, crawlers):
                names = [crawler.name for crawler in alike]
                actual = robots.rules_for(alike[0].agent).allows_many(list(self.targets))
                for target, allowed, is_allowed in zip(self.targets, expected, actual, strict=True):
                    if bool(is_allowed) is allowed:
                        met += len(names)
                    else:
                        reason = self._reason(robots, alike[0], intent, target)
                        self._add(intent, profile, names, (target, _word(allowed), _word(not allowed), reason))
        checked = len(engines) * len(crawlers) * len(self.targets)
        return IntentProof(intent, profile, engines, len(crawlers), len(self.targets), checked, met)

    def check_records(self, intent: Intent, expected: list[bool]) -> None:
        """Check delays, uses and licenses, which are the same in every profile."""
        fetched = next((target for target, allowed in zip(self.targets, expected, strict=True) if allowed), None)
        for crawler in self._resolution.crawlers_for(intent):
            for subject, wanted, actual in self._records(intent, crawler, fetched):
                if wanted != actual:
                    self._add(intent, "rfc9309", [crawler.name], (subject, wanted, actual, _RECORD_LOST))

    def check_sitemaps(self) -> None:
        """Check the sitemaps, which are the same for every crawler."""
        found = self._robots.sitemaps
        if found != self._policy.sitemaps:
            pair = (str(self._policy.sitemaps), str(found))
            crawler = self._resolution.crawlers_for(self._policy.everyone)[0]
            self._add(self._policy.everyone, "rfc9309", [crawler.name], ("sitemap", *pair, _RECORD_LOST))

    def _records(self, intent: Intent, crawler: CrawlerIntent, fetched: str | None) -> Iterator[tuple[str, str, str]]:
        robots = self._robots
        urls = [record.parsed.url for record in robots.licenses(agent=crawler.agent)]
        yield "license", str([*(intent.licenses or self._policy.licenses)]), str(urls)
        if fetched is None:
            return
        delay = robots.crawl_delay(agent=crawler.agent)
        expected = intent.crawl_delay
        yield "crawl-delay", str(None if expected is None else float(expected)), str(delay)
        for use in UsagePurpose:
            allowed = (intent.usage or {}).get(use)
            preference = Preference.UNKNOWN if allowed is None else Preference.ALLOW if allowed else Preference.DISALLOW
            yield f"usage {use}", preference, robots.usage(fetched, agent=crawler.agent, purpose=use).preference

    def _reason(self, robots: RobotsTxt, crawler: CrawlerIntent, intent: Intent, target: str) -> str:
        flags = PROFILES[robots.profile]
        if _is_truncated(robots, crawler):
            return _NAME_TRUNCATED
        tokens = next((tokens for owner, tokens in self._resolution.groups if owner is intent), ())
        chosen = robots.decide(target, agent=crawler.agent).group.token
        if chosen is not None and chosen.lower() not in {token.lower() for token in tokens}:
            return _OTHER_GROUP
        if flags.literal_paths and any(set("*$") & set(rule.pattern) for rule in intent.rules):
            return _NO_WILDCARDS
        if flags.ignore_allow:
            return _NO_ALLOW
        indexes = any(rule.allow and "/index.htm" in rule.pattern for rule in intent.rules)
        return _INDEX_PAGE if flags.index_html and indexes and target.endswith("/") else _OTHER_ORDER

    def _add(self, intent: Intent, profile: str, names: Iterable[str], difference: tuple[str, str, str, str]) -> None:
        key = (str(intent.audience), profile, *difference)
        self._found.setdefault(key, (intent, set()))[1].update(names)


def _alike(robots: RobotsTxt, crawlers: Iterable[CrawlerIntent]) -> Iterable[list[CrawlerIntent]]:
    """Return the crawlers by their groups, because those with the same groups have the same verdicts."""
    found: dict[tuple[bool, tuple[int, ...]], list[CrawlerIntent]] = {}
    for crawler in crawlers:
        groups = tuple(robots.rules_for(crawler.agent).group_indices)
        found.setdefault((_is_truncated(robots, crawler), groups), []).append(crawler)
    return found.values()


def _is_truncated(robots: RobotsTxt, crawler: CrawlerIntent) -> bool:
    """Return whether the profile reads only part of a name of the crawler."""
    flags = PROFILES[robots.profile]
    grammar_only = flags.abnf_only or flags.token_letters_only
    return grammar_only and not all(is_product_token(token) for token in crawler.agent.encoded_tokens)


def _engines() -> Iterator[str]:
    yield "python"
    if native_module() is not None:
        yield "native"


def _word(allowed: bool) -> str:  # noqa: FBT001 - a verdict as text
    return "allowed" if allowed else "disallowed"


def sample_targets(policy: SitePolicy) -> tuple[str, ...]:
    """Return targets to check a policy with: for each pattern some that match and some that do not.

    Cost: O(patterns).
    """
    patterns = [rule.pattern for intent in policy.intents for rule in intent.rules]
    patterns += [pattern for page in policy.pages for pattern in page.patterns]
    found = dict.fromkeys([*_UNMATCHED, *_targets_of(dict.fromkeys(patterns))])
    # `//z` is a URL with the host z.
    return tuple(target for target in found if not target.startswith("//") and not _has_dot_segments(target))


def _targets_of(patterns: Iterable[str]) -> Iterator[str]:
    for pattern in patterns:
        text = pattern.removesuffix("$")
        for value in _STAR_VALUES if "*" in text else ("",):
            filled = text.replace("*", value)
            yield from (filled + suffix for suffix in _SUFFIXES)
            # Near misses, except those that end with an incomplete escape, which parsers handle differently.
            if len(filled) > 1 and "%" not in filled[-3:]:
                yield filled[:-1]
                yield filled[:-1] + ("y" if filled[-1] == "x" else "x")
        yield "/canfetch-sample" + text.replace("*", "x")
        folder, index, _ = text.rpartition("/index.htm")
        if index:
            # Google's parser treats an Allow of index.html as one of its folder, too.
            yield folder.replace("*", "x") + "/"


def _has_dot_segments(target: str) -> bool:
    # Not all parsers resolve dot segments before matching, and server rules refuse every spelling of them.
    path = re.sub("%2[Ee]", ".", target.partition("?")[0])
    return bool({".", ".."} & {segment.partition(";")[0] for segment in _SLASHES.split(path)})


def find_limitations(policy: SitePolicy, resolution: Resolution) -> tuple[str, ...]:
    """Return the limitations of a policy, one sentence each.

    Cost: O(crawlers, and pages times targets).
    """
    return (*_crawler_limitations(policy, resolution), *_page_limitations(policy, resolution))


def _crawler_limitations(policy: SitePolicy, resolution: Resolution) -> Iterator[str]:
    restricted = [crawler for crawler in resolution.crawlers if _is_restricted(crawler)]
    silent = _names(crawler for crawler in restricted if not crawler.product_names and crawler.is_known)
    if silent:
        yield f"tokens that never send requests, so that server rules do not apply to them: {silent}"
    disobedient = [crawler for crawler in restricted if crawler.obeys in {"no", "might-ignore"}]
    for kind, source in _SOURCES:
        names = _names(crawler for crawler in disobedient if crawler.source_kind == kind and crawler.product_names)
        if names:
            yield f"crawlers that might ignore robots.txt, according to {source}: {names}"
    if any(_is_restricted(crawler) for crawler in resolution.crawlers_for(policy.everyone)):
        unaddressed = _names(crawler for crawler in resolution.crawlers if crawler.intent is None)
        if unaddressed:
            yield f"crawlers that ignore '*', unaffected unless include_star_ignorers = true: {unaddressed}"
        yield (
            "servers cannot distinguish unregistered crawlers from browsers, so server rules apply only to registered "
            "and named crawlers"
        )
    unknown = _names(crawler for crawler in restricted if not crawler.is_known and crawler.product_names)
    if unknown:
        yield f"crawlers that are not in the registry, and are matched by name only: {unknown}"
    shared = _names(crawler for crawler in restricted if not crawler.is_known and is_other_client(crawler.name))
    if shared:
        yield (
            "names that other programs send, too, or without three letters in a row, which server rules find only at "
            f"the start of a header, and Mozilla and Opera never: {shared}"
        )


def _page_limitations(policy: SitePolicy, resolution: Resolution) -> Iterator[str]:
    targets = sample_targets(policy)
    for page in policy.pages:
        own = next((crawler.intent for crawler in resolution.crawlers if crawler.name == page.crawler), None)
        intent = own or policy.everyone
        matching = [target for target in targets if page.matches(target)]
        if matching and not any(intent.allows_many(matching)):
            yield (
                f"X-Robots-Tag {page.value!r} on {', '.join(page.patterns)} is never read, because {intent.audience} "
                "disallows these pages"
            )


def _is_restricted(crawler: CrawlerIntent) -> bool:
    intent = crawler.intent
    return intent is not None and (not intent.fetch or any(not rule.allow for rule in intent.rules))


def _names(crawlers: Iterable[CrawlerIntent]) -> str:
    return ", ".join(crawler.name for crawler in crawlers)
