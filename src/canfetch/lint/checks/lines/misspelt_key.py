"""A misspelt key."""

from collections.abc import Iterator

from canfetch.core.keys import NAMES, RecordKind
from canfetch.core.notes import Note
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find misspelt keys that the parser accepts."""
    for record in file.records_with(Note.MISSPELT_KEY):
        if record.key is None or record.kind is None:
            continue
        name = NAMES[record.kind].capitalize()
        is_rule = record.kind in (RecordKind.ALLOW, RecordKind.DISALLOW) and record.group is not None
        yield Occurrence(
            record.key,
            {"key": file.text(file.key(record)), "name": file.text(name)},
            query_for(file.value(record), shows_line=False) if is_rule else None,
            replace_span(*record.key, name, changes_verdicts=True),
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
    message="`{key}` is a misspelling of `{name}`: crawlers that do not accept it ignore the line",
    why="Google's parser accepts this misspelling, because it is common. RFC 9309 does not define it, so other parsers "
    "may ignore the line, as the profile `yandex` does.",
    how_to_fix="Write the key as it is spelt in RFC 9309.",
    source="google/robotstxt, ParsedRobotsKey; RFC 9309 section 2.2; Lighthouse, robots-txt",
    bad=b"User-agent: *\nDissallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Note.MISSPELT_KEY,),
    fixable=True,
)
