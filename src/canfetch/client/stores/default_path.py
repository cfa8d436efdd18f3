"""The default path of the SQLite store."""

import os
import sys
from pathlib import Path

from canfetch.errors import StoreError


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
