"""Another character instead of the colon."""

from collections.abc import Iterator
from functools import partial

from canfetch.lint.analysis.odd_lines import Oddity, OddLine, odd_lines
from canfetch.lint.analysis.unread_lines import EXPLAINED_CHECKS, query_for_unread
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find known keys that are followed by another separator."""
    for line in odd_lines(file, Oddity.FOREIGN_COLON):
        if line.name is not None:
            yield LineOccurrence(line.record.line, partial(_occurrence, file, line, line.name))


def _occurrence(file: LintedFile, line: OddLine, name: bytes) -> Occurrence:
    mark = file.content[line.key[1] : line.value_start].strip()
    value = file.content[line.value_start : line.record.span[1]].partition(b"#")[0].strip()
    return Occurrence(
        (line.key[0], max(line.key[1], line.value_start)),
        {"key": file.text(file.content[slice(*line.key)]), "mark": file.text(mark)},
        query_for_unread(file, line.record, name, value),
        replace_span(line.key[0], line.value_start, name + b": ", changes_verdicts=True),
    )


CHECK = Check(
    code="CF211",
    name="foreign-colon",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="Another character instead of the colon",
    message="`{key}` is followed by `{mark}` instead of a colon",
    why="Only the ASCII colon ends a key. Most parsers ignore the line, but Google's parser reads some of these lines.",
    how_to_fix="Write an ASCII colon.",
    source="RFC 9309 section 2.2; google/robotstxt, GetKeyAndValueFrom",
    bad="User-agent: *\nDisallow\uff1a/private/\n".encode(),
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Oddity.FOREIGN_COLON,),
    fixable=True,
    supersedes=EXPLAINED_CHECKS,
)
