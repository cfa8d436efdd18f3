"""A pattern that starts with neither `/` nor `*`."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.core.origin import Origin, find_origin
from canfetch.core.text import UNRESERVED, display_text
from canfetch.core.urls import split_url
from canfetch.lint.analysis.addresses import find_address
from canfetch.lint.analysis.asset_patterns import blocked_asset
from canfetch.lint.analysis.canonical_rules import canonical_form
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.foreign_syntax import is_unset, looks_like_regex
from canfetch.lint.analysis.line_fixes import rewrite_value
from canfetch.lint.analysis.needs import OTHER_START, Trait
from canfetch.lint.analysis.rule_neighbours import Neighbours
from canfetch.lint.analysis.rule_values import rule_records_matching, rules_matching
from canfetch.lint.check import AnyOccurrence, Check, LineOccurrence, Occurrence
from canfetch.lint.fixes import Fix
from canfetch.lint.linted_file import LintedFile, LintedRule
from canfetch.lint.severity import Severity, everywhere

_STARTS: Final = frozenset(UNRESERVED) - frozenset(b".")
# Words that are not paths.
_WORDS: Final = frozenset(
    {b"all", b"any", b"everything", b"false", b"n", b"no", b"none", b"nothing", b"true", b"y", b"yes"}
)


def find(file: LintedFile) -> Iterator[AnyOccurrence]:
    """Find rules whose value starts with another character."""
    here = None if file.input.url is None else find_origin(file.input.url)
    for rule in rules_matching(file, OTHER_START):
        yield LineOccurrence(rule.line, partial(_occurrence, file, rule, here))
    for record in rule_records_matching(file, OTHER_START):
        if record.group is None and record.value is not None:
            yield Occurrence(record.value, {"pattern": file.text(file.value(record))})


def _occurrence(file: LintedFile, rule: LintedRule, here: Origin | None) -> Occurrence:
    path = _intended_path(rule.value, here)
    is_comparable = path is not None and rule.group in file.compute_once(_comparable_groups)
    return Occurrence(
        rule.record.value or rule.record.span,
        {"pattern": file.text(rule.value)},
        None if path is None else query_for(path),
        _fix(rule, path, file.compute_once(Neighbours)) if path is not None and is_comparable else None,
    )


def _comparable_groups(file: LintedFile) -> frozenset[int]:
    """Return the groups in which a fix does not cause a new finding about rules missing from the `*` group.

    That check compares a group with the `*` group as soon as the group disallows a part of the site.
    """
    if not file.groups_named("*"):
        return frozenset(range(len(file.groups)))
    disallowing = {
        rule.group for rule in file.rules if rule.specificity and not rule.allow and canonical_form(rule.value) != b"/"
    }
    return frozenset(disallowing.union(group.index for group in file.groups if "*" in group.names))


def _intended_path(value: bytes, here: Origin | None) -> bytes | None:
    """Return the path that `value` represents, or None if that is not certain."""
    if b"://" in value:
        split = split_url(value)
        if here is None or split is None or find_origin(display_text(value)) != here:
            return None
        path = value[split.rest_start :]
        # The URL of the whole site is hardly intended, and a path that starts with `//` is read as a host.
        return path if path[:1] == b"/" and path[:2] != b"//" and canonical_form(path) != b"/" else None
    folded = value.lower()
    if is_unset(value) or folded[0] not in _STARTS or folded in _WORDS or find_address(value) is not None:
        return None
    return b"/" + value if value.isascii() and b":" not in value else None


def _fix(rule: LintedRule, path: bytes, neighbours: Neighbours) -> Fix | None:
    # Fix only rules whose fix does not cause another finding.
    if (
        looks_like_regex(path)
        or path.startswith(b"/robots.txt")
        or (not rule.allow and blocked_asset(path) is not None)
    ):
        return None
    harmless = neighbours.would_be_unrelated(rule.record, path) and neighbours.would_be_unopposed(rule.record, path)
    return rewrite_value(rule.record, path) if harmless else None


CHECK = Check(
    code="CF401",
    name="no-leading-slash",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A pattern that starts with neither `/` nor `*`",
    message="`{pattern}` matches nothing: a pattern must start with `/` or `*`",
    why="Every URL path starts with a slash, and patterns are compared from its first character. Parsers that follow "
    "RFC 9309 ignore the rule. Google's parser accepts the rule, but it never matches.",
    how_to_fix="Add a slash at the start, or `/*` if the text may appear anywhere in the path.",
    source="RFC 9309 section 2.2.2; Yandex, robots.txt analysis; Lighthouse, robots-txt",
    bad=b"User-agent: *\nDisallow: private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Trait.OTHER_START,),
    fixable=True,
)
