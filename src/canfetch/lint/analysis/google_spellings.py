"""Rules that Google's parser compares in another spelling than RFC 9309.

RFC 9309 treats `%7E` and `~` as equal, and `{` and `%7B`. Google's parser does not, so two rules that are the same for
RFC 9309 may both have an effect for Google.
"""

from itertools import chain

from canfetch.core.escapes import PLAIN, canonical, google_escape
from canfetch.lint.analysis.canonical_rules import CanonicalRule, canonical_rules, google_form
from canfetch.lint.analysis.pattern_covers import pattern_covers
from canfetch.lint.analysis.rule_overlaps import RulesByHead
from canfetch.lint.linted_file import LintedFile


class GoogleSpellings:
    """The rules of a file that Google's parser compares in another spelling.

    Args: file: The file.
    """

    def __init__(self, file: LintedFile) -> None:
        # Most forms are the value itself.
        others = (one for one in chain.from_iterable(canonical_rules(file)) if one.form is not one.rule.value)
        rules = [one for one in others if differs_for_google(one.rule.value)]
        self._lines = frozenset(one.rule.line for one in rules)
        self._by_kind = [RulesByHead([one for one in rules if one.rule.allow is allow]) for allow in (False, True)]

    def overlap(self, one: CanonicalRule) -> bool:
        """Return whether a rule has such a spelling, or may match a URL that a rule with such a spelling matches."""
        return bool(self._lines) and any(rules.has_overlapping(one) for rules in self._by_kind)

    def keep_covered(self, covering: CanonicalRule, one: CanonicalRule, opposing: RulesByHead) -> bool:
        """Return whether it is plain that a rule that another one covers has no effect for Google's parser, either.

        Args:
            covering: The rule that covers the other one for RFC 9309. No opposing rule wins over it alone.
            one: The other rule.
            opposing: The opposing rules.
        """
        if not self._lines:
            return True
        if self._by_kind[not one.rule.allow].has_overlapping(one):
            return False
        if self._lines.isdisjoint((covering.rule.line, one.rule.line)):
            return True
        # For Google's parser, these rules have other lengths.
        covers = pattern_covers(google_form(covering.rule.value), google_form(one.rule.value))
        return covers and not opposing.has_overlapping(one)


def google_spellings(file: LintedFile) -> GoogleSpellings:
    """Return the rules of a file that Google's parser compares in another spelling, which all checks share.

    Cost: O(bytes of rules) at the first call.
    """
    return file.compute_once(GoogleSpellings)


def differs_for_google(value: bytes) -> bool:
    """Return whether Google's parser compares a pattern in another spelling than RFC 9309.

    Cost: O(bytes of the value), in C for most values.
    """
    return bool(value.translate(None, PLAIN)) and google_escape(value) != canonical(value)
