"""The Parquet files that workers read."""

import os
from collections.abc import Iterable
from glob import glob, has_magic
from urllib.parse import unquote, urlsplit

from canfetch.bulk.reading.datasets import list_parts
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

AnyPaths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
"""A Parquet file, a folder of them, or several."""


def list_files(paths: AnyPaths) -> list[str]:
    """Return the files of paths.

    The files of a folder are in the order of their names, without `_SUCCESS` and the like.

    Raises: InvalidOption: There is no file, or a folder is partitioned. OSError: A folder cannot be read.
    """
    names = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not names:
        raise InvalidOption("paths is empty: expected at least one Parquet file")
    return [file for name in names for file in _files_of(os.fspath(name))]


def _files_of(name: str) -> list[str]:
    if "://" in name and not name.startswith("file:"):
        _check_scheme(name)
        return [name]
    local = unquote(urlsplit(name).path) if name.startswith("file:") else name
    if has_magic(local) and not os.path.exists(local):  # noqa: PTH110 - a name as typed
        matches = sorted(match for match in glob(local) if not os.path.basename(match).startswith(("_", ".")))  # noqa: PTH119, PTH207
        if not matches:
            raise InvalidOption(f"no file matches {quoted(name)}")
        return [file for match in matches for file in _files_of(match)]
    if not os.path.isdir(local):  # noqa: PTH112 - as above
        return [name]
    files = list_parts(local, "parquet")
    if files == [local]:
        raise InvalidOption(f"the folder {quoted(name)} has no Parquet files")
    return files


def _check_scheme(name: str) -> None:
    """Check that pyarrow may know the scheme: it has others than Hadoop.

    Raises: InvalidOption.
    """
    scheme = name.partition("://")[0]
    if scheme in {"s3a", "s3n", "abfss", "wasbs", "dbfs"}:
        advice = "pass s3:// instead" if scheme.startswith("s3") else "pass a path that is mounted on all workers"
        raise InvalidOption(
            f"{quoted(name)}: workers read files with pyarrow, which does not know {scheme}://: {advice}"
        )
