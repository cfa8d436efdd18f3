"""Clean-param: query parameters that do not change the page.

The record applies to the whole file, whichever group it is in.

Source: Yandex Webmaster, "The Clean-param directive".
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from canfetch.core.escapes import canonical
from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.patterns import split_segments
from canfetch.core.profiles import PROFILES
from canfetch.core.targets import to_target
from canfetch.core.urls import SplitURL

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


class CleanParamSet:
    """The Clean-param records of a file.

    Cost: O(bytes of the records).
    """

    __slots__ = ("_names_by_path",)

    def __init__(self, records: Iterable[CleanParam]) -> None:
        names: dict[bytes, set[bytes]] = {}
        for record in records:
            names.setdefault(record.path, set()).update(map(canonical, record.parameters))
        self._names_by_path = [(split_segments(path), irrelevant) for path, irrelevant in names.items()]

    def canonical(self, url: bytes, split: SplitURL) -> bytes:
        """Return `url` without the parameters that are irrelevant for its path, and without its fragment.

        Names are compared case-sensitively, in canonical form. The rest of the URL is unchanged.

        Args:
            url: A URL or a path.
            split: The parts of `url`, from `split_url`.
        Cost: O(bytes of the URL times bytes of the records) at worst, usually O(records).
        """
        url = url.partition(b"#")[0]
        address, mark, query = url.partition(b"?")
        if not mark:
            return url
        path = to_target(address, split, PROFILES["rfc9309"])
        irrelevant = {
            name
            for pattern, names in self._names_by_path
            if path.startswith(pattern.head) and pattern.matches_after_head(path)
            for name in names
        }
        if not irrelevant:
            return url
        parts = [part for part in query.split(b"&") if canonical(part.partition(b"=")[0]) not in irrelevant]
        return address + b"?" + b"&".join(parts) if parts else address
