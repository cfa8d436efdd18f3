"""A key in a spelling that Google accepts and others do not."""

from collections.abc import Iterator

from canfetch.core.keys import NAMES, RecordKind
from canfetch.core.records import Note
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.crawler_verdicts import witness_path
from canfetch.lint.fixing import replacing
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look at keys that were read though they are not the record's name."""
    for record in file.noted(Note.MISSPELT_KEY):
        if record.key is None or record.kind is None:
            continue
        name = NAMES[record.kind].capitalize()
        is_rule = record.kind in (RecordKind.ALLOW, RecordKind.DISALLOW) and record.group is not None
        yield Found(
            record.key,
            {"key": file.text(file.key(record)), "name": file.text(name)},
            Probe(witness_path(file.value(record))) if is_rule else None,
            replacing(*record.key, name, changes_verdicts=True),
        )


CHECK = Check(
    code="CF202",
    name="misspelt-key",
    severities=Severities(
        rfc=Severity.WARNING,
        google=Severity.INFO,
        bing=Severity.WARNING,
        yandex=Severity.ERROR,
        lighthouse=Severity.ERROR,
    ),
    title="A misspelt key",
    message="`{key}` is read as `{name}` by some crawlers only",
    why="Google's parser accepts this misspelling, because it is frequent. Readers that do not, ignore the line.",
    mend="Write the key as the standard does.",
    source="google/robotstxt, ParsedRobotsKey; RFC 9309 section 2.2; Lighthouse, robots-txt",
    bad=Given(b"User-agent: *\nDissallow: /private/\n"),
    good=Given(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
