"""Host: the preferred one of a site's mirrors.

Source: Yandex's documents until March 2018; it gave way to redirects, and is still in files.
"""

from typing import Final, NamedTuple

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import display_text
from canfetch.core.urls import split_authority

_SCHEMES: Final = (b"http", b"https")


class HostName(NamedTuple):
    """The preferred mirror: its host, and its scheme and port where they are given."""

    scheme: str | None
    host: str
    port: int | None


def parse_host(value: bytes) -> tuple[HostName | None, ExtensionNote]:
    """Read a value such as `example.com`, `example.com:8080` or `https://example.com`.

    A slash at the end is passed over, and noted; a path, user information or another scheme is no host.
    """
    scheme, mark, place = value.rpartition(b"://")
    notes = ExtensionNote.NONE
    if place.endswith(b"/"):
        place, notes = place[:-1], ExtensionNote.TRAILING_SLASH
    authority = None if b"/" in place or b"@" in place or b"?" in place else split_authority(place)
    if authority is None or (mark and scheme.lower() not in _SCHEMES):
        return None, ExtensionNote.UNREADABLE
    port = int(authority.port.lstrip(b"0") or b"0") if authority.port else None
    return HostName(display_text(scheme.lower()) or None, display_text(authority.host.lower()), port), notes
