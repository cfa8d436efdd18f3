"""Columns of file names, URLs or hosts in the place of contents, which would allow everything."""

import sys
import warnings
from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from canfetch.core.source import MAX_NAME_CHARACTERS, name_instead_of_content

# The first rows that are looked at, and the first contents among them. The native engine has the same numbers.
_ROWS: Final = 64
_CONTENTS: Final = 8


def check_contents(values: Sequence[Any]) -> None:
    """Warn if the first contents of a column are all names. Values of other types are skipped.

    Cost: O(1).
    """
    warn_about_names(list(islice((value for value in values[:_ROWS] if isinstance(value, bytes)), _CONTENTS)))


def warn_about_names(contents: Sequence[bytes]) -> None:
    """Warn if all of some contents are names, with the first of them."""
    first = None
    for content in contents:
        found = _name(content)
        if found is None:
            return
        first = first or found
    if first is not None:
        warnings.warn(first, UserWarning, stacklevel=_callers_level())


def _name(content: bytes) -> str | None:
    if len(content) > MAX_NAME_CHARACTERS:
        return None
    return name_instead_of_content(content.decode("utf-8", "replace"))


def _callers_level() -> int:
    """Return the level of the stack from which canfetch was called, as `warn_about_names` counts it."""
    level, frame = 1, sys._getframe(1)  # noqa: SLF001
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("canfetch."):
        level, frame = level + 1, frame.f_back
    return level
