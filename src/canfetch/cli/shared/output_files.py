"""A file takes the place of another whole: written beside it, then renamed, so that no moment has half of it."""

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from canfetch.cli.shared.problems import Problem
from canfetch.core.quoting import quoted


@contextmanager
def written_beside(target: Path, octets: bytes) -> Iterator[Path]:
    """Give a file with these octets beside its place, with the permissions that it will have; it is gone afterwards.

    Raises: OSError: it cannot be written.
    """
    beside = target.with_name(f".canfetch-{secrets.token_hex(8)}")
    try:
        # Made anew, it has the permissions that any new file of the user has.
        with beside.open("xb") as stream:
            with suppress(FileNotFoundError):
                beside.chmod(target.stat().st_mode & 0o7777)
            stream.write(octets)
            stream.flush()
            os.fsync(stream.fileno())
        yield beside
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def rewrite(path: str, octets: bytes) -> None:
    """Write a file in the place of the one of that name, with its permissions; through links, to what they lead to.

    Raises: Problem: it cannot be written; what was there is there still.
    """
    target = Path(os.path.realpath(path))
    try:
        with written_beside(target, octets) as beside:
            beside.replace(target)
    except OSError as error:
        what = error.strerror or str(error)
        raise Problem(f"{quoted(path)} cannot be written: {what}: it is as it was") from None


def to_standard_output(octets: bytes) -> None:
    """Write octets behind what was written there before."""
    sys.stdout.flush()
    sys.stdout.buffer.write(octets)
    sys.stdout.buffer.flush()
