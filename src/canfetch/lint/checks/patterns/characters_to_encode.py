"""Characters that should be percent-encoded."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.engine_verdicts import probe_of
from canfetch.lint.analysis.rule_fixes import rewritten
from canfetch.lint.check import Check, Found
from canfetch.lint.checks.patterns.regular_expression import looks_like_one
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_UNSAFE: Final = frozenset(b'"<>\\^`{|}') | frozenset(range(0x80, 0x100))
_WRITTEN: Final = tuple(b"%%%02X" % octet if octet in _UNSAFE else bytes([octet]) for octet in range(0x100))
_SAFE: Final = bytes(octet for octet in range(0x100) if octet not in _UNSAFE)


def find(file: LintedFile) -> Iterator[Found]:
    """Find non-ASCII characters and delimiters that URLs percent-encode."""
    for record in file.rule_records:
        value = file.value(record)
        if value[:1] not in (b"/", b"*") or not value.translate(None, _SAFE) or record.value is None:
            continue
        if looks_like_one(value):
            continue
        better = b"".join(_WRITTEN[octet] for octet in value)
        pattern, written = file.text(value), file.text(better)
        if pattern == written:
            continue  # octets that are no UTF-8, of which another check speaks
        yield Found(
            record.value,
            {"pattern": pattern, "better": written},
            probe_of(better),
            rewritten(record, better),
        )


CHECK = Check(
    code="CF409",
    name="characters-to-encode",
    severities=Severities(rfc=Severity.WARNING, google=Severity.WARNING, bing=Severity.WARNING, yandex=Severity.ERROR),
    title="Characters that should be percent-encoded",
    message="`{pattern}` should be written as `{better}`",
    why="In URLs, these characters are percent-encoded. Parsers that follow RFC 9309 encode the rule as well before "
    "they compare. Google's parser encodes only non-ASCII characters, so a rule with `{` never matches. Yandex does "
    "not accept non-ASCII characters, and simple parsers compare the text as written.",
    mend="Percent-encode the UTF-8 bytes of these characters.",
    source="RFC 9309 section 2.2.2; Bing and Yandex, robots.txt",
    bad=Given("User-agent: *\nDisallow: /café/\n".encode()),
    good=Given(b"User-agent: *\nDisallow: /caf%C3%A9/\n"),
    find=find,
    fixable=True,
)
