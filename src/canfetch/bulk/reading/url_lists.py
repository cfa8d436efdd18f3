"""Lists of URLs: text with one URL per line, sitemaps, and tables with a column of URLs."""

import gzip
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO, Final

from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.compressed_tables import decompressed
from canfetch.bulk.reading.formats import format_of_name
from canfetch.bulk.reading.row_files import (
    MAX_LINE_BYTES,
    PlacedRow,
    Row,
    is_cut,
    read_csv,
    read_ndjson,
)
from canfetch.bulk.reading.sources import check_different_names, unexpected_error
from canfetch.core.bounded_xml import BoundedParser, InvalidXML
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import CanfetchError, InvalidOption

FORMATS: Final = ("text", "sitemap", "csv", "ndjson", "parquet")
_READ_BYTES: Final = 1 << 16
# Source: sitemaps.org limits a URL to 2,048 characters; other elements are shorter.
_MAX_TEXT_CHARACTERS: Final = 1 << 16
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
    try:
        content = decompressed(stream, name)
        if format == "csv":
            rows = read_csv(content, name, advance, check_header, fold_names=False)
        elif format == "ndjson":
            rows = read_ndjson(content, advance, fold_names=False)
        elif format == "sitemap":
            rows = _sitemap_rows(content, name, advance)
        else:
            rows = _text_rows(content, advance)
        for position, row in rows:
            if isinstance(row, str):
                yield Fault(name, position, row, is_end=is_cut(row) or row.startswith(_SITEMAP_ENDS))
            elif known is not None and not row.keys() <= known:
                unknown = quoted(min(row.keys() - known))
                yield Fault(name, position, f"a row has the column {unknown}, which the first row does not have")
            else:
                yield row
    except (OSError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        yield Fault(name, position, f"cannot be read after this row: {reason}", is_end=True)
    except CanfetchError:
        raise
    except Exception as error:  # noqa: BLE001 - hostile content must cost one list, and not the others
        yield Fault(name, position, unexpected_error(error, "row"), is_end=True)


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
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        advance(len(line))
        if len(line) > MAX_LINE_BYTES:
            yield number, f"the line is too long: expected at most {MAX_LINE_BYTES >> 20} MiB"
            while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                advance(len(rest))
            continue
        # Lines may end with a carriage return only.
        for part in line.split(b"\r"):
            text = part.decode("utf-8", "surrogateescape").removeprefix("\ufeff").strip()
            if text:
                yield number, {"url": text}


_CUT_SITEMAP: Final = "the sitemap ends early"
_INVALID_XML: Final = "invalid XML"
_ROOT: Final = "urlset"
_INDEX: Final = "sitemapindex"
_ENTRY: Final = "url"
# Nothing after these errors is read.
_SITEMAP_ENDS: Final = (_CUT_SITEMAP, _INVALID_XML)


class _SitemapReader:
    """Collects the `loc` and `lastmod` of each `url` element, and the name of the root element."""

    def __init__(self) -> None:
        self.root: str | None = None
        self.rows: list[PlacedRow] = []
        self.parser = BoundedParser(self._start, self._end, self._add_text)
        self._row: Row = {}
        self._space = ""
        self._field: str | None = None
        self._text: list[str] = []
        self._size = 0

    def _start(self, space: str, name: str) -> None:
        if self.root is None:
            self.root = name
        if name == _ENTRY:
            self._row, self._space = {"url": None, "lastmod": None}, space
        elif name in {"loc", "lastmod"} and space == self._space:
            # Extensions, such as images, have other elements with these names.
            self._field, self._text, self._size = name, [], 0

    def _add_text(self, text: str) -> None:
        self._size += len(text)
        if self._field is not None and self._size <= _MAX_TEXT_CHARACTERS:
            self._text.append(text)

    def _end(self, name: str) -> None:
        if name == self._field:
            key = "url" if name == "loc" else name
            self._row[key] = "".join(self._text).strip()
            self._field = None
        elif name == _ENTRY:
            row = self._row
            self.rows.append((self.parser.line, row if row.get("url") else "no loc element"))


def _sitemap_rows(stream: BinaryIO, name: str, advance: Callable[[int], None]) -> Iterator[PlacedRow]:
    reader = _SitemapReader()
    try:
        while data := stream.read(_READ_BYTES):
            advance(len(data))
            try:
                reader.parser.feed(data)
            finally:
                # A web page is rarely valid XML. Its root element explains more than the first error.
                _check_root(reader.root, name)
            yield from reader.rows
            reader.rows.clear()
        reader.parser.feed(b"", is_end=True)
    except InvalidXML as error:
        yield from reader.rows
        reason = _CUT_SITEMAP if error.ends_early else f"{_INVALID_XML}: {printable_text(str(error)[:200])}"
        yield reader.parser.line, reason


def _check_root(root: str | None, name: str) -> None:
    """Check that a document is a sitemap and not an index. `root` is None before the root element.

    Raises: InvalidOption.
    """
    if root == _INDEX:
        raise InvalidOption(f"{quoted(name)} is a sitemap index: pass its sitemaps")
    if root not in {None, _ROOT}:
        raise InvalidOption(f"{quoted(name)} is not a sitemap: the root element is {printable_text(str(root))[:80]}")
