"""Definitions of blocked, as in studies: named and versioned functions of a file and an agent.

After a release, a name never changes its meaning. A correction of a definition gets a new version, such as `/2`.
"""

from collections.abc import Callable, Collection
from functools import cached_property
from typing import Final, NamedTuple

from canfetch.agents.requested import requested_agent
from canfetch.bulk.studies.rulesets import (
    Ruleset,
    common_crawl_rulesets,
    consent_rulesets,
    published_consent_rulesets,
)
from canfetch.compare import CoverageKind, coverage
from canfetch.core.choices import unknown_choice
from canfetch.core.document import RobotsTxt, parse
from canfetch.errors import InvalidOption, InvalidURL, Undecided

_STAR: Final = "*"
_ROOT: Final = "/"
# The paper tests this path, so that a file that allows only `/$` is not taken for one that allows everything.
_PROBE: Final = "/dummy-testing-path-54321"
_MAX_PATHS: Final = 5_000
_EMPTY: Final = Ruleset((), ())
_EXACT: Final = {
    CoverageKind.NONE: "disallow-all",
    CoverageKind.SOME: "allow-part",
    CoverageKind.ALL: "allow-all",
}
_UNDECIDED: Final = "undecided"
_DISALLOW_ALL: Final = Ruleset((), (_ROOT,))
# The rulesets that the notebook of Common Crawl takes for permission of everything. Others, such as both rules of one
# of these, or any other allow rule alone, are `allow-part`.
_ALLOW_ALL: Final = frozenset([*(Ruleset((value,), ()) for value in (_ROOT, _STAR, "/*", "")), Ruleset((), ("",))])


class StudiedFile:
    """A file, and what several definitions need of it, each computed once.

    Args: content: The file.
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        # Most agents have the same groups, so that these answers are computed once for each selection of groups.
        self._by_groups: dict[tuple[Callable[..., str], tuple[int, ...]], str] = {}

    def once_for_groups(
        self, judge: Callable[[RobotsTxt, str, "StudiedFile"], str], robots: RobotsTxt, token: str
    ) -> str:
        """Return the answer of a function that depends only on the groups for an agent."""
        key = judge, tuple(robots.rules_for(token).group_indices)
        answer = self._by_groups.get(key)
        if answer is None:
            answer = self._by_groups[key] = judge(robots, token, self)
        return answer

    @cached_property
    def robots(self) -> RobotsTxt:
        """The file as RFC 9309 defines."""
        return parse(self.content)

    @cached_property
    def tokens(self) -> frozenset[str]:
        """The product tokens of all groups, in lower case."""
        return frozenset(token.lower() for group in self.robots.groups for token in group.tokens)

    @cached_property
    def google(self) -> RobotsTxt:
        """The file as Google's parser reads it."""
        return parse(self.content, profile="google")

    @cached_property
    def google_tokens(self) -> frozenset[str]:
        """The product tokens of all groups as Google's parser reads them, in lower case."""
        return frozenset(token.lower() for group in self.google.groups for token in group.tokens)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The values of all rules as paths that IMC 2025 tests, without a `$` at their end, and its probe."""
        values = dict.fromkeys(rule.pattern for group in self.google.groups for rule in group.rules)
        texts = [value.decode("utf-8", "replace").removesuffix("$") for value in values]
        return (*[text for text in texts if text.startswith(_ROOT) and text != _ROOT][:_MAX_PATHS], _PROBE)

    @cached_property
    def consent_rulesets(self) -> dict[str, Ruleset]:
        """The rules of each user agent in groups of RFC 9309."""
        return consent_rulesets(self.content.decode("utf-8", "replace").removeprefix("\ufeff"))

    @cached_property
    def published_consent_rulesets(self) -> dict[str, Ruleset]:
        """The rules of each user agent, as the parser of Consent in Crisis finds them in UTF-8."""
        return published_consent_rulesets(self.content.decode("utf-8", "replace"))

    @cached_property
    def common_crawl_rulesets(self) -> dict[str, Ruleset]:
        """The rules of each user agent that has rules, as Common Crawl's script with its lists corrected finds them."""
        return common_crawl_rulesets(self.content, published=False)

    @cached_property
    def common_crawl_rulesets_of_lines(self) -> dict[str, Ruleset]:
        """The same, but with lines that end at a carriage return as well."""
        return common_crawl_rulesets(self.content, published=False, ends_at_carriage_returns=True)

    @cached_property
    def published_common_crawl_rulesets(self) -> dict[str, Ruleset]:
        """The rules of each user agent that has rules, as Common Crawl's script finds them."""
        return common_crawl_rulesets(self.content, published=True)


