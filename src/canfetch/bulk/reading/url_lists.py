"""Lists of URLs: text with one URL per line, sitemaps, and tables with a column of URLs."""

import gzip
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, Final

from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.compressed_tables import decompressed
from canfetch.bulk.reading.file_names import format_of_name
from canfetch.bulk.reading.row_files import (
    MAX_LINE_BYTES,
    TOO_LONG,
    BadRows,
    PlacedRow,
    Row,
    read_csv,
    read_lines,
    read_ndjson,
    skip_line,
)
from canfetch.bulk.reading.sources import check_different_names, unexpected_error
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError, InvalidOption

if TYPE_CHECKING:
    from canfetch.sitemaps import SitemapProblem

FORMATS: Final = ("text", "sitemap", "csv", "ndjson", "parquet")
_READ_BYTES: Final = 1 << 16
_SUFFIXES: Final = {".txt": "text", ".xml": "sitemap"}


def list_format(name: str, format: str | None = None) -> str:  # noqa: A002 - the option's name
    """Return the format of a list of URLs, by its name. Other names are text."""
    if format is not None:
        return format
    stem, suffix = os.path.splitext(name.lower())  # noqa: PTH122 - names only
    if suffix in {".gz", ".bz2"}:
        suffix = os.path.splitext(stem)[1]  # noqa: PTH122 - names only
    known = format_of_name(name)
    return known if known in FORMATS else _SUFFIXES.get(suffix, "text")


def read_url_rows(
    stream: BinaryIO,
    name: str,
    format: str,  # noqa: A002 - as above
    advance: Callable[[int], None],
    check_header: Callable[[list[str]], None],
    *,
    known: frozenset[str] | None = None,
) -> Iterator[Row | Fault]:
    """Yield the rows of a list of URLs that is not Parquet. It may be compressed with gzip or bzip2.

    Text has the column `url`, and a sitemap `url` and `lastmod`.

    Args:
        check_header: Called with the columns of a CSV file. It may raise.
        known: The columns that rows may have, or None for all. Rows with other columns are set aside.
    Raises: InvalidOption: A sitemap has another root element, or is a sitemap index.
    """
    position = 0
    # Rows of other formats have the same columns.
    known = known if format == "ndjson" else None
    try:
        content = decompressed(stream, name)
        if format == "csv":
            rows = read_csv(content, name, advance, check_header, fold_names=False)
        elif format == "ndjson":
            rows = read_ndjson(content, advance, fold_names=False)
        elif format == "sitemap":
            yield from _sitemap_rows(content, name, advance)
            return
        else:
            rows = _text_rows(content, advance)
        for position, row in rows:
            if isinstance(row, BadRows):
                yield row.to_fault(name, position)
            elif known is not None and not row.keys() <= known:
                unknown = quoted(min(row.keys() - known))
                yield Fault(name, position, f"a row has the column {unknown}, which the first row does not have")
            else:
                yield row
    except (OSError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        yield Fault(name, position, f"cannot be read after this row: {reason}", is_end=True, lost=None)
    except CanfetchError:
        raise
    except Exception as error:  # noqa: BLE001 - hostile content must cost one list, and not the others
        yield Fault(name, position, unexpected_error(error, "row"), is_end=True, lost=None)


def check_url_column(column: str, name: str) -> Callable[[list[str]], None]:
    """Return a function that raises InvalidOption if a table lacks a column, or two columns have the same name."""

    def check(columns: list[str]) -> None:
        if column not in columns:
            raise missing_column(column, columns, name, "--url-column")
        check_different_names(columns, name)

    return check


def missing_column(column: str, columns: Sequence[str], name: str, option: str) -> InvalidOption:
    """Return the error about a column that a list lacks.

    Args: option: The option with the name of the column.
    """
    similar = [known for known in columns if known.lower() == column.lower()]
    advice = f"did you mean {option} {similar[0]}?" if similar else f"expected one of {', '.join(columns)[:200]}"
    return InvalidOption(f"{quoted(name)} has no column {quoted(column)}: {advice}")


def _text_rows(stream: BinaryIO, advance: Callable[[int], None]) -> Iterator[PlacedRow]:
    lines = read_lines(stream, advance)
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE_BYTES:
            yield number, BadRows(TOO_LONG)
            skip_line(line, lines)
            continue
        # Lines may end with a carriage return only.
        for part in line.split(b"\r"):
            text = part.decode("utf-8", "surrogateescape").removeprefix("\ufeff").strip()
            if text:
                yield number, {"url": text}


def _sitemap_rows(stream: BinaryIO, name: str, advance: Callable[[int], None]) -> Iterator[Row | Fault]:
    # Only for sitemaps: it imports the client.
    from canfetch.sitemaps import ListedURL, SitemapContent, SitemapKind  # noqa: PLC0415

    # If the compressed data is cut, `read` drops what it has decompressed before.
    read = getattr(stream, "read1", stream.read)

    def parts() -> Iterator[bytes]:
        while data := read(_READ_BYTES):
            advance(len(data))
            yield data

    content = SitemapContent(parts())
    for entry in content.entries():
        if content.kind is SitemapKind.INDEX:
            break
        if isinstance(entry, ListedURL):
            yield {"url": entry.url, "lastmod": entry.lastmod}
        else:
            yield Fault(name, entry.line, entry.reason)
    if content.kind is SitemapKind.INDEX:
        raise InvalidOption(f"{quoted(name)} is a sitemap index: pass its sitemaps")
    if not content.bytes:
        yield Fault(name, 0, "the sitemap is empty", is_end=True, lost=None)
    yield from _sitemap_faults(content.problems, name, content.urls)


def _sitemap_faults(problems: "Sequence[SitemapProblem]", name: str, position: int) -> Iterator[Fault]:
    for problem in problems:
        if problem.kind == "not-a-sitemap":
            raise InvalidOption(f"{quoted(name)} is {problem.detail}")
        if problem.is_end or problem.kind == "invalid-url":
            yield Fault(name, position, problem.detail, problem.is_end, None if problem.is_end else 1)
