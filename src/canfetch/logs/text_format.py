"""The common and combined log formats of Apache and nginx, with or without the virtual host in front."""

import re
from typing import Final

from canfetch.logs.rows import Row, bad_row

# One expression for a whole block of lines, because a call for each line would take twice as long. Its groups are
# those of a row. Its first alternative reads the usual lines; the last group takes all others. No part of it can match
# in two ways, so it is linear.
_HOST: Final = rb"([^ :\n]++)(?::[0-9]+)? "
_USUAL: Final = (
    rb'([^ \n]++) [^ \n]++ [^\[\n]*\[([^\]\n]++)\] "([A-Z]++) ([^ "\\\n]++)(?: HTTP/[0-9.]++)?" [0-9]{3} [^ \n]++'
    rb'(?: "[^"\\\n]*+" "([^"\\\n]*+)")?[^"\\\n]*+'
)
_COMBINED: Final = re.compile(rb"^(?:" + _USUAL + rb"()|(.*+))$", re.MULTILINE)
_WITH_HOST: Final = re.compile(rb"^(?:" + _HOST + _USUAL + rb"|(.*+))$", re.MULTILINE)
_QUOTED: Final = rb'"((?:[^"\\\n]|\\.)*+)"'
# A line with escapes, or with a request that is not HTTP.
_UNUSUAL: Final = re.compile(
    rb"([^ \n]++) [^ \n]++ [^\[\n]*\[([^\]\n]++)\] "
    + _QUOTED
    + rb" (?:[0-9]{3}|-) [^ \n]++(?: "
    + _QUOTED
    + rb" "
    + _QUOTED
    + rb")?.*+",
    re.DOTALL,
)
_UNUSUAL_WITH_HOST: Final = re.compile(_HOST + _UNUSUAL.pattern, re.DOTALL)
# A target should not contain spaces, but clients send them.
_REQUEST: Final = re.compile(rb"([A-Za-z]++) (.+?)(?: HTTP/[0-9.]++)?", re.DOTALL)
_ESCAPE: Final = re.compile(rb"\\(?:x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_CONTROLS: Final = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"v": b"\v"}


class CombinedFormat:
    """`client ident user [time] "request" status bytes "referrer" "user agent"`.

    Args: with_host: Each line starts with the virtual host and a space.
    """

    def __init__(self, *, with_host: bool = False) -> None:
        self._usual = _WITH_HOST if with_host else _COMBINED
        self._unusual = _UNUSUAL_WITH_HOST if with_host else _UNUSUAL
        self._with_host = with_host

    def rows(self, block: bytes) -> list[Row]:
        """Return the rows of whole lines.

        Args: block: Lines separated by a newline, without one at the end.
        Cost: O(bytes).
        """
        rows: list[Row] = self._usual.findall(block)
        if self._with_host:
            return [row if row[-1] else (*row[1:-1], row[0], b"") for row in map(self._read_unusual, rows)]
        return rows if not any(row[-1] for row in rows) else list(map(self._read_unusual, rows))

    def _read_unusual(self, row: Row) -> Row:
        """Return a row that the usual expression read, or read its line again, with escapes."""
        line = row[-1]
        if not line:
            return row
        match = self._unusual.fullmatch(line)
        if match is None:
            return bad_row(line)
        fields = match.groups(default=b"")
        client, when, request, _referrer, user_agent = fields[-5:]
        parts = _REQUEST.fullmatch(unescape(request))
        method, target = (b"", b"") if parts is None else parts.groups()
        user_agent = unescape(user_agent)
        if self._with_host:
            return (fields[0], client, when, method, target, user_agent, b"")
        return (client, when, method, target, user_agent, b"", b"")


def unescape(text: bytes) -> bytes:
    r"""Replace the escapes of Apache and nginx, such as `\"` and `\x22`."""
    return _ESCAPE.sub(_replace_escape, text) if b"\\" in text else text


def _replace_escape(match: re.Match[bytes]) -> bytes:
    code, character = match.groups()
    if code is not None:
        return bytes([int(code, 16)])
    return _CONTROLS.get(character, character)
