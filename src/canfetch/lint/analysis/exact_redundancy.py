"""Whether rules are redundant, compared exactly within a limit of work.

The limit counts what is the same in both engines, so that they report the same findings.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from canfetch.compare.limits import PortableBudget
from canfetch.compare.redundancy import RemovableRules
from canfetch.core.agent import Agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.profiles import get_profile
from canfetch.core.verdict import Rule
from canfetch.errors import InvalidProductToken, InvalidURL, Undecided
from canfetch.lint.analysis.canonical_rules import CanonicalRule
from canfetch.lint.analysis.merged_rules import MergedRules
from canfetch.lint.linted_file import LintedFile, LintedRule

# The rules of a file that is compared.
MAX_RULES: Final = 2000
# The limit of all comparisons of a file, and of one of them, in objects of about a microsecond.
_OBJECTS: Final = 20_000
_OBJECTS_OF_COMPARISON: Final = 2_000
# The objects of one verdict, of a name, of one rule, and of one comparison besides those that it counts.
_OBJECTS_OF_VERDICT: Final = 10
_OBJECTS_OF_NAME: Final = 20
_OBJECTS_OF_RULE: Final = 10
_OBJECTS_OF_START: Final = 100
# The bytes of a URL that are compared with wildcards in the time of one object.
_BYTES_OF_OBJECT: Final = 1000
# At most this many opposing rules are considered before a comparison.
_MAX_OPPOSING: Final = 8
# No file names this agent.
_UNNAMED: Final = Agent("~~")
# The groups that a crawler reads together.
_Selection = tuple[int, ...]


class ExactRedundancy:
    """Finds out whether every agent and every URL has the same verdict without some rules.

    Args:
        file: The file.
        merged: Its rules.
    """

    def __init__(self, file: LintedFile, merged: MergedRules) -> None:
        self._file = file
        self._merged = merged
        self._profile = get_profile(file.robots.profile)
        # In larger files, comparisons would find few redundant rules in the time.
        self._objects = _OBJECTS if len(file.rules) <= MAX_RULES else 0
        self._wildcards = sum(b"*" in rule.value for rule in file.rules) if self._objects else 0
        self._selections: dict[int, dict[_Selection, AgentRules]] = {}
        # The lines of redundant rules, without which the next ones are compared.
        self._redundant: set[int] = set()

    def are_redundant(self, one: CanonicalRule, equal: Sequence[LintedRule], low: int) -> bool:
        """Return whether some rules are redundant, together with those for which this was returned before.

        Args:
            one: The first of the rules.
            equal: Rules of one group with the same form.
            low: Another rule that matches the same URLs has at least this specificity.
        Returns: Whether this is proved. If not, it may be undecided.
        """
        if self._objects <= 0:
            return False
        lines = frozenset(rule.line for rule in equal)
        selections = self._selections_of(one.rule.group)
        for url in self._urls(one, low):
            if any(self._are_needed(lines, url, bound) for bound in selections.values()):
                return False
        if not selections or not all(self._are_proved(one, lines, selection) for selection in selections):
            return False
        self._redundant |= lines
        return True

    def _urls(self, one: CanonicalRule, low: int) -> Iterator[str]:
        """Yield a shortest URL that a rule matches, and then URLs that opposing rules also match."""
        yield _url(one.form.translate(None, b"*$"))
        opposing = self._merged.of(one.rule.group, allow=not one.rule.allow).overlapping(one)
        for other in islice(opposing, _MAX_OPPOSING):
            if other.rule.specificity >= low and not (_is_anchored(one) and _is_anchored(other)):
                yield _common_url(one, other)

    def _are_needed(self, lines: frozenset[int], url: str, bound: AgentRules) -> bool:
        """Return whether one of some rules decides about a URL, and an opposing one would decide without them."""
        self._objects -= _OBJECTS_OF_VERDICT + self._wildcards * len(url) // _BYTES_OF_OBJECT
        try:
            verdict = bound.decide(url)
        except InvalidURL:
            return False
        if verdict.rule is None or verdict.rule.line not in lines:
            return False
        left_out = lines | self._redundant
        remaining = (rule for rule in verdict.also_matched if rule.line not in left_out)
        return next((rule.allow is not verdict.allowed for rule in remaining), False)

    def _are_proved(self, one: CanonicalRule, lines: frozenset[int], selection: _Selection) -> bool:
        available = min(self._objects, _OBJECTS_OF_COMPARISON) - _OBJECTS_OF_START
        most = max(available, 0) // _OBJECTS_OF_RULE
        rules = list(islice(self._overlapping(one, selection), most + 1))
        budget = PortableBudget(available - _OBJECTS_OF_RULE * len(rules))
        self._objects -= _OBJECTS_OF_START + _OBJECTS_OF_RULE * len(rules)
        if len(rules) > most:
            return False
        before = budget.objects
        try:
            return RemovableRules(rules, self._profile, budget).are_redundant(lines)
        except Undecided:
            return False
        finally:
            self._objects -= before - max(budget.objects, 0)

    def _overlapping(self, one: CanonicalRule, selection: _Selection) -> Iterator[Rule]:
        """Yield the rules that may decide about URLs that a rule matches."""
        for allow in (True, False):
            for rule, _, _ in self._merged.of(one.rule.group, allow=allow).overlapping(one):
                if rule.group in selection and rule.line not in self._redundant:
                    yield Rule(allow, rule.value, rule.line, rule.specificity)

    def _selections_of(self, group: int) -> dict[_Selection, AgentRules]:
        """Return the groups that crawlers read together with a group, for each of its names, and their rules."""
        found = self._selections.get(group)
        if found is None:
            found = self._selections[group] = {}
            names = self._file.groups[group].names
            self._objects -= _OBJECTS_OF_NAME * len(names)
            for name in names if self._objects > 0 else ():
                try:
                    bound = self._file.robots.rules_for(_UNNAMED if name == "*" else name)
                except InvalidProductToken:
                    continue  # no crawler has this name
                found[tuple(bound.group_indices)] = bound
        return found


def _common_url(one: CanonicalRule, other: CanonicalRule) -> str:
    """Return a URL that two rules match, of which not both end with `$`."""
    head = max(one.head, other.head, key=len)
    segments = [rule.form.removesuffix(b"$").split(b"*")[1:] for rule in sorted((one, other), key=_is_anchored)]
    return _url(b"".join([head, *segments[0], *segments[1]]))


def _is_anchored(rule: CanonicalRule) -> bool:
    return rule.form.endswith(b"$")


def _url(target: bytes) -> str:
    url = target.decode("utf-8", "surrogateescape")
    return url if url.startswith("/") else "/" + url
