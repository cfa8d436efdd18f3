"""h11's pattern for header fields, without quadratic time, and faster for values with much white space.

For a field with white space and then an invalid byte, such as NUL, the pattern of h11 0.16 tries every way to divide
the white space between the two sides of an empty value: a head of 60 KB takes ten seconds. The pattern is used for
heads and trailers, of requests and responses, also by httpx2. `docs/decisions/h11-header-pattern.md` has the decision.
"""

import re
from typing import Final

from h11 import _abnf, _readers

_WHITE_SPACE: Final = r":[ \t]*"
_VALUE: Final = r"[^\x00\s]+(?:[ \t]+[^\x00\s]+)*"
_POSSESSIVE_VALUE: Final = r"[^\x00\s]++(?:[ \t]++[^\x00\s]++)*+"


def use_linear_patterns() -> None:
    r"""Replace the private `h11._readers.header_field_re` in the whole process.

    In the new pattern, the white space before a value is possessive: `:[ \t]*+` in place of `:[ \t]*`. A value never
    starts with white space, so the same fields match. The parts of a value are possessive as well. An h11 whose pattern
    does not have the white space exactly once, or has the possessive one already, is left as it is.
    """
    pattern = _abnf.header_field
    if pattern.count(_WHITE_SPACE) == 1 and f"{_WHITE_SPACE}+" not in pattern:
        linear = pattern.replace(_WHITE_SPACE, f"{_WHITE_SPACE}+").replace(_VALUE, _POSSESSIVE_VALUE)
        _readers.header_field_re = re.compile(linear.encode("ascii"))
