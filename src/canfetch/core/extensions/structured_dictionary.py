"""Dictionaries of structured fields: keys and their tokens.

The parser is strict, as the RFC requires: one invalid byte makes the whole dictionary invalid. Values of other types
are validated and returned as None, and parameters are validated and dropped. The last occurrence of a repeated key
counts.

Source: RFC 9651 sections 3 and 4.2.
"""

from typing import Final

_LOWER: Final = b"abcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = b"0123456789"
_ALPHA: Final = _LOWER + _LOWER.upper()
_KEY_START: Final = frozenset(_LOWER + b"*")
_KEY: Final = _LOWER + _DIGITS + b"_-.*"
_TOKEN_START: Final = frozenset(_ALPHA + b"*")
_TOKEN: Final = _ALPHA + _DIGITS + b"!#$%&'*+-.^_`|~:/"
_BASE64: Final = _ALPHA + _DIGITS + b"+/="
_BASE64_GROUP: Final = 4
_HEX: Final = frozenset(b"0123456789abcdef")
_NUMBER: Final = _DIGITS + b"."
_ESCAPED: Final = frozenset(b'"\\')
_SPACE: Final = b" "
_WHITE_SPACE: Final = b" \t"
# Runs of bytes are read in parts of this length, so that each byte is copied once.
_PART_LENGTH: Final = 32
_MAX_INTEGER_DIGITS: Final = 15
_MAX_WHOLE_DIGITS: Final = 12
_MAX_FRACTION_DIGITS: Final = 3


class _InvalidDictionary(Exception):
    """Raised internally at the first invalid byte."""


def parse_structured_dictionary(text: bytes) -> dict[bytes, bytes | None] | None:
    """Parse a dictionary. Return None if `text` is not a valid dictionary.

    Returns: The token of each key, or None for a value of another type.
    Cost: O(bytes).
    """
    try:
        return _Parser(text.strip(b" ")).dictionary()
    except _InvalidDictionary:
        return None


def contradicted_keys(text: bytes) -> frozenset[bytes]:
    """Return the keys of a dictionary with several different values. Empty if `text` is not a valid dictionary.

    Cost: O(bytes).
    """
    parser = _Parser(text.strip(b" "))
    try:
        parser.dictionary()
    except _InvalidDictionary:
        return frozenset()
    return frozenset(parser.contradicted)


class _Parser:
    """A recursive-descent parser. `position` is the index of the next byte.

    Attributes: contradicted: The keys with several different values, of which the last one counts.
    """

    __slots__ = ("contradicted", "position", "text")

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.position = 0
        self.contradicted: set[bytes] = set()

    def dictionary(self) -> dict[bytes, bytes | None]:
        members: dict[bytes, bytes | None] = {}
        while self.position < len(self.text):
            key = self._key()
            value = None
            if self._take(b"="):
                if self._take(b"("):
                    self._inner_list()
                else:
                    value = self._bare_item()
            if members.setdefault(key, value) != value:
                self.contradicted.add(key)
            members[key] = value
            self._parameters()
            self._take_while(_WHITE_SPACE)
            if self.position == len(self.text):
                break
            self._expect(b",")
            self._take_while(_WHITE_SPACE)
            if self.position == len(self.text):
                raise _InvalidDictionary  # a trailing comma
        return members

    def _peek(self) -> int:
        return self.text[self.position] if self.position < len(self.text) else -1

    def _take(self, prefix: bytes) -> bool:
        if not self.text.startswith(prefix, self.position):
            return False
        self.position += 1
        return True

    def _expect(self, prefix: bytes) -> None:
        if not self._take(prefix):
            raise _InvalidDictionary

    def _take_while(self, allowed: bytes) -> bytes:
        start = self.position
        while part := self.text[self.position : self.position + _PART_LENGTH]:
            rest = part.lstrip(allowed)
            self.position += len(part) - len(rest)
            if rest:
                break
        return self.text[start : self.position]

    def _key(self) -> bytes:
        if self._peek() not in _KEY_START:
            raise _InvalidDictionary
        return self._take_while(_KEY)

    def _parameters(self) -> None:
        while self._take(b";"):
            self._take_while(_SPACE)
            self._key()
            if self._take(b"="):
                self._bare_item()

    def _inner_list(self) -> None:
        self._take_while(_SPACE)
        while not self._take(b")"):
            self._bare_item()
            self._parameters()
            if not self._take_while(_SPACE) and self._peek() != 0x29:
                raise _InvalidDictionary

    def _bare_item(self) -> bytes | None:
        first = self._peek()
        if first in _TOKEN_START:
            return self._take_while(_TOKEN)
        if self._take(b'"'):
            self._string()
        elif self._take(b":"):
            self._byte_sequence()
        elif self._take(b"?"):
            if not self._take(b"0"):
                self._expect(b"1")
        elif self._take(b"@"):
            if b"." in self._number():
                raise _InvalidDictionary
        elif self._take(b"%"):
            self._expect(b'"')
            self._display_string()
        else:
            self._number()
        return None

    def _byte_sequence(self) -> None:
        digits = self._take_while(_BASE64).rstrip(b"=")
        self._expect(b":")
        # Missing padding is accepted, and so are bits that are not zero in the last digit.
        if b"=" in digits or len(digits) % _BASE64_GROUP == 1:
            raise _InvalidDictionary

    def _number(self) -> bytes:
        self._take(b"-")
        number = self._take_while(_NUMBER)
        whole, point, fraction = number.partition(b".")
        limit = _MAX_WHOLE_DIGITS if point else _MAX_INTEGER_DIGITS
        if not whole or len(whole) > limit or b"." in fraction:
            raise _InvalidDictionary
        if point and not 0 < len(fraction) <= _MAX_FRACTION_DIGITS:
            raise _InvalidDictionary
        return number

    def _string(self) -> None:
        while not self._take(b'"'):
            if self._take(b"\\") and self._peek() not in _ESCAPED:
                raise _InvalidDictionary
            if not 0x20 <= self._peek() <= 0x7E:
                raise _InvalidDictionary
            self.position += 1

    def _display_string(self) -> None:
        decoded = bytearray()
        while not self._take(b'"'):
            byte = self._peek()
            if not 0x20 <= byte <= 0x7E:
                raise _InvalidDictionary
            self.position += 1
            if byte == 0x25:
                digits = self.text[self.position : self.position + 2]
                if len(digits) < 2 or not _HEX.issuperset(digits):
                    raise _InvalidDictionary
                byte = int(digits, 16)
                self.position += 2
            decoded.append(byte)
        try:
            decoded.decode("utf-8")
        except UnicodeDecodeError:
            raise _InvalidDictionary from None
