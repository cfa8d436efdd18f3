"""A `%` without two hex digits."""

from collections.abc import Iterator

from canfetch.core.notes import Note
from canfetch.core.text import HEX_DIGITS
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find `%` signs that two hex digits do not follow."""
    for record in file.records_with(Note.BAD_ESCAPE):
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
        details = {"escape": file.text(value[place : place + 3]), "pattern": file.text(value)}
        yield Occurrence((start, end), details, harmless=_is_prefix(value[place + 1 : place + 3]))


def _is_prefix(digits: bytes) -> bool:
    # `/*url=http%*` and a final `%` match any percent-encoding.
    before, star, _ = digits.partition(b"*")
    return not before.translate(None, HEX_DIGITS) and (bool(star) or len(digits) < 2)


CHECK = Check(
    code="CF410",
    name="bad-escape",
    severities=everywhere(Severity.WARNING),
    title="A `%` without two hex digits",
    message="`{escape}` in `{pattern}` is not a percent-encoding: two hex digits must follow the `%`",
    why="In a URL, two hex digits follow every `%`. Crawlers look for the characters as written, which hardly ever "
    "appear in the site's URLs.",
    how_to_fix="Complete the percent-encoding, or write `%25` for a literal percent sign.",
    source="RFC 3986 section 2.1; RFC 9309 section 2.2.2",
    bad=b"User-agent: *\nDisallow: /50%-off/\n",
    good=b"User-agent: *\nDisallow: /50%25-off/\n",
    find=find,
    needs=(Note.BAD_ESCAPE,),
)
