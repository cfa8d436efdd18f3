"""Folders with one robots.txt in each file."""

import os
from collections.abc import Callable, Iterator
from typing import Final

from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES, Capture, Fault
from canfetch.bulk.reading.datasets import METADATA_PREFIXES, raise_error
from canfetch.bulk.reading.file_names import format_of_name, named_capture
from canfetch.core.text import printable_text

_TABLE: Final = "a table or an archive by its suffix, and not a robots.txt: pass it by itself"


def has_files(path: str) -> bool:
    """Return whether `read_folder` yields anything.

    Raises: OSError: The folder cannot be read.
    """
    return next(read_folder(path, lambda _: None), None) is not None


def read_folder(path: str, advance: Callable[[int], None]) -> Iterator[Capture | Fault]:
    """Yield the files below a folder, in the order of their names.

    Hidden files and folders are skipped, and those whose names start with `_`, which no host does.

    Raises: OSError: The folder cannot be read.
    """
    position = 0
    for folder, folders, files in os.walk(path, onerror=raise_error):
        folders[:] = sorted(name for name in folders if not name.startswith(METADATA_PREFIXES))
        for name in folders:
            full = os.path.join(folder, name)  # noqa: PTH118 - pathlib is slow for millions of files
            if os.path.islink(full):  # noqa: PTH114 - as above
                position += 1
                relative = os.path.relpath(full, path).replace(os.sep, "/")
                yield Fault(path, position, f"{printable_text(relative)}: a link to a folder, which is not followed")
        for file in sorted(files):
            if file.startswith(METADATA_PREFIXES):
                continue
            position += 1
            full = os.path.join(folder, file)  # noqa: PTH118 - as above
            relative = os.path.relpath(full, path).replace(os.sep, "/")
            try:
                if not os.path.isfile(full):  # noqa: PTH113 - as above
                    # Reading a named pipe would wait for a writer.
                    yield Fault(path, position, f"{printable_text(relative)}: not a regular file")
                    continue
                if format_of_name(file) is not None:
                    yield Fault(path, position, f"{printable_text(relative)}: {_TABLE}")
                    continue
                with open(full, "rb") as stream:  # noqa: PTH123 - as above
                    content = stream.read(MAX_CONTENT_BYTES)
            except OSError as error:
                yield Fault(path, position, f"{printable_text(relative)}: {error.strerror or error}")
                continue
            advance(len(content))
            yield named_capture(relative, content, path, position)
