"""The store that `--store` selects. Messages show its URL as it was typed."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from canfetch.cli.shared.command_errors import CommandError
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError, MissingExtra, StoreError

if TYPE_CHECKING:
    from canfetch.client.stores import Store

_NO_STORE: Final = "none"
# Accepted URL schemes, and the scheme that the redis library uses for each.
_SERVER_SCHEMES: Final = {
    "redis": "redis",
    "rediss": "rediss",
    "unix": "unix",
    "valkey": "redis",
    "valkeys": "rediss",
}


def open_store(option: str | None, *, warn: Callable[[str], None]) -> "Store | None":
    """Open the store that `--store` selects; create the file if it does not exist.

    Args: warn: Writes a line to standard error. An unusable default store is only a warning: containers often have no
        home directory or a read-only one.
    Returns: The store, or None for `--store none` and for an unusable default store.
    Raises: CommandError: The store cannot be opened.
    """
    if option == _NO_STORE:
        return None
    if option is not None:
        return _warn_of_replacement(_open_selected_store(option), warn)
    from canfetch.client.stores.default_path import default_path  # noqa: PLC0415 - not for redis
    from canfetch.client.stores.sqlite import SQLiteStore  # noqa: PLC0415 - not for redis

    try:
        return _warn_of_replacement(SQLiteStore(default_path()), warn)
    except StoreError as error:
        warn(f"canfetch: warning: {error}; nothing is cached (pass --store FILE or --store none)")
        return None


def _warn_of_replacement(store: "Store", warn: Callable[[str], None]) -> "Store":
    """Print a warning if the store was replaced by an empty one because of its old schema."""
    version = getattr(store, "replaced_version", None)
    if version is not None:
        path = getattr(store, "path", None)
        warn(f"canfetch: warning: {path}: the cache of an older canfetch (version {version}) was emptied")
    return store


def _open_selected_store(option: str) -> "Store":
    try:
        if (url := _server_url(option)) is not None:
            from canfetch.client.stores.redis import RedisStore  # noqa: PLC0415 - optional dependency

            return RedisStore(url)
        from canfetch.client.stores.sqlite import SQLiteStore  # noqa: PLC0415 - not for redis

        return SQLiteStore(option)
    except MissingExtra as error:
        raise CommandError(f"--store {option.partition('://')[0]}://: {error}") from None
    except CanfetchError as error:
        raise CommandError(f"--store {restore_scheme(str(error), option)}") from None


def open_existing_store(option: str | None, *, warn: Callable[[str], None]) -> "Store":
    """Open the store that `--store` selects, and create nothing.

    Args: warn: Writes a line to standard error.
    Raises: CommandError: The store does not exist, or cannot be opened.
    """
    if option is None:
        return _warn_of_replacement(_open_existing_default_store(), warn)
    if option == _NO_STORE:
        raise CommandError("--store none has no entries: expected an SQLite file or a redis:// URL")
    if _server_url(option) is None and not os.path.exists(option):  # noqa: PTH110 - as typed
        raise CommandError(f"--store {quoted(option)} does not exist: expected an SQLite file or a redis:// URL")
    return _warn_of_replacement(_open_selected_store(option), warn)


def _open_existing_default_store() -> "Store":
    from canfetch.client.stores.default_path import default_path  # noqa: PLC0415 - not for redis
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


def restore_scheme(message: str, option: str | None) -> str:
    """Replace the library's URL scheme in a store's message with the scheme that was typed."""
    typed, separator, _ = (option or "").partition("://")
    known = _SERVER_SCHEMES.get(typed.lower())
    return message if known is None or not separator else message.replace(f"{known}://", f"{typed}://", 1)


def _server_url(option: str) -> str | None:
    """Return a server's URL with the library's scheme, or None for a file.

    Raises: CommandError: The scheme is unknown. As a file name, the URL would create directories.
    """
    scheme, separator, rest = option.partition("://")
    if not separator or "/" in scheme or "\\" in scheme:
        return None
    known = _SERVER_SCHEMES.get(scheme.lower())
    if known is None:
        raise CommandError(f"unsupported --store {quoted(f'{scheme}://')}: expected a file, a redis:// URL, or none")
    return f"{known}://{rest}"
