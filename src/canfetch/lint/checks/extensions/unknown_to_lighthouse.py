"""A line that Lighthouse does not know."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.lint.analysis.extension_records import known_extensions
from canfetch.lint.analysis.key_names import LIGHTHOUSE_KEYS
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find defined lines that are not in the list of Lighthouse."""
    for extension in known_extensions(file):
        record = file.records[extension.line - 1]
        key = file.text(file.key(record)).lower()
        odd = extension.notes & ExtensionNote.MISSPELT_KEY
        if key in LIGHTHOUSE_KEYS or odd or extension.name == "sitemap" or Note.MISSING_COLON in record.notes:
            continue
        if record.key is not None:
            yield Occurrence(record.key, {"key": file.text(file.key(record))})


CHECK = Check(
    code="CF619",
    name="unknown-to-lighthouse",
    severities=Severities(lighthouse=Severity.INFO),
    title="A line that Lighthouse does not know",
    message="Lighthouse reports `{key}` as unknown, although it is a defined key",
    why="The Lighthouse audit has a list of twelve keys and reports all others. Crawlers ignore lines that they do "
    "not know.",
    how_to_fix="Keep the line, and ignore this result of the audit.",
    source="Lighthouse, robots-txt",
    bad=b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
    good=b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
    find=find,
    needs=(RecordKind.OTHER,),
)
