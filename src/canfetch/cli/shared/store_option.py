"""The store that `--store` selects. Messages show its URL as it was typed."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from canfetch.cli.shared.command_errors import CommandError
from canfetch.client.stores.locations import is_server_url, open_store_at
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError, StoreError

if TYPE_CHECKING:
    from canfetch.client.stores import Store

_NO_STORE: Final = "none"


def open_store(option: str | None, *, warn: Callable[[str], None], max_bytes: int | None = None) -> "Store | None":
    """Open the store that `--store` selects; create the file if it does not exist.

    Args:
        warn: Writes a line to standard error. An unusable default store is only a warning: containers often have no
            home directory or a read-only one.
        max_bytes: The bytes that entries may use in an SQLite file, or None for no limit.
    Returns: The store, or None for `--store none` and for an unusable default store.
    Raises: CommandError: The store cannot be opened.
    """
    if option == _NO_STORE:
        return None
    if option is not None:
        return _warn_of_replacement(_open_selected_store(option, max_bytes), warn)
    from canfetch.client.stores.locations import default_path  # noqa: PLC0415 - not for redis
    from canfetch.client.stores.sqlite import SQLiteStore  # noqa: PLC0415 - not for redis

    try:
        return _warn_of_replacement(SQLiteStore(default_path(), max_bytes=max_bytes), warn)
    except StoreError as error:
        warn(f"canfetch: warning: {error}; nothing is cached (pass --store FILE or --store none)")
        return None


def _warn_of_replacement(store: "Store", warn: Callable[[str], None]) -> "Store":
    """Print a warning if the store was replaced by an empty one, because of its old schema or because it is corrupt."""
    path = getattr(store, "path", None)
    version = getattr(store, "replaced_version", None)
    if version is not None:
        warn(f"canfetch: warning: {path}: the cache of an older canfetch (version {version}) was emptied")
    moved_to = getattr(store, "moved_to", None)
    if moved_to is not None:
        warn(f"canfetch: warning: {path}: the cache is corrupt; it was moved to {moved_to.name}, and is empty now")
    return store


def _open_selected_store(option: str, max_bytes: int | None = None) -> "Store":
    try:
        return open_store_at(option, max_bytes=max_bytes)
    except CanfetchError as error:
        raise CommandError(f"--store {error}") from None


def open_existing_store(option: str | None, *, warn: Callable[[str], None]) -> "Store":
    """Open the store that `--store` selects, and create nothing.

    Args: warn: Writes a line to standard error.
    Raises: CommandError: The store does not exist, or cannot be opened.
    """
    if option is None:
        return _warn_of_replacement(_open_existing_default_store(), warn)
    if option == _NO_STORE:
        raise CommandError("--store none has no entries: expected an SQLite file or a redis:// URL")
    if not is_server_url(option) and not os.path.exists(option):  # noqa: PTH110 - as typed
        raise CommandError(f"--store {quoted(option)} does not exist: expected an SQLite file or a redis:// URL")
    return _warn_of_replacement(_open_selected_store(option), warn)


def _open_existing_default_store() -> "Store":
    from canfetch.client.stores.locations import default_path  # noqa: PLC0415 - not for redis
    from canfetch.client.stores.sqlite import SQLiteStore  # noqa: PLC0415 - not for redis

    try:
        path = default_path()
        if path.exists():
            return SQLiteStore(path)
    except StoreError as error:
        raise CommandError(f"{error} (pass --store FILE)") from None
    from canfetch.client.stores.memory import MemoryStore  # noqa: PLC0415 - only for an empty cache

    # The default store is empty until the first fetch. That is not an error.
    return MemoryStore()
