"""Rules that block a crawler from the whole site, or from almost all of it."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.lint.analysis.rule_coverage import canonical_form
from canfetch.lint.linted_file import LintedFile, LintedRule

_ROBOTS_PATH: Final = b"/robots.txt"
# Everything contains a slash.
_WHOLE: Final = (b"/", b"*/")
# With more exceptions, the author probably knows what is open.
_MAX_EXCEPTIONS: Final = 5
_WELL_KNOWN: Final = b"/.well-known/"


class NearSiteBlock(NamedTuple):
    """The rule that blocks almost the whole site, and the allow rules for single files."""

    rule: LintedRule
    exceptions: tuple[LintedRule, ...]


def find_site_block(file: LintedFile, token: str) -> LintedRule | None:
    """Return the rule that blocks a product token from the whole site, or None.

    An allow rule in the same groups means that the site is not blocked. One for `/robots.txt` does not count, because
    that file is always allowed.

    Cost: O(rules of its groups).
    """
    rule, exceptions = _blocking_rule(file, token)
    return rule if next(exceptions, None) is None else None


def find_near_site_block(file: LintedFile, token: str) -> NearSiteBlock | None:
    """Return the rule that blocks a product token from the whole site except a few single files, or None.

    Cost: O(rules of its groups).
    """
    rule, found = _blocking_rule(file, token)
    if rule is None:
        return None
    exceptions = tuple(found)
    is_near = 0 < len(exceptions) <= _MAX_EXCEPTIONS and all(_is_single_file(one.value) for one in exceptions)
    return NearSiteBlock(rule, exceptions) if is_near else None


def _blocking_rule(file: LintedFile, token: str) -> tuple[LintedRule | None, Iterator[LintedRule]]:
    rules = [rule for group in file.groups_named(token) for rule in group.rules if rule.specificity]
    exceptions = (rule for rule in rules if rule.allow and rule.value != _ROBOTS_PATH)
    block = next((rule for rule in rules if not rule.allow and canonical_form(rule.value) in _WHOLE), None)
    return block, exceptions


def _is_single_file(pattern: bytes) -> bool:
    """Return whether a pattern matches one file, such as `/ads.txt`."""
    path = pattern.removesuffix(b"$")
    if b"*" in path:
        return False
    return b"." in path.rpartition(b"/")[2] or path.startswith(_WELL_KNOWN)
