"""Clean-param: query parameters that do not change the page.

The record applies to the whole file, whichever group it is in.

Source: Yandex Webmaster, "The Clean-param directive".
"""

from typing import Final, NamedTuple

from canfetch.core.extensions.record import ExtensionNote

# The characters that Yandex allows in a path. `$` is not among them.
_PATH_CHARACTERS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-/*_"
_MAX_BYTES: Final = 500
EVERY_PATH: Final = b"/"


class CleanParam(NamedTuple):
    """Parameters that are irrelevant on paths starting with `path`, in which `*` matches any bytes."""

    parameters: tuple[bytes, ...]
    path: bytes


def parse_clean_param(value: bytes) -> tuple[CleanParam | None, ExtensionNote]:
    """Parse a value such as `ref` or `sid&sort /forum/*.php`.

    A value with other characters in its path is unreadable: if different pages were treated as one, pages would
    be lost.

    Cost: O(bytes).
    """
    names, _, path = value.replace(b"\t", b" ").partition(b" ")
    path = path.strip() or EVERY_PATH
    parameters = tuple(dict.fromkeys(name for name in names.split(b"&") if name))
    notes = ExtensionNote.TOO_LONG if len(value) > _MAX_BYTES else ExtensionNote.NONE
    if not parameters or path[:1] not in (b"/", b"*") or path.translate(None, _PATH_CHARACTERS):
        return None, notes | ExtensionNote.UNREADABLE
    return CleanParam(parameters, path), notes
