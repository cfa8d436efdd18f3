"""Characters in a pattern that no URL holds as themselves."""

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
    """Look for octets beyond ASCII, and for delimiters."""
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
    title="Characters in a pattern that no URL holds as themselves",
    message="`{pattern}` is better written as `{better}`",
    why="URLs are asked for with such characters as escapes. Readers of the RFC escape the rule, too, before they "
    "compare; Google's parser does so beyond ASCII alone, so that a rule with `{` never matches. Yandex takes no other "
    "characters, and simple readers compare what is written.",
    mend="Write them as escapes of their octets in UTF-8.",
    source="RFC 9309 section 2.2.2; Bing and Yandex, robots.txt",
    bad=Given("User-agent: *\nDisallow: /café/\n".encode()),
    good=Given(b"User-agent: *\nDisallow: /caf%C3%A9/\n"),
    find=find,
    fixable=True,
)
