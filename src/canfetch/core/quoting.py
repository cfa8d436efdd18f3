"""Parts of error messages: quoted values, and hints about paths in the place of contents."""

from reprlib import Repr
from typing import Final

_MAX_CHARACTERS: Final = 200


class _ShortRepr(Repr):
    def repr_int(self, x: int, level: int) -> str:
        try:
            return super().repr_int(x, level)
        except ValueError:
            # Python refuses to convert integers of thousands of digits.
            return f"<int of {x.bit_length()} bits>"


_SHORT: Final = _ShortRepr()
_SHORT.maxstring = _SHORT.maxother = _MAX_CHARACTERS


def quoted(value: object) -> str:
    """Return the literal of a str or bytes. A long one is shortened to its beginning and end.

    Cost: O(characters of the result), for bytes O(bytes).
    """
    return _SHORT.repr(value)


def reading_hint(value: object) -> str:
    """Return the end of an error message about a path or a file in the place of its content, or an empty string."""
    if hasattr(value, "read_bytes"):
        return ": pass path.read_bytes()"
    return ": pass file.read()" if hasattr(value, "read") else ""
