"""What a failed run leaves: the folder of the unfinished output, if the same command continues there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from canfetch.bulk.archives.archive_job import has_progress
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.progress import Progress
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError


@contextmanager
def unfinished(folder: WorkFolder) -> Iterator[None]:
    """Add to errors how to continue and how to remove the folder. Without progress, remove it.

    Raises: CommandError: In place of an error of the run.
    """
    try:
        yield
    except KeyboardInterrupt:
        advice = _advice(folder)
        if advice:
            Progress().print_error(f"canfetch: interrupted; {advice}")
        raise
    except BrokenPipeError:
        raise
    except (CanfetchError, CommandError, OSError) as error:
        message = _message(error)
        # Some errors remain until the run is restarted.
        advice = "" if "--restart" in message else _advice(folder)
        raise CommandError(f"{message}; {advice}" if advice else message) from None


def _message(error: Exception) -> str:
    if not isinstance(error, OSError) or isinstance(error, CanfetchError):
        return str(error)
    subject = "cannot write the output" if error.filename is None else quoted(os.fsdecode(error.filename))
    return f"{subject}: {error.strerror or error}"


def _advice(folder: WorkFolder) -> str:
    """Return how to continue, or remove the folder and return an empty text."""
    if has_progress(folder):
        return f"the same command continues, and deleting {quoted(str(folder.path))} discards the work so far"
    with suppress(OSError):
        folder.discard()
    return ""
