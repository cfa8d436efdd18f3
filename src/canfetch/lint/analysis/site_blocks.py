"""Rules that block a crawler from the whole site, or from almost all of it."""

import re
from itertools import chain, islice
from typing import Final, NamedTuple

from canfetch.agents import REGISTRY
from canfetch.lint.analysis.canonical_rules import form_in
from canfetch.lint.analysis.named_engines import follower_of
from canfetch.lint.analysis.rule_values import rules_matching
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedRule

_ROBOTS_PATH: Final = b"/robots.txt"
# Everything contains a slash.
_WHOLE: Final = (b"/", b"*/")
# The form of a value with other bytes has other bytes, too.
_POSSIBLY_WHOLE: Final = re.compile(rb"\n[*/$]+\n")
# With more exceptions, the author probably knows what is open.
_MAX_EXCEPTIONS: Final = 5
_WELL_KNOWN: Final = b"/.well-known/"


class NearSiteBlock(NamedTuple):
    """The rule that blocks almost the whole site, and the allow rules for single URLs."""

    rule: LintedRule
    exceptions: tuple[LintedRule, ...]


class _GroupBlock(NamedTuple):
    """The first rule of some groups that blocks the whole site, and their first allow rules."""

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


def has_site_block(file: LintedFile) -> bool:
    """Return whether a rule blocks the crawlers of its group from the whole site, apart from exceptions.

    Cost: O(rules of the file) at the first call.
    """
    return bool(file.compute_once(_blocking_rules))


def is_closed(file: LintedFile, token: str) -> bool:
    """Return whether a product token is blocked from the whole site, or from all but a few single URLs.

    Cost: O(its groups), and O(rules of the file) at the first call.
    """
    return find_site_block(file, token) is not None or find_near_site_block(file, token) is not None


def opens_to_engine(file: LintedFile) -> bool:
    """Return whether a search engine has a group that opens the site, which is then closed to others on purpose.

    Cost: O(groups), and O(rules of the file) at the first call.
    """
    names = {name for group in file.groups if group.rules for name in group.names}
    named = ((name, crawler) for name in names if (crawler := REGISTRY.get_crawler(name)) is not None)
    engines = (pair for pair in named if pair[1].purposes[0] == "search-index")
    return any(
        not is_closed(file, name) and (not crawler.retired or follower_of(file, name)) for name, crawler in engines
    )


def _blocking_rule(file: LintedFile, token: str) -> _GroupBlock:
    by_group = file.compute_once(_blocking_rules)
    groups = file.groups_named(token)
    rule = next((by_group[group.index] for group in groups if group.index in by_group), None)
    if rule is None:
        return _GroupBlock(None, ())
    known = file.compute_once(_known_exceptions)
    exceptions = chain.from_iterable(_exceptions(group, known) for group in groups)
    return _GroupBlock(rule, tuple(islice(exceptions, _MAX_EXCEPTIONS + 1)))


def _blocking_rules(file: LintedFile) -> dict[int, LintedRule]:
    """Return the first rule that blocks the whole site, for each group with one."""
    rules = (rule for rule in rules_matching(file, _POSSIBLY_WHOLE) if not rule.allow and rule.specificity)
    found: dict[int, LintedRule] = {}
    for rule in rules:
        if form_in(file, rule.value) in _WHOLE:
            found.setdefault(rule.group, rule)
    return found


def _known_exceptions(file: LintedFile) -> dict[int, tuple[LintedRule, ...]]:  # noqa: ARG001 - one for each file
    return {}


def _exceptions(group: LintedGroup, known: dict[int, tuple[LintedRule, ...]]) -> tuple[LintedRule, ...]:
    """Return the first allow rules of a group.

    Args: known: Those of other groups, by index, to which the result is added.
    """
    exceptions = known.get(group.index)
    if exceptions is None:
        allowed = (rule for rule in group.rules if rule.allow and rule.specificity and rule.value != _ROBOTS_PATH)
        exceptions = known[group.index] = tuple(islice(allowed, _MAX_EXCEPTIONS + 1))
    return exceptions


def _is_single_url(pattern: bytes) -> bool:
    """Return whether a pattern matches one file, such as `/ads.txt`, or one URL, such as `/$` for the home page."""
    path = pattern.removesuffix(b"$")
    if b"*" in path:
        return False
    return path != pattern or b"." in path.rpartition(b"/")[2] or path.startswith(_WELL_KNOWN)
