"""Inputs: their format, and the captures in them."""

import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from typing import BinaryIO, Final, NamedTuple

from canfetch.bulk.reading.captures import EMPTY, Capture, Fault, is_robots_url
from canfetch.bulk.reading.compressed_tables import GZIP_MAGIC, check_compression, decompressed
from canfetch.bulk.reading.datasets import list_parts
from canfetch.bulk.reading.file_names import format_of_name, is_json_name
from canfetch.bulk.reading.folders import read_folder
from canfetch.bulk.reading.row_files import BadRows, EmptyTable, PlacedRow, read_csv, read_ndjson, read_parquet
from canfetch.bulk.reading.rows import COLUMNS, missing_columns, target_captures, to_capture
from canfetch.bulk.reading.tar_files import read_tar
from canfetch.bulk.reading.warc import read_warc
from canfetch.bulk.reading.warc_records import ARC, WARC
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import CanfetchError, InvalidOption

STANDARD_INPUT: Final = "-"
FORMATS: Final = ("warc", "arc", "folder", "tar", "parquet", "csv", "ndjson")
WEB_ARCHIVES: Final = frozenset(["warc", "arc"])
"""The formats of archives with all responses of a crawl, and their headers."""
_TEXT: Final = ".txt"
_ARC_MAGIC: Final = b"filedesc://"
_PEEK_BYTES: Final = 1024
_TAR_MAGIC_AT: Final = 257
# The rows of an NDJSON table of which one must have the columns of a table of files.
_HEADER_ROWS: Final = 1000


class Source(NamedTuple):
    """An input: its name, its format, its size in bytes if it is a file, and whether it is one of several parts."""

    name: str
    format: str
    size: int | None
    is_part: bool = False


def sources_of(name: str, format: str | None = None) -> list[Source]:  # noqa: A002 - the option's name
    """Return an input, or the files in a folder of tables or archives. See `find_source`.

    Raises: InvalidOption, OSError.
    """
    parts = list_parts(name, format)
    return [find_source(part, format)._replace(is_part=part != name) for part in parts]


def find_source(name: str, format: str | None = None) -> Source:  # noqa: A002 - the option's name
    """Return an input and its format, by its name or its first bytes.

    Args:
        name: A file, a folder, or `-` for standard input. A pipe is read once, by `read_source`.
        format: The format, or None to recognise it. That of a pipe without a suffix is not recognised.
    Raises: InvalidOption: The format is not recognised. OSError: The input cannot be read.
    """
    if name == STANDARD_INPUT:
        if format in {None, "folder", "parquet"}:
            raise InvalidOption("standard input needs --input-format, one of warc, arc, tar, csv and ndjson")
        return Source(name, str(format), None)
    if os.path.isdir(name):  # noqa: PTH112 - pathlib is not needed otherwise
        return Source(name, "folder", None)
    if not is_regular_file(name):
        # Reading its first bytes would lose them.
        form = format or format_of_name(name)
        if form in {None, "folder", "parquet"}:
            raise InvalidOption(
                f"{quoted(name)} is not a regular file: pass --input-format, one of warc, arc, tar, csv and ndjson, "
                "or save it to a file"
            )
        return Source(name, str(form), None)
    size = os.path.getsize(name)  # noqa: PTH202 - as above
    if format is None:
        format = format_of_name(name) or _format_of_content(name)  # noqa: A001 - as above
        check_json_lines(name)
    if format in {None, "folder"}:
        raise _unknown_format(name) if format is None else InvalidOption(f"{quoted(name)} is not a folder")
    return Source(name, str(format), size)


def _unknown_format(name: str) -> InvalidOption:
    advice = f"pass --input-format, one of {', '.join(form for form in FORMATS if form != 'folder')}"
    if name.lower().endswith(_TEXT):
        folder = os.path.dirname(name) or "."  # noqa: PTH120 - as above
        advice = f"pass the folder {quoted(folder)}, whose files are named after their hosts"
    return InvalidOption(f"{quoted(name)}: unknown format: {advice}")


