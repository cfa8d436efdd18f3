"""A key that Google reads by its prefix."""

from collections.abc import Iterator
from functools import partial

from canfetch.core.extensions.known_records import KNOWN_RECORDS
from canfetch.core.notes import Note
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.odd_lines import Oddity, OddLine, odd_lines, prefix_name
from canfetch.lint.check import Check, LineOccurrence, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find keys that start with the key of a rule, a user-agent line or a sitemap."""
    for line in odd_lines(file, Oddity.PREFIX):
        yield LineOccurrence(line.record.line, partial(_occurrence, file, line))


def _occurrence(file: LintedFile, line: OddLine) -> Occurrence:
    key = file.key(line.record)
    name = prefix_name(key)
    fix = None
    if line.name is not None and key.lower() not in KNOWN_RECORDS and Note.MISSING_COLON not in line.record.notes:
        fix = replace_span(*line.key, line.name, changes_verdicts=True)
    query = None
    if name in (b"allow", b"disallow") and line.record.group is not None:
        query = query_for(file.value(line.record))
    return Occurrence(line.key, {"key": file.text(key), "name": file.text(name.capitalize())}, query, fix)


CHECK = Check(
    code="CF205",
    name="key-read-by-prefix",
    severities=Severities(
        rfc=Severity.WARNING,
        google=Severity.ERROR,
        bing=Severity.WARNING,
        yandex=Severity.WARNING,
        lighthouse=Severity.ERROR,
    ),
    title="A key that Google reads by its prefix",
    message="Google's parser reads `{key}` as `{name}`, and other parsers ignore it",
    why="Google's parser compares only the start of a key, so it reads a longer word as the key that the word starts "
    "with.",
    how_to_fix="Write the intended key, or a word that does not start with a known key.",
    source="google/robotstxt, ParsedRobotsKey",
    bad=b"User-agent: *\nDisallowed: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Oddity.PREFIX,),
    fixable=True,
    supersedes=("CF302",),
)
