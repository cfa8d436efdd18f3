"""Whether the file says what was meant: it is read back, and every crawler is asked about every target.

What is wanted comes from the policy itself, by regular expressions of its own; what is got comes from the rendered
octets, by every profile on every engine that is here. The two share no code but the canonical form of patterns.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, NoReturn

from canfetch.author.limitations import find_limitations
from canfetch.author.policy_compiler import compile_policy
from canfetch.author.resolution import CrawlerIntent, Resolution, resolve
from canfetch.author.sample_targets import sample_targets
from canfetch.author.site_policy import Intent, SitePolicy
from canfetch.core.abnf import is_product_token
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.engines import native_module
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.profiles import PROFILES

PROOF_SCHEMA: Final = "canfetch.proof/2"
# Whose readings crawlers of today have; the others are those of history, and of Python's robotparser.
CURRENT_PROFILES: Final = ("rfc9309", "strict", "google2019", "google", "googlebot", "bing", "yandex")

_NAME_CUT: Final = "this reading takes letters, '-' and '_' alone for a name"
_OTHER_GROUP: Final = "this reading looks for names within names, and comes to another group"
_NO_ALLOW: Final = "this reading knows no Allow"
_NO_SIGNS: Final = "this reading knows neither '*' nor '$'"
_INDEX_PAGE: Final = "this reading takes an Allow of index.html for one of its folder, too"
_OTHER_ORDER: Final = "this reading lets another rule decide"


class IntentProof(NamedTuple):
    """One intent on one profile: by how many crawlers, about how many targets, how many verdicts were as wanted."""

    intent: Intent
    profile: str
    engines: tuple[str, ...]
    crawlers: int
    targets: int
    checked: int
    met: int

    @property
    def is_met(self) -> bool:
        """Whether all were as wanted."""
        return self.checked == self.met


class Shortfall(NamedTuple):
    """What is not as wanted: whose intent, on which profile, for which crawlers, asked about what.

    `asked` is a target, or a word for a record beyond rules. `binds` says whether that is a fault: on a profile
    of today, unless the crawlers' own names are beyond its grammar.
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
        """Whether it is a fault."""
        return self.profile in CURRENT_PROFILES and self.reason != _NAME_CUT

    def __str__(self) -> str:
        whom = ", ".join(self.crawlers)
        return f"{self.profile}: {whom}: {self.subject}: expected {self.expected}, got {self.actual}: {self.reason}"

    def to_json(self) -> dict[str, Any]:
        """Give it in plain values."""
        return {
            **self._asdict(),
            "intent": str(self.intent.audience),
            "crawlers": [*self.crawlers],
            "is_fault": self.is_fault,
        }


