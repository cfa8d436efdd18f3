"""Host: the preferred mirror of a site.

Source: Yandex's documentation until March 2018. Redirects have replaced it, but files still contain it.
"""

from typing import Final, NamedTuple

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import display_text
from canfetch.core.urls import split_authority

_SCHEMES: Final = (b"http", b"https")


class HostName(NamedTuple):
    """The host of the preferred mirror, with its scheme and port if the record contains them."""

    scheme: str | None
    host: str
    port: int | None


def parse_host(value: bytes) -> tuple[HostName | None, ExtensionNote]:
    """Parse a value such as `example.com`, `example.com:8080` or `https://example.com`.

    A trailing slash is ignored and noted. A value with a path, user information or another scheme is unreadable.
    """
    scheme, mark, authority = value.rpartition(b"://")
    notes = ExtensionNote.NONE
    if authority.endswith(b"/"):
        authority, notes = authority[:-1], ExtensionNote.TRAILING_SLASH
    has_other_parts = b"/" in authority or b"@" in authority or b"?" in authority
    split = None if has_other_parts else split_authority(authority)
    if split is None or (mark and scheme.lower() not in _SCHEMES):
        return None, ExtensionNote.UNREADABLE
    port = int(split.port.lstrip(b"0") or b"0") if split.port else None
    return HostName(display_text(scheme.lower()) or None, display_text(split.host.lower()), port), notes
