"""Characters that should be percent-encoded."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.foreign_syntax import looks_like_regex
from canfetch.lint.analysis.line_fixes import rewrite_value
from canfetch.lint.analysis.rule_values import has_written_rule, rule_records_matching, rule_values
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

# Browsers do not encode a `|` or a `^` in a link, so a rule with `%7C` matches none of these links for Google.
_UNSAFE: Final = frozenset(b'"<>\\`{}') | frozenset(range(0x80, 0x100))
_ENCODED: Final = tuple(b"%%%02X" % byte if byte in _UNSAFE else bytes([byte]) for byte in range(0x100))
_UNSAFE_BYTE: Final = re.compile(b"[%s]" % re.escape(bytes(sorted(_UNSAFE))))
_SAFE: Final = bytes(byte for byte in range(0x100) if byte not in _UNSAFE)
# All crawlers encode non-ASCII characters before they compare.
_HARMLESS: Final = _SAFE + bytes(range(0x80, 0x100))


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find non-ASCII characters and delimiters that URLs percent-encode."""
    if not rule_values(file).text.translate(None, _SAFE):
        return
    for record in rule_records_matching(file, _UNSAFE_BYTE):
        value = file.value(record)
        if value[:1] not in (b"/", b"*") or b" \xe2\x80" in value or looks_like_regex(value) or record.value is None:
            continue
        encoded = b"".join([_ENCODED[byte] for byte in value])
        pattern, better = file.text(value), file.text(encoded)
        if pattern == better:
            continue  # invalid UTF-8, which another check reports
        yield Occurrence(
            record.value,
            {"pattern": pattern, "better": better},
            query_for(encoded, contrast_only=True),
            rewrite_value(record, encoded),
            # The author may have written both spellings.
            harmless=not value.translate(None, _HARMLESS) or has_written_rule(file, record, encoded),
        )


CHECK = Check(
    code="CF409",
    name="characters-to-encode",
    severities=Severities(rfc=Severity.WARNING, google=Severity.WARNING, bing=Severity.WARNING, yandex=Severity.ERROR),
    title="Characters that should be percent-encoded",
    message="`{pattern}` should be written as `{better}`",
    why="In URLs, these characters are percent-encoded. Parsers that follow RFC 9309 encode the rule as well before "
    "they compare. Google's parser encodes only non-ASCII characters, so a rule with `{` never matches. Yandex does "
    "not accept these characters unencoded, and simple parsers compare the text as written.",
    how_to_fix="Percent-encode the UTF-8 bytes of these characters.",
    source="RFC 9309 section 2.2.2; Bing Webmaster, robots.txt; Yandex Webmaster, robots.txt",
    bad="User-agent: *\nDisallow: /café/\n".encode(),
    good=b"User-agent: *\nDisallow: /caf%C3%A9/\n",
    find=find,
    fixable=True,
)
