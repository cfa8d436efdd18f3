"""The rows that all log formats are read into."""

# A row is a plain tuple, because a log has millions of them: the host, the client's address, the time as the log writes
# it, the target or URL, the status, the User-Agent header, and a line that could not be read. Either the last one is
# empty, or all others are. A blank line is a row whose elements are all empty.
Row = tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes]


def bad_row(line: bytes) -> Row:
    """Return the row of a line that could not be read."""
    return (b"", b"", b"", b"", b"", b"", line)
