"""Rules that block a crawler from the whole site."""

from typing import Final

from canfetch.lint.analysis.rule_coverage import canonical_form
from canfetch.lint.linted_file import LintedFile, LintedRule

_ROBOTS_PATH: Final = b"/robots.txt"


def find_site_block(file: LintedFile, token: str) -> LintedRule | None:
    """Return the rule that blocks a product token from the whole site, or None.

    An allow rule in the same groups means that the site is not blocked. One for `/robots.txt` does not count, because
    that file is always allowed.

    Cost: O(rules of its groups).
    """
    rules = [rule for group in file.groups_named(token) for rule in group.rules if rule.specificity]
    if any(rule.allow and rule.value != _ROBOTS_PATH for rule in rules):
        return None
    return next((rule for rule in rules if canonical_form(rule.value) == b"/"), None)
