"""Log formats with one line of text for each request.

The common and combined formats of Apache and nginx can have the virtual host in front. In the extended format of W3C,
which CloudFront and IIS write, a `#Fields:` line names the columns.
"""

import re
from operator import itemgetter
from typing import Final
from urllib.parse import unquote_to_bytes

from canfetch.logs.log_blocks import Row, bad_row

# One expression for a whole block of lines, because a call for each line would take twice as long. Its groups are
# those of a row. The last but one takes the lines that it cannot read, and the last one is empty. No part of it can
# match in two ways, and none scans further than the next quotation mark, so it is linear.
#
# The classes of long fields exclude a single character, for which Python has a fast loop. So a match can reach into the
# next line, and escapes have no meaning: `CombinedFormat` reads such lines one by one.
_USUAL: Final = (
    rb'([^ \n]++) [^ \n]++ [^\[\n]*+\[([^\]]{1,40}+)\] "[A-Z]++ ([^ "\n]++)(?: HTTP/[0-9.]++)?" ([0-9]{3}) [^ \n]++'
    rb'(?: "[^"]*+" "([^"]*+)")?[^"\n]*+'
)
_HOST: Final = rb"(\[[0-9A-Fa-f:.]++\]|[^ :\n]++)(?::[0-9]+)? "
_BLOCK: Final = re.compile(rb"^(?:()" + _USUAL + rb"|(.*+))()$", re.MULTILINE)
_BLOCK_WITH_HOST: Final = re.compile(rb"^(?:" + _HOST + _USUAL + rb"|(.*+))()$", re.MULTILINE)
# A single line, which may have escapes, or a request that is not HTTP.
_QUOTED: Final = rb'"((?:[^"\\]|\\.)*+)"'
_LINE: Final = re.compile(
    rb"([^ \n]++) [^ \n]++ [^\[\n]*\[([^\]\n]++)\] "
    + _QUOTED
    + rb" ([0-9]{3}|-) [^ \n]++(?: "
    + _QUOTED
    + rb" "
    + _QUOTED
    + rb")?.*+",
    re.DOTALL,
)
_LINE_WITH_HOST: Final = re.compile(_HOST + _LINE.pattern, re.DOTALL)
_bad_line: Final = itemgetter(6)
# A target should not contain spaces, but clients send them.
_REQUEST: Final = re.compile(rb"[A-Za-z]++ (.+?)(?: HTTP/[0-9.]++)?", re.DOTALL)
_ESCAPE: Final = re.compile(rb"\\(?:x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_CONTROLS: Final = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"v": b"\v"}
W3C_FIELDS: Final = b"#Fields:"
# The first of these columns that a log has is used.
_CLIENT: Final = (b"c-ip",)
_PATH: Final = (b"cs-uri-stem", b"cs-uri")
_QUERY: Final = (b"cs-uri-query",)
_STATUS: Final = (b"sc-status",)
_USER_AGENT: Final = (b"cs(User-Agent)",)
_HOSTS: Final = (b"x-host-header", b"cs-host", b"cs(Host)")
_DATE: Final = (b"date",)
_TIME: Final = (b"time",)
_TIMESTAMP: Final = (b"timestamp", b"timestamp(ms)")
_ABSENT: Final = b"-"


class CombinedFormat:
    """`client ident user [time] "request" status bytes "referrer" "user agent"`.

    Args: with_host: Each line starts with the virtual host and a space.
    """

    def __init__(self, *, with_host: bool = False) -> None:
        self._block = _BLOCK_WITH_HOST if with_host else _BLOCK
        self._line = _LINE_WITH_HOST if with_host else _LINE

    def rows(self, block: bytes) -> list[Row]:
        """Return the rows of whole lines.

        Args: block: Lines separated by a newline, without one at the end.
        Cost: O(bytes).
        """
        rows: list[Row] = []
        start = 0
        # Lines with escapes are read one by one, and those between them as blocks.
        while (escape := block.find(b"\\", start)) >= 0:
            line_start = block.rfind(b"\n", start, escape) + 1
            if line_start:
                rows += self._read_block(block[start : line_start - 1])
            else:
                line_start = start
            line_end = block.find(b"\n", escape)
            if line_end < 0:
                return [*rows, self._read_line(block[line_start:])]
            rows.append(self._read_line(block[line_start:line_end]))
            start = line_end + 1
        return rows + self._read_block(block[start:])

    def _read_block(self, block: bytes) -> list[Row]:
        """Return the rows of lines without escapes."""
        rows: list[Row] = self._block.findall(block)
        if len(rows) <= block.count(b"\n"):
            # A line ends where a field should, so that the field reached into the next line.
            return [self._read_line(line) for line in block.split(b"\n")]
        if any(map(_bad_line, rows)):
            return [self._read_line(row[6]) if row[6] else row for row in rows]
        return rows

    def _read_line(self, line: bytes) -> Row:
        match = self._line.fullmatch(line)
        if match is None:
            return bad_row(line)
        *host, client, when, request, status, _referrer, user_agent = match.groups(default=b"")
        parts = _REQUEST.fullmatch(unescape(request))
        target = b"" if parts is None else parts[1]
        return (host[0] if host else b"", client, when, target, status, unescape(user_agent), b"", b"")


def unescape(text: bytes) -> bytes:
    r"""Replace the escapes of Apache and nginx, such as `\"` and `\x22`."""
    return _ESCAPE.sub(_replace_escape, text) if b"\\" in text else text


def _replace_escape(match: re.Match[bytes]) -> bytes:
    code, character = match.groups()
    if code is not None:
        return bytes([int(code, 16)])
    return _CONTROLS.get(character, character)


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
        self._query, self._user_agent, self._host = find(_QUERY), find(_USER_AGENT), find(_HOSTS)
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
