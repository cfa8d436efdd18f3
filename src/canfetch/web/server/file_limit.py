"""The limit of open files, and the number of connections that a server can have within it."""

from typing import Final

from canfetch.errors import InvalidOption

# In an iteration of the event loop. The others wait in the backlog of the system.
ACCEPTED_AT_A_TIME: Final = 16
# Before it is counted, or closed because there are too many, an accepted connection waits for further iterations.
_ITERATIONS: Final = 4
# Also for the store, the pipes of processes, libraries, and the resolution of names.
_OTHER_FILES: Final = 48 + _ITERATIONS * ACCEPTED_AT_A_TIME
MIN_FILES: Final = _OTHER_FILES + 64
"""The lowest limit, for 32 connections and as many fetches."""


def allowed_connections(wanted: int, *, fetches: int) -> int:
    """Return how many connections a server can have, and raise the soft limit of open files if that allows more.

    Args:
        wanted: The most connections.
        fetches: Fetches at a time, which need files as well.
    Raises: InvalidOption: The limit of open files is too low for a server.
    """
    limit = _raise_limit(_OTHER_FILES + fetches + wanted)
    if limit is None:
        return wanted
    if limit < MIN_FILES:
        raise InvalidOption(
            f"the limit of open files is {limit}, and the server needs at least {MIN_FILES}: raise the hard limit "
            "(ulimit -Hn, LimitNOFILE= in systemd, --ulimit nofile= in Docker)"
        )
    files = limit - _OTHER_FILES
    # Under a low limit, fewer fetches than allowed find files.
    return min(wanted, max(files - fetches, files // 2))


def _raise_limit(files: int) -> int | None:
    """Raise the soft limit to a number of files, as far as the system allows. Return it, or None without a limit."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    raised = files if hard == resource.RLIM_INFINITY else min(files, hard)
    if raised > soft:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
        except (OSError, ValueError):
            return soft
        return raised
    return soft
