"""The forms of a target that patterns are compared with."""

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from canfetch.core.escapes import RESERVED_DATA

QUERY_MARK: Final = ord("?")


class Form(IntEnum):
    """The form of the target that a pattern is compared with."""

    AS_IS = 0
    """The target itself."""
    FORM_B = 1
    """Form (b) of docs/semantics.md: reserved data in the query is encoded."""


def _escapes(encoded: Iterable[int]) -> dict[int, bytes]:
    return {byte: b"%%%02X" % byte for byte in encoded}


ENCODED: Final[dict[Form, tuple[dict[int, bytes], dict[int, bytes]]]] = {
    Form.AS_IS: ({}, {}),
    Form.FORM_B: ({}, _escapes(RESERVED_DATA)),
}
"""The bytes that each form encodes: in the path, up to the first `?`, and in the query."""


def in_form(target: bytes, form: Form) -> bytes:
    """Return a form of a target.

    Cost: O(bytes).
    """
    if form is Form.AS_IS:
        return target
    in_path, in_query = ENCODED[form]
    path, mark, query = target.partition(b"?")
    pieces = [in_path.get(byte, b"%c" % byte) for byte in path + mark]
    return b"".join([*pieces, *(in_query.get(byte, b"%c" % byte) for byte in query)])
