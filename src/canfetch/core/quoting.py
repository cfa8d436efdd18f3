"""Quoting of values in error messages: short ones in full, long ones without their middle."""

from reprlib import Repr
from typing import Final

_MAX_CHARACTERS: Final = 200
_SHORT: Final = Repr()
_SHORT.maxstring = _SHORT.maxother = _MAX_CHARACTERS


def quoted(value: object) -> str:
    """Return the literal of a str or bytes. A long one is shortened to its beginning and end.

    Cost: O(characters of the result), for bytes O(bytes).
    """
    return _SHORT.repr(value)
