"""The rows that all log formats are read into."""

from typing import Literal

from canfetch.agents.identity import SignedRequest

# A row is a plain tuple, because a log has millions of them: the host, the client's address, the time as the log writes
# it, the target or URL, the status, the User-Agent header, a line that could not be read, and the request if it is
# signed and the log has its signature. If there is a line that could not be read, all others are empty. A blank line
# is a row whose elements are all empty.
Row = tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, SignedRequest | Literal[b""]]


def bad_row(line: bytes) -> Row:
    """Return the row of a line that could not be read."""
    return (b"", b"", b"", b"", b"", b"", line, b"")
