"""The store that `--store` names: opened, and named in messages as it was typed."""

import os
from typing import TYPE_CHECKING, Final

from canfetch.cli.shared.problems import Problem
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError

if TYPE_CHECKING:
    from canfetch.client.stores import Store

NO_STORE: Final = "none"
# What is typed, and what the library that speaks to the server calls it.
_SERVER_SCHEMES: Final = {
    "redis": "redis",
    "rediss": "rediss",
    "unix": "unix",
    "valkey": "redis",
    "valkeys": "rediss",
}


def open_store(place: str | None) -> "Store | None":
    """Open the store that `--store` names; a file that is not there is made.

    Raises: Problem: it cannot be opened.
    """
    if place == NO_STORE:
        return None
    try:
        if place is not None and (url := _server_url(place)) is not None:
            from canfetch.client.stores.redis import RedisStore  # noqa: PLC0415 - an extra

            return RedisStore(url)
        from canfetch.client.stores.sqlite import SQLiteStore, default_path  # noqa: PLC0415 - only where it is used

        return SQLiteStore(default_path() if place is None else place)
    except CanfetchError as error:
        if place is None:
            raise Problem(f"{error}: give --store FILE or --store none") from None
        raise Problem(f"--store {as_typed(str(error), place)}") from None


def open_kept_store(place: str | None) -> "Store":
    """Open the store that `--store` names where there is one; nothing is made.

    Raises: Problem: there is none, or it cannot be opened.
    """
    if place is None:
        from canfetch.client.stores.sqlite import default_path  # noqa: PLC0415 - as above

        if not default_path().exists():
            from canfetch.client.stores.memory import MemoryStore  # noqa: PLC0415 - the same

            # Nobody named it, and nothing was kept yet.
            return MemoryStore()
    elif place != NO_STORE and _server_url(place) is None and not os.path.exists(place):  # noqa: PTH110 - as typed
        raise Problem(f"--store {quoted(place)}: no such store: give a file that is there, or a redis:// URL")
    store = open_store(place)
    if store is None:
        raise Problem("--store none keeps nothing: give a file or a redis:// URL")
    return store


def as_typed(message: str, place: str | None) -> str:
    """Give a message of a store with the scheme of its URL as it was typed."""
    typed, separator, _ = (place or "").partition("://")
    known = _SERVER_SCHEMES.get(typed.lower())
    return message if known is None or not separator else message.replace(f"{known}://", f"{typed}://", 1)


def _server_url(place: str) -> str | None:
    """Give a server's URL as the library has it, or None for a file.

    Raises: Problem: it is a URL of another kind, which would make folders of its parts.
    """
    scheme, separator, rest = place.partition("://")
    if not separator or "/" in scheme or "\\" in scheme:
        return None
    known = _SERVER_SCHEMES.get(scheme.lower())
    if known is None:
        raise Problem(f"--store {quoted(f'{scheme}://')}: no store is there: give a file, a redis:// URL, or none")
    return f"{known}://{rest}"
