"""Rules that block a crawler from the whole site, or from almost all of it."""

from itertools import chain, islice
from typing import Final, NamedTuple

from canfetch.lint.analysis.rule_coverage import canonical_form
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedRule

_ROBOTS_PATH: Final = b"/robots.txt"
# Everything contains a slash.
_WHOLE: Final = (b"/", b"*/")
# With more exceptions, the author probably knows what is open.
_MAX_EXCEPTIONS: Final = 5
_WELL_KNOWN: Final = b"/.well-known/"


class NearSiteBlock(NamedTuple):
    """The rule that blocks almost the whole site, and the allow rules for single URLs."""

    rule: LintedRule
    exceptions: tuple[LintedRule, ...]


class _GroupBlock(NamedTuple):
    """The first rule of a group that blocks the whole site, and the first allow rules of the group."""

    rule: LintedRule | None
    exceptions: tuple[LintedRule, ...]


def find_site_block(file: LintedFile, token: str) -> LintedRule | None:
    """Return the rule that blocks a product token from the whole site, or None.

    An allow rule in the same groups means that the site is not blocked. One for `/robots.txt` does not count, because
    that file is always allowed.

    Cost: O(its groups), and O(rules of the file) at the first call.
    """
    rule, exceptions = _blocking_rule(file, token)
    return None if exceptions else rule


def find_near_site_block(file: LintedFile, token: str) -> NearSiteBlock | None:
    """Return the rule that blocks a product token from the whole site except a few single URLs, or None.

    Cost: O(its groups), and O(rules of the file) at the first call.
    """
    rule, exceptions = _blocking_rule(file, token)
    if rule is None:
        return None
    is_near = 0 < len(exceptions) <= _MAX_EXCEPTIONS and all(_is_single_url(one.value) for one in exceptions)
    return NearSiteBlock(rule, exceptions) if is_near else None


def is_closed(file: LintedFile, token: str) -> bool:
    """Return whether a product token is blocked from the whole site, or from all but a few single URLs.

    Cost: O(its groups), and O(rules of the file) at the first call.
    """
    return find_site_block(file, token) is not None or find_near_site_block(file, token) is not None


def _blocking_rule(file: LintedFile, token: str) -> _GroupBlock:
    by_group = file.compute_once(_group_blocks)
    blocks = [by_group[group.index] for group in file.groups_named(token)]
    rule = next((block.rule for block in blocks if block.rule is not None), None)
    exceptions = chain.from_iterable(block.exceptions for block in blocks)
    return _GroupBlock(rule, tuple(islice(exceptions, _MAX_EXCEPTIONS + 1)))


def _group_blocks(file: LintedFile) -> list[_GroupBlock]:
    return [_group_block(group) for group in file.groups]


def _group_block(group: LintedGroup) -> _GroupBlock:
    rules = [rule for rule in group.rules if rule.specificity]
    exceptions = (rule for rule in rules if rule.allow and rule.value != _ROBOTS_PATH)
    block = next((rule for rule in rules if not rule.allow and _matches_every_path(rule.value)), None)
    return _GroupBlock(block, tuple(islice(exceptions, _MAX_EXCEPTIONS + 1)))


def _matches_every_path(value: bytes) -> bool:
    # The form of a value with other bytes has other bytes, too.
    return not value.strip(b"*/$") and canonical_form(value) in _WHOLE


def _is_single_url(pattern: bytes) -> bool:
    """Return whether a pattern matches one file, such as `/ads.txt`, or one URL, such as `/$` for the home page."""
    path = pattern.removesuffix(b"$")
    if b"*" in path:
        return False
    return path != pattern or b"." in path.rpartition(b"/")[2] or path.startswith(_WELL_KNOWN)
