"""Open a store by its location: the path of an SQLite file, or the URL of a Redis or Valkey server."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, MissingExtra, StoreError

if TYPE_CHECKING:
    from canfetch.client.stores import Store

# Accepted URL schemes, and the scheme that the redis library uses for each.
_SERVER_SCHEMES: Final = {
    "redis": "redis",
    "rediss": "rediss",
    "unix": "unix",
    "valkey": "redis",
    "valkeys": "rediss",
}


def open_store_at(location: str, *, max_bytes: int | None = None) -> "Store":
    """Open the store at a location, and create the file if it does not exist.

    Args:
        location: The path of an SQLite file, or a URL such as `redis://localhost:6379/0` or `valkey://localhost`.
        max_bytes: The bytes that entries may use in an SQLite file, or None for no limit. Servers have limits of their
            own.
    Raises: InvalidOption: The scheme of the URL is unknown, or lacks `//`; StoreError: The store cannot be opened;
        MissingExtra: The library `redis` is not installed. Messages start with the location.
    """
    if not is_server_url(location):
        scheme, colon, _ = location.partition(":")
        if colon and scheme.lower() in _SERVER_SCHEMES:
            # Otherwise, a file of this name would be created.
            raise InvalidOption(f"invalid URL {quoted(location)}: expected {scheme}:// before the server")
        from canfetch.client.stores.sqlite import SQLiteStore  # noqa: PLC0415 - not for redis

        return SQLiteStore(location, max_bytes=max_bytes)
    scheme, _, rest = location.partition("://")
    known = _SERVER_SCHEMES.get(scheme.lower())
    if known is None:
        # As a file name, the URL would create directories.
        raise InvalidOption(f"{quoted(f'{scheme}://')} is not supported: expected a file or a redis:// URL")
    from canfetch.client.stores.redis import RedisStore  # noqa: PLC0415 - optional dependency

    try:
        return RedisStore(f"{known}://{rest}")
    except MissingExtra as error:
        raise MissingExtra(f"{scheme}://: {error}") from None
    except StoreError as error:
        raise StoreError(restore_scheme(str(error), location)) from None


def is_server_url(location: str) -> bool:
    """Return whether a location is a URL, and not a file."""
    scheme, separator, _ = location.partition("://")
    return bool(separator) and "/" not in scheme and "\\" not in scheme


def restore_scheme(message: str, location: str | None) -> str:
    """Replace the library's URL scheme in a store's message with the scheme of the location."""
    scheme, separator, _ = (location or "").partition("://")
    known = _SERVER_SCHEMES.get(scheme.lower())
    return message if known is None or not separator else message.replace(f"{known}://", f"{scheme}://", 1)


def default_path(platform: str = sys.platform) -> Path:
    """Return the default path of the store: a file in the user's cache folder, by the conventions of the platform.

    Raises: StoreError: The user has no home directory, as in a container with an arbitrary user ID.
    """
    try:
        folder = _cache_folder(platform)
    except RuntimeError:
        raise StoreError("no home directory for the default cache: set HOME or XDG_CACHE_HOME") from None
    return folder / "canfetch" / "robots.sqlite3"


def _cache_folder(platform: str) -> Path:
    if platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
