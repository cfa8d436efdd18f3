"""A key with list or bold markup."""

from collections.abc import Iterator
from functools import partial

from canfetch.core.text import WHITE_SPACE
from canfetch.lint.analysis.odd_lines import Oddity, OddLine, odd_lines
from canfetch.lint.analysis.unread_lines import EXPLAINED_CHECKS, query_for_unread
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find keys that are known without the markup around them."""
    for line in odd_lines(file, Oddity.DECORATED):
        if line.name is not None:
            yield LineOccurrence(line.record.line, partial(_occurrence, file, line, line.name))


def _occurrence(file: LintedFile, line: OddLine, name: bytes) -> Occurrence:
    value_start = line.value_start
    value = file.value(line.record)
    if file.key(line.record).startswith(b"**") and value.startswith(b"**"):
        # `**Disallow:** /x`: the bold markup ends after the colon.
        rest = value[2:].lstrip(WHITE_SPACE)
        value_start += len(value) - len(rest)
        value = rest
    return Occurrence(
        line.key,
        {"key": file.text(file.key(line.record)), "name": file.text(name)},
        query_for_unread(file, line.record, name, value),
        replace_span(line.key[0], value_start, name + b": ", changes_verdicts=True),
    )


CHECK = Check(
    code="CF217",
    name="decorated-key",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A key with list or bold markup",
    message="`{key}` is not a key, but `{name}` is",
    why="A robots.txt is plain text. Markup before or around a key makes it a different key, which no crawler knows.",
    how_to_fix="Remove the markup.",
    source="RFC 9309 section 2.2",
    bad=b"User-agent: *\n- Disallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Oddity.DECORATED,),
    fixable=True,
    supersedes=EXPLAINED_CHECKS,
)
