"""The kinds of errors, as the front ends write them."""

import re
from typing import Final

from canfetch.errors import CanfetchError

_WORDS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def problem_code(error: CanfetchError) -> str:
    """Return the kind of an exception, such as `invalid-url` for `InvalidURL`."""
    return _WORDS.sub("-", type(error).__name__).lower()
