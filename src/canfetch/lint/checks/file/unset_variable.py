"""A word that a program writes for a missing value."""

from collections.abc import Iterator

from canfetch.core.keys import NAMES, RecordKind
from canfetch.lint.analysis.foreign_syntax import UNSET, is_unset, unset_part
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find values such as `undefined`, and sitemaps whose URL contains one."""
    for record in file.records_containing(UNSET, *NAMES):
        if record.value is None:
            continue
        value = file.value(record)
        word = unset_part(value) if record.kind is RecordKind.SITEMAP else value if is_unset(value) else None
        if word is not None:
            yield Occurrence(record.value, {"value": file.text(word)})


CHECK = Check(
    code="CF119",
    name="unset-variable",
    severities=everywhere(Severity.ERROR),
    title="A word that a program writes for a missing value",
    message="`{value}` is what a program writes if a value is missing",
    why="The program that generated the file had no value for this line. Crawlers read the word as a path, a name or "
    "a URL, which does not match anything.",
    how_to_fix="Set the value in the program that generates the file, or make it skip the line.",
    source="RFC 9309 section 2.2",
    bad=b"User-agent: *\nDisallow: undefined\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=tuple(sorted(UNSET)),
    supersedes=("CF2", "CF302", "CF4", "CF5", "CF6", "CF7"),
)
