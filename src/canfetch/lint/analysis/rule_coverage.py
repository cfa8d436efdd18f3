"""Rules that are redundant because another rule of their group already has their effect.

1. A rule that another one covers has no effect unless an opposing rule overrides only the other one. Groups with a
   product token in common are merged, so an opposing rule in any of them counts.
2. Most rules have no opposing rule of such a length. The others are compared exactly, within a limit of work.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Final, NamedTuple

from canfetch.core.escapes import has_reserved_data
from canfetch.lint.analysis.canonical_rules import CanonicalRule, canonical_rules
from canfetch.lint.analysis.exact_redundancy import ExactRedundancy
from canfetch.lint.analysis.google_spellings import google_spellings
from canfetch.lint.analysis.merged_rules import merged_rules
from canfetch.lint.analysis.pattern_covers import Covered, covered_among
from canfetch.lint.analysis.repeated_rules import by_google_form
from canfetch.lint.analysis.rule_overlaps import RulesByHead
from canfetch.lint.linted_file import LintedFile, LintedRule

# The limit of all exact comparisons of a file, and of one of them, in objects of about a microsecond.
_OBJECTS: Final = 20_000
_OBJECTS_OF_COMPARISON: Final = 2_000
_new_tuple: Final = tuple.__new__


class CoveredRule(NamedTuple):
    """A redundant rule, the rule that covers it, and all rules with the same form, including the redundant one."""

    rule: LintedRule
    covering: LintedRule
    equal: tuple[LintedRule, ...]


def covered_rules(file: LintedFile) -> Iterable[CoveredRule]:
    """Return each rule that another rule of the same kind and group covers.

    Cost: O(bytes of rules · log rules), and within limits, a search for each wildcard and exact comparisons, when the
        rules are first reached.
    """
    return file.compute_once(_CoveredRules)


class _CoveredRules:
    """The redundant rules of a file, each found when it is first reached, because a report shows only some of many."""

    def __init__(self, file: LintedFile) -> None:
        self._found: list[CoveredRule] = []
        self._others = _iter_covered(file)

    def __iter__(self) -> Iterator[CoveredRule]:
        for place in count():
            if place == len(self._found):
                following = next(self._others, None)
                if following is None:
                    return
                self._found.append(following)
            yield self._found[place]


def _iter_covered(file: LintedFile) -> Iterator[CoveredRule]:
    by_group = canonical_rules(file)
    if all(len(rules) < 2 for rules in by_group):
        return
    merged, spellings = merged_rules(file), google_spellings(file)
    exact = ExactRedundancy(file, _OBJECTS, _OBJECTS_OF_COMPARISON)
    # The lines of rules that are redundant only together with those before them: nothing is plain because of one.
    compared: set[int] = set()
    for index, rules in enumerate(by_group):
        if len(rules) < 2 or index in merged.split_by_google:
            continue
        for allow in (True, False):
            opposing: RulesByHead | None = None
            for covering, covered in _covered_alike([one for one in rules if one.rule.allow is allow]):
                opposing = merged.of(index, allow=not allow) if opposing is None else opposing
                one = covered[0]
                equal = tuple([each.rule for each in covered])
                # With and without superfluous stars.
                low = min(covering.rule.specificity, len(covering.form))
                high = max([len(one.form) + 1, *[rule.specificity for rule in equal]])
                is_plain = (
                    covering.rule.line not in compared
                    and not opposing.is_between(one, low, high)
                    and covers_encoded(covering.form, one.form)
                    and spellings.keep_covered(covering, one, opposing)
                )
                if is_plain:
                    exact.leave_out(equal)
                elif merged.rules_of_google or _is_overridden(one, equal, opposing):
                    continue
                elif exact.are_redundant(one, equal, low):
                    compared.update(rule.line for rule in equal)
                else:
                    continue
                yield _new_tuple(CoveredRule, (one.rule, covering.rule, equal))


def _is_overridden(one: CanonicalRule, equal: Sequence[LintedRule], opposing: RulesByHead) -> bool:
    """Return whether one opposing rule wins for each URL: then the rules contradict it, and need no covering rule."""
    longest = max([rule.specificity for rule in equal])
    return any(
        other.rule.specificity > longest or (other.rule.allow and other.rule.specificity == longest)
        for other in opposing.covering(one)
    )


def _covered_alike(rules: Sequence[CanonicalRule]) -> Iterator[Covered]:
    """Yield the rules that another one covers. Rules in different spellings for Google's parser are yielded apart."""
    for covering, covered in covered_among(rules):
        for equal in by_google_form(covered) if len(covered) > 1 else (covered,):
            yield _new_tuple(Covered, (covering, equal))


def covers_encoded(covering: bytes, form: bytes) -> bool:
    """Return whether it is plain that a form also covers another one if a URL encodes characters in its query."""
    if b"?" not in form or not has_reserved_data(form):
        return True
    # An incomplete escape is not the same in both.
    return form.startswith(covering) and b"%" not in covering[-2:]
