"""The store that `--store` names: opened, and named in messages as it was typed."""

from typing import TYPE_CHECKING, Final

from canfetch.cli.problems import Problem
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
    """Open the store that `--store` names.

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
        raise Problem(f"--store {as_typed(str(error), place)}") from None


def as_typed(message: str, place: str | None) -> str:
    """Give a message of a store with the scheme of its URL as it was typed."""
    typed, separator, _ = (place or "").partition("://")
    return message.replace(f"{_SERVER_SCHEMES.get(typed, typed)}://", f"{typed}://", 1) if separator else message


def _server_url(place: str) -> str | None:
    """Give a server's URL as the library has it, or None for a file."""
    scheme, separator, rest = place.partition("://")
    known = _SERVER_SCHEMES.get(scheme)
    return f"{known}://{rest}" if separator and known is not None else None
