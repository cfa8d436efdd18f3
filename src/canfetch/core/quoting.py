"""How an error repeats what it was given: whole where it is short, without its middle where it is long."""

from reprlib import Repr
from typing import Final

_MOST_CHARACTERS: Final = 200
_SHORT: Final = Repr()
_SHORT.maxstring = _SHORT.maxother = _MOST_CHARACTERS


def quoted(value: object) -> str:
    """Give the literal of a str or bytes; of a long one, its beginning and its end.

    Cost: O(characters kept), for bytes O(octets).
    """
    return _SHORT.repr(value)
