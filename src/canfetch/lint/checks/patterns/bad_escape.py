"""A `%` without two hex digits."""

from collections.abc import Iterator

from canfetch.core.records import Note
from canfetch.core.text import HEX_DIGITS
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Find `%` signs that two hex digits do not follow."""
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
    title="A `%` without two hex digits",
    message="`{escape}` in `{pattern}` is not a percent-encoding: two hex digits must follow the `%`",
    why="In a URL, two hex digits follow every `%`. Crawlers look for the characters as written, which hardly ever "
    "appear in the site's URLs.",
    mend="Complete the percent-encoding, or write `%25` for a literal percent sign.",
    source="RFC 3986 section 2.1; RFC 9309 section 2.2.2",
    bad=Given(b"User-agent: *\nDisallow: /50%-off/\n"),
    good=Given(b"User-agent: *\nDisallow: /50%25-off/\n"),
    find=find,
)
