"""An unnecessary percent-encoding."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.core.escapes import canonical
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.foreign_syntax import looks_like_regex
from canfetch.lint.analysis.line_fixes import rewrite_value
from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_values import rule_records_matching
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

# Those of unreserved characters.
_ESCAPE: Final = re.compile(rb"%(?:2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|5[0-9AaFf]|7[0-9AaEe])")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find escapes of letters, digits, `-`, `.`, `_` and `~`."""
    for record in rule_records_matching(file, _ESCAPE):
        value = file.value(record)
        escape = _ESCAPE.search(value)
        if record.value is None or escape is None:
            continue
        better = _ESCAPE.sub(_decode, value)
        start = record.value[0] + escape.start()
        # After a stray `%`, the decoded characters could form a new escape.
        same = canonical(better) == canonical(value) and not looks_like_regex(better)
        yield Occurrence(
            (start, start + 3),
            {"escape": file.text(escape[0]), "character": _decode(escape).decode()},
            query_for(better, contrast_only=True),
            rewrite_value(record, better) if same else None,
        )


def _decode(escape: re.Match[bytes]) -> bytes:
    return bytes([int(escape[0][1:], 16)])


CHECK = Check(
    code="CF417",
    name="upper-case-escape-of-unreserved",
    severities=Severities(rfc=Severity.INFO, google=Severity.WARNING, bing=Severity.INFO, yandex=Severity.INFO),
    title="An unnecessary percent-encoding",
    message="`{escape}` is `{character}`, which does not need to be encoded",
    why="RFC 9309 treats the character and its encoding as equal. Google's parser does not decode rules, so this "
    "rule does not match the URL in its usual form.",
    how_to_fix="Write the character itself.",
    source="RFC 9309 section 2.2.2; RFC 3986 section 2.3; google/robotstxt, MaybeEscapePattern",
    bad=b"User-agent: *\nDisallow: /%7Ejoe/\n",
    good=b"User-agent: *\nDisallow: /~joe/\n",
    find=find,
    needs=(InRule(b"%"),),
    fixable=True,
)