class Definition(NamedTuple):
    """A definition.

    Attributes:
        name: Its name and version.
        classes: The classes of files, strictest first.
        summary: What it means.
        source: Where it is published.
        classify: Returns the class of a file for a product token.
        classify_all: Returns the class of a file for all user agents together, if the source has such a class.
    """

    name: str
    classes: tuple[str, ...]
    summary: str
    source: str
    classify: Callable[[StudiedFile, str], str]
    classify_all: Callable[[StudiedFile], str] | None = None

    def strictest(self, labels: Collection[str]) -> str:
        """Return the strictest of some classes: that of a file in which any of several agents has them.

        An undecided one could be the strictest, so that it counts unless another one is.
        """
        if _UNDECIDED in labels and self.classes[0] not in labels:
            return _UNDECIDED
        return min(labels, key=self.classes.index)


def _exact(file: StudiedFile, token: str) -> str:
    return file.once_for_groups(_coverage, file.robots, token)


def _coverage(robots: RobotsTxt, token: str, _: StudiedFile) -> str:
    try:
        return _EXACT[coverage(robots, agent=token).kind]
    except Undecided:
        return _UNDECIDED


def _imc_2025(file: StudiedFile, token: str) -> str:
    return file.once_for_groups(_compare_paths, file.google, token)


def _compare_paths(robots: RobotsTxt, token: str, file: StudiedFile) -> str:
    allows = robots.rules_for(token).allows
    root = allows(_ROOT)
    for path in file.paths:
        try:
            if allows(path) is not root:
                return "partially-disallowed"
        except InvalidURL:
            continue
    return "no-restrictions" if root else "fully-disallowed"


def _imc_2025_mention(file: StudiedFile, token: str) -> str:
    return "mentioned" if token.lower() in file.google_tokens else "not-mentioned"


def _imc_2025_allow(file: StudiedFile, token: str) -> str:
    is_explicit = token.lower() in file.google_tokens and _imc_2025(file, token) == "no-restrictions"
    return "explicitly-allowed" if is_explicit else "other"


def _imc_2025_named(file: StudiedFile, token: str) -> str:
    return "mentioned" if token.lower() in file.tokens else "not-mentioned"


def _imc_2025_named_allow(file: StudiedFile, token: str) -> str:
    is_explicit = token.lower() in file.tokens and _imc_2025(file, token) == "no-restrictions"
    return "explicitly-allowed" if is_explicit else "other"


def _judge_consent(rulesets: dict[str, Ruleset], token: str) -> str:
    rules = rulesets.get(token.lower())
    if rules is None:
        rules = rulesets.get(_STAR, _EMPTY)
    # The paper leaves out rules for queries.
    disallow = [value for value in rules.disallow if "?" not in value]
    allow = [value for value in rules.allow if "?" not in value]
    if not disallow or disallow in ([""], allow):
        return "none"
    return "all" if _ROOT in disallow and not allow else "some"


def _judge_consent_for_all(rulesets: dict[str, Ruleset]) -> str:
    """Return what is blocked for `*` and all user agents that a file names: all only if it is for each of them."""
    labels = {_judge_consent(rulesets, agent) for agent in (_STAR, *rulesets)}
    return labels.pop() if len(labels) == 1 else "some"


def _consent(file: StudiedFile, token: str) -> str:
    return _judge_consent(file.consent_rulesets, token)


def _consent_for_all(file: StudiedFile) -> str:
    return _judge_consent_for_all(file.consent_rulesets)


def _published_consent(file: StudiedFile, token: str) -> str:
    return _judge_consent(file.published_consent_rulesets, token)


def _published_consent_for_all(file: StudiedFile) -> str:
    return _judge_consent_for_all(file.published_consent_rulesets)


def _judge_common_crawl(rulesets: dict[str, Ruleset], token: str) -> str:
    rules = rulesets.get(token.lower())
    if rules is None:
        return "no-ruleset"
    if rules == _DISALLOW_ALL:
        return "disallow-all"
    return "allow-all" if rules in _ALLOW_ALL else "allow-part"


