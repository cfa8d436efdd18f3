"""Folders with the parts of a table or an archive, as Spark, Dask and Polars write them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from canfetch.bulk.reading.formats import format_of_name
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

_FOLDER: Final = "folder"
# The names of files about a dataset, such as `_SUCCESS` and `_metadata`, and of hidden files.
_METADATA: Final = ("_", ".")
_DELTA_LOG: Final = "_delta_log"


def list_parts(name: str, format: str | None = None) -> list[str]:  # noqa: A002 - the option's name
    """Return the files of a folder of tables or archives, in the order of their names, or else the name itself.

    A folder of robots.txt files is not divided: its first file has another suffix than a table or an archive.

    Args:
        name: A file, a folder or another name.
        format: The format of the files, or None to recognise it. With `folder`, it is not divided.
    Raises: InvalidOption: The folder has other files, too, or its files are not the whole table. OSError: The folder
        cannot be read.
    Cost: O(files) for a folder of tables or archives.
    """
    if format == _FOLDER or not os.path.isdir(name):  # noqa: PTH112 - a name as typed
        return [name]
    files = _visible_files(name)
    first = next(files, None)
    if first is None or (format is None and format_of_name(first) is None):
        return [name]
    parts = [first, *files]
    _check_layout(name, parts)
    other = next((part for part in parts if format is None and format_of_name(part) is None), None)
    if other is not None:
        raise InvalidOption(
            f"the folder {quoted(name)} has {quoted(first)} and {quoted(other)}: pass tables and "
            "archives one by one, and robots.txt files in a folder of their own"
        )
    return parts


def _visible_files(name: str) -> Iterator[str]:
    for folder, folders, files in os.walk(name, onerror=_raise):
        folders[:] = sorted(child for child in folders if not child.startswith(_METADATA))
        for file in sorted(files):
            if not file.startswith(_METADATA):
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


def _raise(error: OSError) -> None:
    raise error
