"""A `%` that begins no escape."""

from collections.abc import Iterator

from canfetch.core.records import Note
from canfetch.core.text import HEX_DIGITS
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Look for a `%` without two hex digits behind it."""
    for record in file.noted(Note.BAD_ESCAPE):
        if record.value is None:
            continue
        value = file.value(record)
        first, *rest = value.split(b"%")
        place = len(first)
        for part in rest:
            if len(part) < 2 or part[:2].translate(None, HEX_DIGITS):
                break
            place += 1 + len(part)
        start = record.value[0] + place
        end = min(start + 3, record.value[1])
        yield Found((start, end), {"escape": file.text(value[place : place + 3]), "pattern": file.text(value)})


CHECK = Check(
    code="CF410",
    name="bad-escape",
    severities=everywhere(Severity.WARNING),
    title="A `%` that begins no escape",
    message="`{escape}` in `{pattern}` is no escape: two hex digits belong behind a `%`",
    why="The grammar of URLs has no `%` without two hex digits. Crawlers look for the characters themselves, which the "
    "URLs of a site hardly ever hold.",
    mend="Complete the escape, or write `%25` where the percent sign itself is meant.",
    source="RFC 3986 section 2.1; RFC 9309 section 2.2.2",
    bad=Given(b"User-agent: *\nDisallow: /50%-off/\n"),
    good=Given(b"User-agent: *\nDisallow: /50%25-off/\n"),
    find=find,
)
