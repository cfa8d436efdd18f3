"""Rules of one group that match the same URLs, and which of these rules has to stay."""

from collections.abc import Iterable, Iterator
from operator import attrgetter

from canfetch.lint.analysis.canonical_rules import CanonicalRule, canonical_rules, google_form
from canfetch.lint.analysis.merged_rules import merged_rules
from canfetch.lint.linted_file import LintedFile, LintedRule


def repeated_rules(file: LintedFile) -> Iterable[tuple[LintedRule, LintedRule]]:
    """Return each rule that matches the same URLs as another one of its kind and group, and the rule that remains.

    Two spellings that only Google's parser distinguishes, such as `/~a` and `/%7Ea`, do not match the same URLs.

    Without the repeated rules, every URL has the same verdict. The rule that remains is the first one. If the rules
    have different lengths, and an opposing rule may win over the shorter ones only, the first of the longest remains.

    Cost: O(rules) at the first call.
    """
    return file.compute_once(_repeated_rules)


def _repeated_rules(file: LintedFile) -> list[tuple[LintedRule, LintedRule]]:
    return [pair for rules in canonical_rules(file) for pair in _repeated_in(file, rules)]


def _repeated_in(file: LintedFile, rules: list[CanonicalRule]) -> Iterator[tuple[LintedRule, LintedRule]]:
    if len({(one.rule.allow, one.form) for one in rules}) == len(rules):
        return
    same_form: dict[tuple[bool, bytes], list[CanonicalRule]] = {}
    for one in rules:
        same_form.setdefault((one.rule.allow, one.form), []).append(one)
    repeated: dict[int, LintedRule] = {}
    for ones in same_form.values():
        for equal in by_google_form(ones) if len(ones) > 1 else ():
            stays = _staying(file, equal)
            repeated.update((one.rule.line, stays) for one in equal if one.rule is not stays)
    for one in rules:
        if one.rule.line in repeated:
            yield one.rule, repeated[one.rule.line]


def by_google_form(rules: Iterable[CanonicalRule]) -> Iterable[list[CanonicalRule]]:
    """Return the rules that Google's parser compares in the same form, for each form in file order."""
    found: dict[bytes, list[CanonicalRule]] = {}
    for one in rules:
        found.setdefault(google_form(one.rule.value), []).append(one)
    return found.values()


def _staying(file: LintedFile, equal: list[CanonicalRule]) -> LintedRule:
    """Return the rule that stays, of rules with the same form."""
    first = equal[0]
    lengths = {one.rule.specificity for one in equal}
    if len(lengths) > 1:
        opposing = merged_rules(file).of(first.rule.group, allow=not first.rule.allow)
        # One more: a disallow rule as long as the longest one wins over the others.
        if opposing.is_between(first, min(lengths), max(lengths) + 1):
            return max((one.rule for one in equal), key=attrgetter("specificity"))
    return first.rule
