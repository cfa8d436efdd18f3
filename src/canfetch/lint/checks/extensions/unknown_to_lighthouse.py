"""A record that is fine, and that Lighthouse does not know."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.records import Note
from canfetch.lint.analysis.key_names import LIGHTHOUSE_KEYS
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look for records that somebody defined, and that are not on its list."""
    for extension, record in file.extensions:
        key = file.text(file.key(record)).lower()
        odd = extension.notes & (ExtensionNote.UNKNOWN_RECORD | ExtensionNote.MISSPELT_KEY)
        if key in LIGHTHOUSE_KEYS or odd or extension.name == "sitemap" or Note.MISSING_COLON in record.notes:
            continue
        if record.key is not None:
            yield Found(record.key, {"key": file.text(file.key(record))})


CHECK = Check(
    code="CF619",
    name="unknown-to-lighthouse",
    severities=Severities(lighthouse=Severity.INFO),
    title="A record that Lighthouse does not know",
    message="Lighthouse reports `{key}` as unknown, though the record is defined",
    why="The audit has a list of twelve records, and reports all others. Crawlers skip what they do not know.",
    mend="Leave it, and know why the audit complains.",
    source="Lighthouse, robots-txt",
    bad=Given(b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n"),
    good=Given(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"),
    find=find,
)
