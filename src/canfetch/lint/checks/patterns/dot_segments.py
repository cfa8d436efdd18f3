"""A pattern with `.` or `..` as a folder."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.core.escapes import canonical
from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_values import rule_records_matching
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_SEGMENT: Final = re.compile(rb"/(?:\.|%2[Ee]){1,2}[/$]")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find path segments that are `.` or `..`."""
    for record in rule_records_matching(file, _SEGMENT):
        value = file.value(record)
        if value[:1] != b"/" or record.value is None:
            continue
        path = canonical(value).partition(b"?")[0]
        closed = path[:-1] + b"/" if path.endswith(b"$") else path
        if b"/../" in closed or b"/./" in closed:
            yield Occurrence(record.value, {"pattern": file.text(value)})


CHECK = Check(
    code="CF412",
    name="dot-segments",
    severities=everywhere(Severity.WARNING),
    title="A pattern with `.` or `..` as a folder",
    message="`{pattern}` matches nothing: crawlers resolve `.` and `..` before they fetch a URL",
    why="Crawlers fetch the resolved URL and compare it with the rules. A pattern with `.` or `..` as a folder never "
    "matches it.",
    how_to_fix="Write the path with `.` and `..` resolved.",
    source="RFC 3986 section 5.2.4",
    bad=b"User-agent: *\nDisallow: /shop/../cart/\n",
    good=b"User-agent: *\nDisallow: /cart/\n",
    find=find,
    needs=(InRule(b"/."), InRule(b"/%2e")),
)