def is_regular_file(name: str) -> bool:
    """Return whether a name is a regular file, and not a pipe or a device, which can be read only once.

    Raises: OSError: It does not exist.
    """
    return stat.S_ISREG(os.stat(name).st_mode)  # noqa: PTH116 - as above


def _format_of_content(name: str) -> str | None:
    with open(name, "rb") as stream:  # noqa: PTH123 - as above
        head = stream.read(_PEEK_BYTES)
    if head.startswith(GZIP_MAGIC):
        try:
            head = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(head, _PEEK_BYTES)
        except zlib.error:
            return None
    check_compression(head, name)
    if head.startswith(b"WARC/"):
        return "warc"
    if head.startswith(_ARC_MAGIC):
        return "arc"
    if head.startswith(b"PAR1"):
        return "parquet"
    if head[_TAR_MAGIC_AT:].startswith(b"ustar"):
        return "tar"
    return "ndjson" if head.lstrip().startswith(b"{") else None


def check_json_lines(name: str) -> None:
    """Check that a file with the suffix `.json` is not an array, which other programs write.

    Raises: InvalidOption. OSError: It cannot be read.
    """
    if not is_json_name(name):
        return
    with open(name, "rb") as stream:  # noqa: PTH123 - as above
        if stream.read(_PEEK_BYTES).lstrip().startswith(b"["):
            raise InvalidOption(f"{quoted(name)} is a JSON array: expected one JSON object per line, as in NDJSON")


def read_captures(name: str, *, format: str | None = None) -> Iterator[Capture | Fault]:  # noqa: A002 - as above
    """Yield the robots.txt captures of an archive in order, and the records that are set aside.

    Responses of other URLs than `/robots.txt` are left out.

    Args:
        name: A WARC or ARC file, a tar file, a Parquet, CSV or NDJSON table, a folder of robots.txt files, or one of
            such archives or tables; `-` for standard input.
        format: One of `warc`, `arc`, `folder`, `tar`, `parquet`, `csv` and `ndjson`, or None to recognise it.
    Raises: OSError: The archive cannot be opened. InvalidOption: Its format is unknown, or it is not a table of files.
        MissingExtra: Its format needs a package that is not installed.
    Cost: O(bytes); a few MiB are in memory, and up to 32 MiB more for links in tar files.
    """
    items = chain.from_iterable(read_source(source, wants=is_robots_url) for source in sources_of(name, format))
    # A row of a table may be another URL.
    return (item for item in items if isinstance(item, Fault) or is_robots_url(item.url))


