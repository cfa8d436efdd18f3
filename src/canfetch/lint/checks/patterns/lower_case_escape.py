"""A percent-encoding in lower case."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.core.text import UNRESERVED
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.line_fixes import rewrite_value
from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_values import rule_records_matching
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_LOWER: Final = re.compile(rb"%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f])")
_UNRESERVED: Final = frozenset(UNRESERVED)


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find escapes with lower-case hex digits, except those of characters that need no encoding (CF417)."""
    for record in rule_records_matching(file, _LOWER):
        value = file.value(record)
        if record.value is None:
            continue
        lower = [escape for escape in _LOWER.finditer(value) if int(escape[0][1:], 16) not in _UNRESERVED]
        if not lower:
            continue
        better = bytearray(value)
        for escape in lower:
            better[escape.start() : escape.end()] = escape[0].upper()
        start = record.value[0] + lower[0].start()
        yield Occurrence(
            (start, start + 3),
            {"escape": file.text(lower[0][0]), "better": file.text(lower[0][0].upper())},
            query_for(bytes(better), contrast_only=True),
            rewrite_value(record, bytes(better)),
        )


CHECK = Check(
    code="CF408",
    name="lower-case-escape",
    severities=everywhere(Severity.INFO),
    title="A percent-encoding in lower case",
    message="`{escape}` equals `{better}` only for crawlers that normalise percent-encodings",
    why="Hex digits in lower case and in upper case encode the same byte, and RFC 9309 treats them as equal. "
    "Parsers that compare the text as written do not, and browsers and servers use upper case.",
    how_to_fix="Write the hex digits in upper case.",
    source="RFC 9309 section 2.2.2; RFC 3986 section 6.2.2.1",
    bad=b"User-agent: *\nDisallow: /caf%c3%a9/\n",
    good=b"User-agent: *\nDisallow: /caf%C3%A9/\n",
    find=find,
    needs=(InRule(b"%"),),
    fixable=True,
)
