"""Clean-param: parameters of a query that do not change the page.

Source: Yandex Webmaster, "The Clean-param directive". It counts wherever in the file it stands.
"""

from typing import Final, NamedTuple

from canfetch.core.extensions.record import ExtensionNote

# A path may hold these alone; `$` is none of them.
_IN_PATH: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-/*_"
_LONGEST_OCTETS: Final = 500
EVERY_PATH: Final = b"/"


class CleanParam(NamedTuple):
    """Parameters that do not count on paths beginning with `path`, in which `*` is any run of octets."""

    parameters: tuple[bytes, ...]
    path: bytes


def parse_clean_param(value: bytes) -> tuple[CleanParam | None, ExtensionNote]:
    """Read a value such as `ref` or `sid&sort /forum/*.php`.

    A path with another character than Yandex allows says nothing: to join pages that are not the same would
    lose one of them.

    Cost: O(octets).
    """
    names, _, path = value.replace(b"\t", b" ").partition(b" ")
    path = path.strip() or EVERY_PATH
    parameters = tuple(dict.fromkeys(name for name in names.split(b"&") if name))
    notes = ExtensionNote.TOO_LONG if len(value) > _LONGEST_OCTETS else ExtensionNote.NONE
    if not parameters or path[:1] not in (b"/", b"*") or path.translate(None, _IN_PATH):
        return None, notes | ExtensionNote.UNREADABLE
    return CleanParam(parameters, path), notes
