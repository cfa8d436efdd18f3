"""A file takes the place of another whole: written beside it, then renamed, so that no moment has half of it."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from canfetch.cli.problems import Problem
from canfetch.core.quoting import quoted


def rewrite(path: str, octets: bytes) -> None:
    """Write a file in the place of the one of that name, with its permissions; through links, to what they lead to.

    Raises: Problem: it cannot be written; what was there is there still.
    """
    target = os.path.realpath(path)
    beside = None
    try:
        handle, beside = tempfile.mkstemp(prefix=".canfetch-", dir=Path(target).parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(octets)
            stream.flush()
            os.fsync(stream.fileno())
        with suppress(FileNotFoundError):
            Path(beside).chmod(Path(target).stat().st_mode & 0o7777)
        Path(beside).replace(target)
    except OSError as error:
        if beside is not None:
            Path(beside).unlink(missing_ok=True)
        what = error.strerror or str(error)
        raise Problem(f"{quoted(path)} cannot be written: {what}: it is as it was") from None