def read_source(
    source: Source, *, wants: Callable[[str], bool], advance: Callable[[int], None] = lambda _: None
) -> Iterator[Capture | Fault]:
    """Yield the captures of an input in order, and the records that are set aside.

    Args:
        wants: Whether the capture of a URL is needed.
        advance: Called with the number of bytes that were read.
    Raises: OSError: The input cannot be opened. InvalidOption: It is not a table of files. MissingExtra: Its format
        needs a package that is not installed.
    Cost: O(bytes); a few MiB are in memory, and up to 32 MiB more for links in tar files.
    """
    position = 0
    try:
        for item in _read_items(source, wants, advance):
            position = item.position
            yield item
    except (CanfetchError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 - hostile content must cost one archive, and not the others
        yield Fault(source.name, position, unexpected_error(error, "record"), is_end=True, lost=None)


def unexpected_error(error: Exception, row: str) -> str:
    """Return what is wrong with an input after an error that its parser does not document.

    Args: row: The unit of the input.
    """
    found = printable_text(f"{type(error).__name__}: {error}"[:200]).rstrip(": ")
    return f"cannot be read after this {row}: {found}"


def _read_items(
    source: Source, wants: Callable[[str], bool], advance: Callable[[int], None]
) -> Iterator[Capture | Fault]:
    if source.format == "folder":
        yield from read_folder(source.name, advance)
    elif source.format == "parquet" and source.size == 0:
        yield Fault(source.name, 0, EMPTY, is_end=True, lost=None)
    elif source.format == "parquet":
        yield from _captures(read_parquet(source.name, advance, _check_header(source), columns=COLUMNS), source)
    else:
        stream = _open(source)
        try:
            yield from _read_stream(stream, source, wants, advance)
        finally:
            if source.name != STANDARD_INPUT:
                stream.close()


def _open(source: Source) -> BinaryIO:
    return sys.stdin.buffer if source.name == STANDARD_INPUT else open(source.name, "rb")  # noqa: PTH123 - closed


def _read_stream(
    stream: BinaryIO, source: Source, wants: Callable[[str], bool], advance: Callable[[int], None]
) -> Iterator[Capture | Fault]:
    # Spark writes parts without a row.
    position, is_empty = 0, source.format == "ndjson" and not source.is_part
    try:
        if source.format in WEB_ARCHIVES:
            record_format = ARC if source.format == "arc" else WARC
            items = read_warc(stream, source.name, wants=wants, advance=advance, record_format=record_format)
        elif source.format == "tar":
            items = read_tar(stream, source.name, advance)
        else:
            items = _captures(_table_rows(stream, source, advance), source)
        for item in items:
            position, is_empty = item.position, False
            yield item
    except EmptyTable:
        is_empty = True
    except (OSError, EOFError, zlib.error) as error:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        is_empty = False
        yield Fault(source.name, position, f"cannot be read after this record: {reason}", is_end=True, lost=None)
    if is_empty:
        yield Fault(source.name, 0, EMPTY, is_end=True, lost=None)


def _table_rows(stream: BinaryIO, source: Source, advance: Callable[[int], None]) -> Iterator[PlacedRow]:
    lines = decompressed(stream, source.name)
    if source.format == "csv":
        return read_csv(lines, source.name, advance, _check_header(source))
    return _json_rows(read_ndjson(lines, advance), source)


def _json_rows(rows: Iterator[PlacedRow], source: Source) -> Iterator[PlacedRow]:
    """Yield the rows of an NDJSON table, which has no header.

    Raises: InvalidOption: None of the first rows has the columns of a table of files.
    """
    columns: list[str] | None = None
    held: list[PlacedRow] = []
    for position, row in rows:
        if isinstance(row, BadRows):
            held.append((position, row))
        elif missing_columns(row) is None:
            yield from held
            yield position, row
            yield from rows
            return
        else:
            columns = list(row) if columns is None else columns
            # The reason is smaller than the row.
            found = to_capture(row, source.name, position)
            held.append((position, BadRows(found.reason) if isinstance(found, Fault) else row))
        if columns is None:
            yield from held
            held = []
        elif len(held) == _HEADER_ROWS:
            break
    if columns is not None:
        _check_header(source)(columns)


def check_different_names(columns: list[str], name: str) -> None:
    """Check that a table has one column of each name.

    Raises: InvalidOption.
    """
    repeated = next((column for column in columns if columns.count(column) > 1), None)
    if repeated is not None:
        raise InvalidOption(f"{quoted(name)} has two columns {quoted(repeated)}: rename one")


def _check_header(source: Source) -> Callable[[list[str]], None]:
    def check(columns: list[str]) -> None:
        expected = missing_columns(columns)
        if expected is not None:
            found = ", ".join(columns)[:200]
            raise InvalidOption(f"{quoted(source.name)} has the columns {found}: expected {expected}")
        check_different_names([name for name in columns if name in COLUMNS], source.name)

    return check


def _captures(rows: Iterator[PlacedRow], source: Source) -> Iterator[Capture | Fault]:
    for position, row in rows:
        if isinstance(row, BadRows):
            yield row.to_fault(source.name, position)
        else:
            yield to_capture(row, source.name, position, empty_is_null=source.format == "csv")
            yield from target_captures(row, source.name, position)
