"""A file that a command writes: whole or not at all, and over another only when that is wanted."""

import os
from pathlib import Path

from canfetch.cli.shared.output_files import written_beside
from canfetch.cli.shared.problems import Problem
from canfetch.core.quoting import quoted


def write_output(name: str, octets: bytes, *, force: bool) -> None:
    """Write a file: beside its place first, and then renamed.

    Args: force: whether a file that is there may be replaced.
    Raises: Problem: there is one already, or it cannot be written.
    """
    place = Path(name)
    if place.is_dir():
        raise Problem(f"--output {quoted(name)} is a directory: give a file in it")
    there = Problem(f"--output {quoted(name)} is there already: give --force to replace it, or another name")
    if not force and os.path.lexists(place):
        raise there
    try:
        with written_beside(place, octets) as beside:
            if force:
                beside.replace(place)
            else:
                _put(beside, place)
    except FileExistsError:
        raise there from None
    except OSError as error:
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
