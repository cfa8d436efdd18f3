"""A structured field's dictionary: keys, and the values that are tokens.

Strict, as the RFC demands: where one octet is out of place, nothing is read. Values of other types are checked and
given as None, parameters are checked and left out, and of a key that is there twice the last counts.

Source: RFC 9651 sections 3 and 4.2.
"""

from typing import Final

_LOWER: Final = b"abcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = b"0123456789"
_ALPHA: Final = _LOWER + _LOWER.upper()
_KEY_START: Final = frozenset(_LOWER + b"*")
_KEY: Final = frozenset(_LOWER + _DIGITS + b"_-.*")
_TOKEN_START: Final = frozenset(_ALPHA + b"*")
_TOKEN: Final = frozenset(_ALPHA + _DIGITS + b"!#$%&'*+-.^_`|~:/")
_BASE64: Final = frozenset(_ALPHA + _DIGITS + b"+/=")
_HEX: Final = frozenset(b"0123456789abcdef")
_NUMBER: Final = frozenset(_DIGITS + b".")
_ESCAPED: Final = frozenset(b'"\\')
_SPACE: Final = frozenset(b" ")
_WHITE_SPACE: Final = frozenset(b" \t")
_LONGEST_INTEGER: Final = 15
_LONGEST_WHOLE: Final = 12
_LONGEST_FRACTION: Final = 3


class _NotADictionary(Exception):
    """An octet is out of place."""


def parse_structured_dictionary(octets: bytes) -> dict[bytes, bytes | None] | None:
    """Parse a dictionary; None where it is none. An empty one is empty.

    Returns: the token behind each key, or None for a value of another type.
    Cost: O(octets).
    """
    try:
        return _Reader(octets.strip(b" ")).dictionary()
    except _NotADictionary:
        return None


class _Reader:
    """Reads from the left; what it has read is behind `position`."""

    __slots__ = ("octets", "position")

    def __init__(self, octets: bytes) -> None:
        self.octets = octets
        self.position = 0

    def dictionary(self) -> dict[bytes, bytes | None]:
        members: dict[bytes, bytes | None] = {}
        while self.position < len(self.octets):
            key = self._key()
            value = None
            if self._takes(b"="):
                if self._takes(b"("):
                    self._inner_list()
                else:
                    value = self._bare_item()
            members[key] = value
            self._parameters()
            self._run(_WHITE_SPACE)
            if self.position == len(self.octets):
                break
            self._expect(b",")
            self._run(_WHITE_SPACE)
            if self.position == len(self.octets):
                raise _NotADictionary  # a comma at the end
        return members

    def _peek(self) -> int:
        return self.octets[self.position] if self.position < len(self.octets) else -1

    def _takes(self, octet: bytes) -> bool:
        if not self.octets.startswith(octet, self.position):
            return False
        self.position += 1
        return True

    def _expect(self, octet: bytes) -> None:
        if not self._takes(octet):
            raise _NotADictionary

    def _run(self, of: frozenset[int]) -> bytes:
        start = self.position
        while self._peek() in of:
            self.position += 1
        return self.octets[start : self.position]

    def _key(self) -> bytes:
        if self._peek() not in _KEY_START:
            raise _NotADictionary
        return self._run(_KEY)

    def _parameters(self) -> None:
        while self._takes(b";"):
            self._run(_SPACE)
            self._key()
            if self._takes(b"="):
                self._bare_item()

    def _inner_list(self) -> None:
        self._run(_SPACE)
        while not self._takes(b")"):
            self._bare_item()
            self._parameters()
            if not self._run(_SPACE) and self._peek() != 0x29:
                raise _NotADictionary

    def _bare_item(self) -> bytes | None:
        first = self._peek()
        if first in _TOKEN_START:
            return self._run(_TOKEN)
        if self._takes(b'"'):
            self._string()
        elif self._takes(b":"):
            self._run(_BASE64)
            self._expect(b":")
        elif self._takes(b"?"):
            if not self._takes(b"0"):
                self._expect(b"1")
        elif self._takes(b"@"):
            if b"." in self._number():
                raise _NotADictionary
        elif self._takes(b"%"):
            self._expect(b'"')
            self._display_string()
        else:
            self._number()
        return None

    def _number(self) -> bytes:
        self._takes(b"-")
        number = self._run(_NUMBER)
        whole, point, fraction = number.partition(b".")
        longest = _LONGEST_WHOLE if point else _LONGEST_INTEGER
        if not whole or len(whole) > longest or b"." in fraction:
            raise _NotADictionary
        if point and not 0 < len(fraction) <= _LONGEST_FRACTION:
            raise _NotADictionary
        return number

    def _string(self) -> None:
        while not self._takes(b'"'):
            if self._takes(b"\\") and self._peek() not in _ESCAPED:
                raise _NotADictionary
            if not 0x20 <= self._peek() <= 0x7E:
                raise _NotADictionary
            self.position += 1

    def _display_string(self) -> None:
        decoded = bytearray()
        while not self._takes(b'"'):
            octet = self._peek()
            if not 0x20 <= octet <= 0x7E:
                raise _NotADictionary
            self.position += 1
            if octet == 0x25:
                digits = self.octets[self.position : self.position + 2]
                if len(digits) < 2 or not _HEX.issuperset(digits):
                    raise _NotADictionary
                octet = int(digits, 16)
                self.position += 2
            decoded.append(octet)
        try:
            decoded.decode("utf-8")
        except UnicodeDecodeError:
            raise _NotADictionary from None