def _common_crawl(file: StudiedFile, token: str) -> str:
    return _judge_common_crawl(file.common_crawl_rulesets, token)


def _common_crawl_lines(file: StudiedFile, token: str) -> str:
    return _judge_common_crawl(file.common_crawl_rulesets_of_lines, token)


def _published_common_crawl(file: StudiedFile, token: str) -> str:
    return _judge_common_crawl(file.published_common_crawl_rulesets, token)


_IMC: Final = "Liu et al., Somesite I Used To Crawl, IMC 2025; ucsdsysnet/ai-crawler-imc-25"
_CONSENT: Final = "Longpre et al., Consent in Crisis, 2024; Data-Provenance-Initiative/Data-Provenance-Collection"
_COMMON_CRAWL: Final = "Common Crawl, IIPC 2025; commoncrawl/robotstxt-experiments"
_CONSENT_CLASSES: Final = ("all", "some", "none")
_COMMON_CRAWL_CLASSES: Final = ("disallow-all", "allow-part", "allow-all", "no-ruleset")

DEFINITIONS: Final = {
    definition.name: definition
    for definition in (
        Definition(
            "exact/1",
            (*_EXACT.values(), _UNDECIDED),
            "Whether the agent may fetch no URL, some or all, proved for all URLs apart from /robots.txt.",
            "RFC 9309",
            _exact,
        ),
        Definition(
            "imc-2025/1",
            ("fully-disallowed", "partially-disallowed", "no-restrictions"),
            "Whether Google's parser decides alike about / and about the value of every rule in the file.",
            _IMC,
            _imc_2025,
        ),
        Definition(
            "imc-2025-mention/1",
            ("mentioned", "not-mentioned"),
            "Whether Google's parser finds a group that names the agent.",
            _IMC,
            _imc_2025_mention,
        ),
        Definition(
            "imc-2025-mention/2",
            ("mentioned", "not-mentioned"),
            "Whether a user-agent line names the agent, compared as a whole product token.",
            _IMC,
            _imc_2025_named,
        ),
        Definition(
            "imc-2025-explicit-allow/1",
            ("explicitly-allowed", "other"),
            "Whether Google's parser finds a group that names the agent, and imc-2025/1 finds no restrictions.",
            _IMC,
            _imc_2025_allow,
        ),
        Definition(
            "imc-2025-explicit-allow/2",
            ("explicitly-allowed", "other"),
            "Whether imc-2025-mention/2 finds the agent, and imc-2025/1 finds no restrictions.",
            _IMC,
            _imc_2025_named_allow,
        ),
        Definition(
            "consent-in-crisis/1",
            _CONSENT_CLASSES,
            "What is blocked: all only with Disallow: / and without any allow rule. Groups are those of RFC 9309.",
            _CONSENT,
            _consent,
            _consent_for_all,
        ),
        Definition(
            "consent-in-crisis-published/1",
            _CONSENT_CLASSES,
            "The same with the published parser, which loses rules of groups with several user agents.",
            _CONSENT,
            _published_consent,
            _published_consent_for_all,
        ),
        Definition(
            "common-crawl/1",
            _COMMON_CRAWL_CLASSES,
            "The rules under the agent's own name, by the published classes. All user agents of a group get its rules.",
            _COMMON_CRAWL,
            _common_crawl,
        ),
        Definition(
            "common-crawl/2",
            _COMMON_CRAWL_CLASSES,
            "The same with lines that end at a carriage return, as in RFC 9309.",
            _COMMON_CRAWL,
            _common_crawl_lines,
        ),
        Definition(
            "common-crawl-published/1",
            _COMMON_CRAWL_CLASSES,
            "The same with the published script, which loses rules of groups with several user agents.",
            _COMMON_CRAWL,
            _published_common_crawl,
        ),
    )
}


def classify(content: bytes, *, agent: str, definition: str) -> str:
    """Return the class of a file for a product token.

    Args:
        content: The file.
        agent: The product token, or `*`.
        definition: The name of a definition in `DEFINITIONS`.
    Raises: InvalidOption: No definition has this name. InvalidProductToken: `agent` is not a product token.
    """
    chosen = DEFINITIONS.get(definition)
    if chosen is None:
        raise InvalidOption(unknown_choice("definition", definition, DEFINITIONS))
    return chosen.classify(StudiedFile(content), requested_agent(agent, exact=True).name)
