"""Folders with the parts of a table or an archive, as Spark, Dask and Polars write them."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from canfetch.bulk.reading.file_names import format_of_name, is_json_name, is_text_part_name
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

_FOLDER: Final = "folder"
METADATA_PREFIXES: Final = ("_", ".")
"""The starts of the names of files about a dataset, such as `_SUCCESS` and `_metadata`, and of hidden files."""
# Lists of URLs whose suffixes are also those of documentation.
_LISTS: Final = frozenset({"text", "sitemap"})
# Without a dot in the first part: `readme.example.txt` is the file of a host.
_DOCUMENTATION: Final = re.compile(
    r"(readme|licen[cs]e|copying|notice|changelog|checksums?|md5sums?|sha256sums?)[\w-]*(\.(txt|html|rst))?"
    r"|.*\.(md|rst|crc|md5|sha1|sha256|sha512|asc|sig)",
    re.ASCII | re.IGNORECASE,
)
_DELTA_LOG: Final = "_delta_log"


def list_parts(name: str, format: str | None = None) -> list[str]:  # noqa: A002 - the option's name
    """Return the files of a folder of tables or archives, in the order of their names, or else the name itself.

    A folder of robots.txt files is not divided: no file has the suffix of a table or an archive. Next to tables and
    archives, documentation and checksums are skipped, such as `README.md`.

    Args:
        name: A file, a folder or another name.
        format: The format of the files, or None to recognise it. With `folder`, it is not divided.
    Raises: InvalidOption: The folder has other files, too, or its files are not the whole table. OSError: The folder
        cannot be read.
    Cost: O(files). Only names are read, and those of a folder of robots.txt files are not kept.
    """
    if format == _FOLDER or not os.path.isdir(name):  # noqa: PTH112 - a name as typed
        return [name]
    parts: list[str] = []
    other = None
    # All names are read: the result must not depend on which file comes first.
    for file in _visible_files(name):
        base = os.path.basename(file)  # noqa: PTH119 - pathlib is slow for millions of files
        if format_of_name(base) is not None:
            parts.append(file)
        elif format in _LISTS or not _DOCUMENTATION.fullmatch(base):
            if format is not None:
                parts.append(file)
            elif other is None or is_text_part_name(other):
                other = base if is_text_part_name(base) else file
        if parts and other is not None:
            raise _mixture(name, parts[0], other)
    if not parts:
        _check_other(name, other)
        return [name]
    _check_layout(name, parts)
    if format is None:
        _check_json(name, parts)
    return parts


def _check_other(name: str, other: str | None) -> None:
    """Check that a folder has other files than text whose format is unknown.

    Raises: InvalidOption.
    """
    if other is not None and is_text_part_name(other):
        raise InvalidOption(
            f"the folder {quoted(name)} has {quoted(other)}, whose format its name does not show: pass it, such as "
            "--input-format ndjson, or --urls-format text for a list"
        )


def _check_json(name: str, parts: list[str]) -> None:
    """Check that files with the suffix `.json` are tables: next to others, they are about these.

    Raises: InvalidOption.
    """
    document = next((part for part in parts if is_json_name(part)), None)
    table = next((part for part in parts if format_of_name(part) != "ndjson"), None)
    if document is not None and table is not None:
        raise _mixture(name, table, document)


def _mixture(name: str, table: str, other: str) -> InvalidOption:
    return InvalidOption(
        f"the folder {quoted(name)} has {quoted(table)} and {quoted(other)}: pass tables and "
        "archives one by one, and robots.txt files in a folder of their own"
    )


def _visible_files(name: str) -> Iterator[str]:
    for folder, folders, files in os.walk(name, onerror=raise_error):
        folders[:] = sorted(child for child in folders if not child.startswith(METADATA_PREFIXES))
        for file in sorted(files):
            if not file.startswith(METADATA_PREFIXES):
                yield os.path.join(folder, file)  # noqa: PTH118 - pathlib is slow for millions of files


def _check_layout(name: str, parts: list[str]) -> None:
    """Check that the rows of the files are those of the table.

    Raises: InvalidOption.
    """
    if os.path.isdir(os.path.join(name, _DELTA_LOG)):  # noqa: PTH112, PTH118 - a name as typed
        raise InvalidOption(
            f"{quoted(name)} is a Delta table, which may have files of earlier versions: write it as plain Parquet"
        )
    for part in parts:
        for folder in Path(part).relative_to(name).parts[:-1]:
            column, equals, _ = folder.partition("=")
            if equals:
                raise InvalidOption(
                    f"{quoted(name)} is partitioned by {quoted(column)}, so that its files lack this column: "
                    "write it without partitions, or pass the files one by one to leave the column out"
                )


def raise_error(error: OSError) -> None:
    """Raise an error that `os.walk` would ignore."""
    raise error
