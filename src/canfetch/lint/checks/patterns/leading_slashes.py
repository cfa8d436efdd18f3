"""A pattern that starts with two slashes."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_values import has_written_rule, rules_matching
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_TWO_SLASHES: Final = re.compile(rb"\n//")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules whose value starts with `//`."""
    for rule in rules_matching(file, _TWO_SLASHES):
        # With white space, the value is probably a comment, which another check reports.
        if rule.record.value is not None and len(rule.value.split()) == 1:
            path = "/" + file.text(rule.value.lstrip(b"/").rstrip(b"*$"))
            is_plain = "*" not in path
            # Duplicates of pages have such URLs. A rule for all of them, or for those of blocked pages, is deliberate.
            has_others = len(file.groups[rule.group].rules) > 1
            is_blocked = any(has_written_rule(file, rule.record, one) for one in (path.encode(), b"/"))
            is_deliberate = has_others if path == "/" else is_blocked
            yield Occurrence(
                rule.record.value,
                {"pattern": file.text(rule.value), "path": path},
                VerdictQuery(path) if is_plain and path != "/" else None,
                harmless=is_deliberate,
            )


CHECK = Check(
    code="CF423",
    name="leading-slashes",
    severities=everywhere(Severity.WARNING),
    title="A pattern that starts with two slashes",
    message="`{pattern}` matches only paths that start with two slashes, and not `{path}`",
    why="A pattern is compared from the first character of the path, and two slashes are not the same as one. Hardly "
    "any site has such paths.",
    how_to_fix="Write one slash. For paths with two slashes anywhere, write `/*//`.",
    source="RFC 9309 section 2.2.2",
    bad=b"User-agent: *\nDisallow: //private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(InRule(b"//"),),
)
