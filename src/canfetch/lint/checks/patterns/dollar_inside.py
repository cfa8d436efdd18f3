"""A `$` that is not at the end of a pattern."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.core.notes import Note
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_FILE_TYPE: Final = re.compile(rb"\.[A-Za-z0-9]{1,5}\Z")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find patterns with a `$` before their last character."""
    for record in file.records_with(Note.DOLLAR_INSIDE):
        if record.value is not None:
            value = file.value(record)
            place = value.index(b"$")
            start = record.value[0] + place
            # In a price or a name, such as `/$30-plan`, the `$` is meant literally. After a file type, it is not.
            literal = value[place + 1 : place + 2].isalnum() and not _FILE_TYPE.search(value[:place])
            yield Occurrence((start, start + 1), {"pattern": file.text(value)}, harmless=literal)


CHECK = Check(
    code="CF402",
    name="dollar-inside",
    severities=everywhere(Severity.WARNING, lighthouse=Severity.ERROR),
    title="A `$` that is not at the end of a pattern",
    message="the `$` in `{pattern}` is not at the end, so it is an ordinary character",
    why="Only a final `$` marks the end of the URL. Elsewhere, most crawlers look for a literal `$`, and some parsers "
    "ignore the rule.",
    how_to_fix="Move the `$` to the end, or write `%24` for a literal dollar sign.",
    source="RFC 9309 section 2.2.3; Google, URL matching based on path values; Lighthouse, robots-txt",
    bad=b"User-agent: *\nDisallow: /*.pdf$old\n",
    good=b"User-agent: *\nDisallow: /*.pdf$\n",
    find=find,
    needs=(Note.DOLLAR_INSIDE,),
)
