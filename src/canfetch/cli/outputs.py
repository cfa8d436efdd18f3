"""A file that a command writes: whole or not at all, and over another only when that is wanted."""

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from canfetch.cli.problems import Problem
from canfetch.core.quoting import quoted

_READABLE: int = 0o644


def write_output(name: str, octets: bytes, *, force: bool) -> None:
    """Write a file: beside its place first, and then renamed.

    Args: force: whether a file that is there may be replaced.
    Raises: Problem: there is one already, or it cannot be written.
    """
    place = Path(name)
    if place.is_dir():
        raise Problem(f"--output {quoted(name)} is a directory: give a file in it")
    if not force and os.path.lexists(place):
        raise Problem(f"--output {quoted(name)} is there already: give --force to replace it, or another name")
    beside = None
    try:
        with NamedTemporaryFile(dir=place.parent, prefix=f".{place.name}.", delete=False) as file:
            beside = Path(file.name)
            file.write(octets)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(place.stat().st_mode & 0o777 if place.exists() else _READABLE)
        if force:
            beside.replace(place)
        else:
            _put(beside, place)
    except FileExistsError:
        _remove(beside)
        raise Problem(
            f"--output {quoted(name)} is there already: give --force to replace it, or another name"
        ) from None
    except OSError as error:
        _remove(beside)
        raise Problem(f"--output {quoted(name)} cannot be written: {error.strerror or error}: give another") from None


def _put(beside: Path, place: Path) -> None:
    try:
        # Somebody may have made a file there since, and a rename would not tell.
        place.hardlink_to(beside)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links.
        beside.rename(place)
    else:
        beside.unlink()


def _remove(beside: Path | None) -> None:
    if beside is not None:
        beside.unlink(missing_ok=True)
