"""A line that Lighthouse reports."""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.lint.analysis.content_kinds import file_is_binary, file_is_markup, file_is_wide
from canfetch.lint.analysis.extension_records import known_extensions
from canfetch.lint.analysis.key_names import LIGHTHOUSE_KEYS
from canfetch.lint.analysis.odd_lines import Oddity, odd_lines
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

# The checks of these oddities are not in the severity set of Lighthouse.
_REPORTED_HERE: Final = (Oddity.FOREIGN_COMMENT, Oddity.TEMPLATE, Oddity.CHARACTERS, Oddity.JOINED)
_TOO_MANY_REQUESTS: Final = 429
_MAX_QUOTE: Final = 60
# The characters that `String.prototype.trim` of JavaScript removes.
_WHITE_SPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
    "\u205f\u3000\ufeff"
)


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find lines that Lighthouse reports and that no other check of its severity set reports."""
    entry = file.input.delivery
    if entry is not None and entry.status == _TOO_MANY_REQUESTS:
        yield Occurrence((0, 0), {"text": f"HTTP {entry.status}"})
    if file_is_markup(file):
        return
    if file_is_binary(file) or file_is_wide(file):
        # One finding is enough for a binary file, or one in UTF-16.
        yield _occurrence(file, file.records[0])
        return
    agent_lines = tuple(index + 1 for index in file.user_agents)
    for record in _after_empty_agents(file):
        # The fault is on the user-agent line that Lighthouse does not read.
        index = bisect_left(agent_lines, record.line)
        yield _occurrence(file, record)._replace(lines=agent_lines[max(index - 1, 0) : index])
    for oddity in _REPORTED_HERE:
        yield from (
            _occurrence(file, line.record) for line in odd_lines(file, oddity) if _is_reported(file, line.record)
        )
    for line in odd_lines(file, Oddity.TEXT):
        # The checks of the file report these characters, but not in the severity set of Lighthouse.
        if line.record.notes & (Note.NUL | Note.CONTROL) and _is_reported(file, line.record):
            yield _occurrence(file, line.record)
    for extension in known_extensions(file):
        record = file.records[extension.line - 1]
        if extension.notes & ExtensionNote.MISSPELT_KEY and Note.MISSING_COLON not in record.notes:
            yield _occurrence(file, record)


def _after_empty_agents(file: LintedFile) -> Iterator[Record]:
    agents = (record for record in file.records_of(RecordKind.USER_AGENT) if file.value(record) and _has_key(record))
    first = next(agents, None)
    before = takewhile(lambda record: first is None or record.line < first.line, file.rule_records)
    # Another check reports rules that are outside of a group for all parsers.
    return (record for record in before if Note.OUTSIDE_GROUP not in record.notes and _has_key(record))


def _has_key(record: Record) -> bool:
    return not record.notes & (Note.MISSPELT_KEY | Note.KEY_PREFIX | Note.MISSING_COLON | Note.UNKNOWN_KEY)


def _is_reported(file: LintedFile, record: Record) -> bool:
    text = file.line_content(record).partition(b"#")[0].decode("utf-8", "replace").strip(_WHITE_SPACE)
    key, colon, _ = text.partition(":")
    return text != "" and not (colon and key.strip(_WHITE_SPACE).lower() in LIGHTHOUSE_KEYS)


def _occurrence(file: LintedFile, record: Record) -> Occurrence:
    span = file.text_span(record)
    text = file.content[slice(*span)]
    shown = file.text(text[:_MAX_QUOTE])
    return Occurrence(span, {"text": shown + "…" if len(text) > _MAX_QUOTE else shown})


CHECK = Check(
    code="CF220",
    name="reported-by-lighthouse",
    severities=Severities(lighthouse=Severity.ERROR),
    title="A line that Lighthouse reports",
    message="the Lighthouse audit reports `{text}`",
    why="The audit fails on any line without a colon, or with a key that is not on its list. It also fails on a rule "
    "without a named `User-agent` line above it, and on status 429.",
    how_to_fix="Correct the line, or make it a comment.",
    source="Lighthouse, robots-txt",
    bad=b"// for all\nUser-agent: *\nDisallow: /private/\n",
    good=b"# for all\nUser-agent: *\nDisallow: /private/\n",
    find=find,
    yields_to_others=True,
)