class Proof(NamedTuple):
    """What came of asking: every intent on every profile, what is not as wanted, and what no file can do.

    Ask `.holds`: the proof itself has no truth value.
    """

    robots_txt: bytes
    intents: tuple[IntentProof, ...]
    shortfalls: tuple[Shortfall, ...]
    limitations: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every intent is met on every profile of today."""
        return not any(shortfall.is_fault for shortfall in self.shortfalls)

    def __bool__(self) -> NoReturn:
        raise TypeError("a Proof is neither true nor false; ask its .holds")

    def to_json(self) -> dict[str, Any]:
        """Give the proof in plain values."""
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
    """Render a policy, read it back, and ask every crawler on every profile whether it is as wanted.

    Args: policy: from `parse_policy`.
    Raises: InvalidDraft: a line of it cannot be written.
    Cost: O(crawlers, times targets, times profiles).
    """
    resolution = resolve(policy)
    octets = compile_policy(policy, resolution).render()
    asking = _Asking(policy, resolution, octets)
    rows = tuple(asking.about(intent, profile) for intent, _ in resolution.groups for profile in PROFILES)
    asking.beyond_rules()
    return Proof(octets, rows, asking.shortfalls, find_limitations(policy, resolution))


class _Asking:
    def __init__(self, policy: SitePolicy, resolution: Resolution, octets: bytes) -> None:
        self._policy = policy
        self._resolution = resolution
        self._octets = octets
        self._targets = sample_targets(policy)
        self._found: dict[tuple[str, str, str, str, str, str], tuple[Intent, dict[str, None]]] = {}

    @property
    def shortfalls(self) -> tuple[Shortfall, ...]:
        return tuple(
            Shortfall(intent, profile, tuple(crawlers), asked, wanted, got, why)
            for (_, profile, asked, wanted, got, why), (intent, crawlers) in self._found.items()
        )

    def about(self, intent: Intent, profile: str) -> IntentProof:
        wanted = [intent.allows(target) for target in self._targets]
        meant = self._resolution.crawlers_for(intent)
        engines = tuple(_engines(profile))
        met = 0
        for engine in engines:
            robots = parse(self._octets, profile=profile, engine=engine)
            for crawler in meant:
                got = robots.rules_for(crawler.agent).allows_many(list(self._targets))
                for target, want, is_allowed in zip(self._targets, wanted, got, strict=True):
                    if bool(is_allowed) is want:
                        met += 1
                    else:
                        why = self._why(robots, crawler, intent, target)
                        self._add(intent, profile, crawler, (target, _word(want), _word(not want), why))
        asked = len(engines) * len(meant) * len(self._targets)
        return IntentProof(intent, profile, engines, len(meant), len(self._targets), asked, met)

    def beyond_rules(self) -> None:
        """Ask about delays, uses, licenses and sitemaps, where every profile reads the same."""
        robots = parse(self._octets)
        for intent, _ in self._resolution.groups:
            fetched = next((target for target in self._targets if intent.allows(target)), None)
            for crawler in self._resolution.crawlers_for(intent):
                for asked, wanted, got in self._said(robots, intent, crawler, fetched):
                    if wanted != got:
                        self._add(intent, "rfc9309", crawler, (asked, wanted, got, "the record is not read back"))
        if robots.sitemaps != self._policy.sitemaps:
            pair = (str(self._policy.sitemaps), str(robots.sitemaps))
            everyone = self._resolution.crawlers_for(self._policy.everyone)[0]
            self._add(self._policy.everyone, "rfc9309", everyone, ("sitemap", *pair, "the record is not read back"))

    def _said(
        self, robots: RobotsTxt, intent: Intent, crawler: CrawlerIntent, fetched: str | None
    ) -> Iterator[tuple[str, str, str]]:
        urls = [record.parsed.url for record in robots.licenses(agent=crawler.agent)]
        yield "license", str([*(intent.licenses or self._policy.licenses)]), str(urls)
        if fetched is None:
            return
        delay = robots.crawl_delay(agent=crawler.agent)
        wanted = intent.crawl_delay
        yield "crawl-delay", str(None if wanted is None else float(wanted)), str(delay)
        for use in UsagePurpose:
            said = (intent.usage or {}).get(use)
            want = Preference.UNKNOWN if said is None else Preference.ALLOW if said else Preference.DISALLOW
            yield f"usage {use}", want, robots.usage(fetched, agent=crawler.agent, purpose=use).preference

    def _why(self, robots: RobotsTxt, crawler: CrawlerIntent, intent: Intent, target: str) -> str:
        flags = PROFILES[robots.profile]
        grammar_only = flags.abnf_only or flags.token_letters_only
        if grammar_only and not all(is_product_token(token) for token in crawler.agent.encoded_tokens):
            return _NAME_CUT
        tokens = next((tokens for whose, tokens in self._resolution.groups if whose is intent), ())
        chosen = robots.decide(target, agent=crawler.agent).group.token
        if chosen is not None and chosen.lower() not in {token.lower() for token in tokens}:
            return _OTHER_GROUP
        without_signs = flags.literal_paths or (flags.robotparser and not flags.robotparser_rewritten)
        if without_signs and any(set("*$") & set(rule.pattern) for rule in intent.rules):
            return _NO_SIGNS
        if flags.allow_is_unknown:
            return _NO_ALLOW
        indexes = any(rule.allow and "/index.htm" in rule.pattern for rule in intent.rules)
        return _INDEX_PAGE if flags.index_html and indexes and target.endswith("/") else _OTHER_ORDER

    def _add(self, intent: Intent, profile: str, crawler: CrawlerIntent, what: tuple[str, str, str, str]) -> None:
        key = (str(intent.audience), profile, *what)
        self._found.setdefault(key, (intent, {}))[1][crawler.name] = None


def _engines(profile: str) -> Iterator[str]:
    yield "python"
    if native_module() is not None and not PROFILES[profile].robotparser:
        yield "native"


def _word(allowed: bool) -> str:  # noqa: FBT001 - a verdict, in words
    return "allowed" if allowed else "disallowed"
