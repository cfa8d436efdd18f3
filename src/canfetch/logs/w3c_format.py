"""The extended log format of W3C, which CloudFront and IIS write: a `#Fields:` line names the columns."""

from typing import Final
from urllib.parse import unquote_to_bytes

from canfetch.logs.rows import Row, bad_row

W3C_FIELDS: Final = b"#Fields:"
# The first of these columns that a log has is used.
_CLIENT: Final = (b"c-ip",)
_PATH: Final = (b"cs-uri-stem", b"cs-uri")
_QUERY: Final = (b"cs-uri-query",)
_STATUS: Final = (b"sc-status",)
_USER_AGENT: Final = (b"cs(User-Agent)",)
_HOST: Final = (b"x-host-header", b"cs-host", b"cs(Host)")
_DATE: Final = (b"date",)
_TIME: Final = (b"time",)
_TIMESTAMP: Final = (b"timestamp", b"timestamp(ms)")
_ABSENT: Final = b"-"


class W3CFormat:
    """Columns separated by tabs or spaces. The columns may change within a log."""

    def __init__(self) -> None:
        self._set_columns(b"")

    def rows(self, block: bytes) -> list[Row]:
        """Return the rows of whole lines.

        Args: block: Lines separated by a newline, without one at the end.
        Cost: O(bytes).
        """
        return [self._read(line) for line in block.split(b"\n")]

    def _set_columns(self, line: bytes) -> None:
        names = line.removeprefix(W3C_FIELDS).split()
        columns = {name.lower(): index for index, name in enumerate(names)}

        def find(choices: tuple[bytes, ...]) -> int | None:
            return next((columns[name.lower()] for name in choices if name.lower() in columns), None)

        self._count = len(names)
        self._client, self._path = find(_CLIENT), find(_PATH)
        self._query, self._user_agent, self._host = find(_QUERY), find(_USER_AGENT), find(_HOST)
        self._status = find(_STATUS)
        self._date, self._time, self._timestamp = find(_DATE), find(_TIME), find(_TIMESTAMP)

    def _read(self, line: bytes) -> Row:
        line = line.rstrip(b"\r")
        if line.startswith(b"#"):
            if line.startswith(W3C_FIELDS):
                self._set_columns(line)
            return bad_row(b"")
        if not line:
            return bad_row(b"")
        separator = b"\t" if b"\t" in line else b" "
        values = line.split(separator)
        if len(values) != self._count or self._client is None or self._path is None:
            return bad_row(line)

        def value(index: int | None) -> bytes:
            found = b"" if index is None else values[index]
            return b"" if found == _ABSENT else found

        query, user_agent = value(self._query), value(self._user_agent)
        if separator == b" ":
            # IIS writes a plus sign for each space.
            user_agent = user_agent.replace(b"+", b" ")
        when = value(self._timestamp)
        if not when:
            when = value(self._date) + b"T" + value(self._time) + b"Z"
        return (
            value(self._host),
            value(self._client),
            when,
            value(self._path) + (b"?" + query if query else b""),
            value(self._status),
            unquote_to_bytes(user_agent),
            b"",
            b"",
        )
