"""Whether a site is closed to a crawler as a whole."""

from typing import Final

from canfetch.lint.analysis.rule_coverage import canonical_form
from canfetch.lint.linted_file import LintedFile, LintedRule

_ITSELF: Final = b"/robots.txt"


def find_site_block(file: LintedFile, token: str) -> LintedRule | None:
    """Give the rule that bars a product token of the file from everything, or None.

    Where a rule of the same groups allows anything but robots.txt, which always is, the site is not closed as a whole.

    Cost: O(rules of its groups).
    """
    rules = [rule for group in file.groups_named(token) for rule in group.rules if rule.specificity]
    if any(rule.allow and rule.value != _ITSELF for rule in rules):
        return None
    return next((rule for rule in rules if canonical_form(rule.value) == b"/"), None)
