"""The store that `--store` selects. Messages show its URL as it was typed."""

import os
from typing import TYPE_CHECKING, Final

from canfetch.cli.shared.command_errors import CommandError
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError

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


def open_store(option: str | None) -> "Store | None":
    """Open the store that `--store` selects; create the file if it does not exist.

    Raises: CommandError: The store cannot be opened.
    """
    if option == _NO_STORE:
        return None
    try:
        if option is not None and (url := _server_url(option)) is not None:
            from canfetch.client.stores.redis import RedisStore  # noqa: PLC0415 - optional dependency

            return RedisStore(url)
        from canfetch.client.stores.sqlite import SQLiteStore, default_path  # noqa: PLC0415 - not for redis

        return SQLiteStore(default_path() if option is None else option)
    except CanfetchError as error:
        if option is None:
            raise CommandError(f"{error} (pass --store FILE or --store none)") from None
        raise CommandError(f"--store {restore_scheme(str(error), option)}") from None


def open_existing_store(option: str | None) -> "Store":
    """Open the store that `--store` selects, and create nothing.

    Raises: CommandError: The store does not exist, or cannot be opened.
    """
    if option is None:
        from canfetch.client.stores.sqlite import default_path  # noqa: PLC0415 - not for redis

        if not default_path().exists():
            from canfetch.client.stores.memory import MemoryStore  # noqa: PLC0415 - only for an empty cache

            # The default store is empty until the first fetch. That is not an error.
            return MemoryStore()
    elif option != _NO_STORE and _server_url(option) is None and not os.path.exists(option):  # noqa: PTH110 - as typed
        raise CommandError(f"--store {quoted(option)} does not exist: expected an SQLite file or a redis:// URL")
    store = open_store(option)
    if store is None:
        raise CommandError("--store none has no entries: expected an SQLite file or a redis:// URL")
    return store


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
