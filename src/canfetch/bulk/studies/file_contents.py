"""What files contain: the number of sitemaps, and lines that are not records."""

from collections.abc import Iterator
from typing import Final

from canfetch.bulk.archives.resolution import ResolvedFile
from canfetch.bulk.studies.cells import FILE, Cell, Table
from canfetch.core.document import parse
from canfetch.core.notes import Note
from canfetch.core.verdict import Effect

SITEMAPS: Final = "sitemaps/1"
SYNTAX: Final = "syntax/1"
_ERRORS: Final = "errors"
_NO_ERRORS: Final = "no-errors"
_INVALID: Final = Note.NOT_A_RECORD | Note.MISSING_COLON


def content_cells(file: ResolvedFile, _: tuple[str, ...]) -> Iterator[Cell]:
    """Yield the cells of a file.

    Cost: O(bytes).
    """
    if file.effect is not Effect.CONDITIONAL_ALLOW or file.content is None:
        return
    robots = parse(file.content)
    # A Sitemap line without a value is not a sitemap. The size of a file limits their number, and that of the classes.
    yield Cell(FILE, SITEMAPS, str(sum(bool(sitemap) for sitemap in robots.sitemaps)))
    yield Cell(FILE, SYNTAX, _ERRORS if any(record.notes & _INVALID for record in robots.records) else _NO_ERRORS)


def content_tables(_: tuple[str, ...]) -> Iterator[Table]:
    """Yield the tables of these cells."""
    yield Table(FILE, SITEMAPS, ("0", "1"), is_open=True)
    yield Table(FILE, SYNTAX, (_ERRORS, _NO_ERRORS))
