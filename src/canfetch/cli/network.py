"""The options of everything that asks the network, and the client that they make."""

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from canfetch import __version__
from canfetch.access.policies import POLICIES
from canfetch.cli.problems import Problem
from canfetch.errors import CanfetchError

if TYPE_CHECKING:
    from canfetch.client.stores import Store

DEFAULT_USER_AGENT: Final = f"canfetch/{__version__}"
NO_STORE: Final = "none"
# Each is a thread that waits.
_DEFAULT_PARALLEL: Final = 64
_MOST_PARALLEL: Final = 1024
_REDIS_SCHEMES: Final = ("redis://", "rediss://", "unix://", "valkey://", "valkeys://")


class NetworkOptions(NamedTuple):
    """The options, as given."""

    policy: str
    timeout: float
    store: str | None
    refresh: bool
    offline: bool
    user_agent: str
    public_only: bool
    parallel: int


def network_parameters() -> list[click.Parameter]:
    """Give the options that these commands share."""
    return [
        click.Option(
            ["--policy"],
            type=click.Choice(tuple(POLICIES)),
            default="rfc9309",
            show_default=True,
            help="Whose reading of status codes and time.",
        ),
        click.Option(
            ["--timeout"],
            metavar="SECONDS",
            type=click.FloatRange(0.001, 3600),
            default=30.0,
            show_default=True,
            help="The longest that one robots.txt may take, with all redirects.",
        ),
        click.Option(
            ["--store"],
            metavar="FILE|URL|none",
            help="Where answers are kept: an SQLite file, a redis:// URL, or none. By default a file in the "
            "user's cache folder.",
        ),
        click.Option(["--refresh"], is_flag=True, help="Ask the origin, whatever is kept."),
        click.Option(["--offline"], is_flag=True, help="Ask nobody; answer from what is kept."),
        click.Option(
            ["--user-agent"],
            metavar="HEADER",
            default=DEFAULT_USER_AGENT,
            show_default=True,
            help="The User-Agent header that is sent.",
        ),
        click.Option(
            ["--public-only"],
            is_flag=True,
            help="Connect to no private or loopback address, at any hop: for URLs that strangers give.",
        ),
        click.Option(
            ["--parallel"],
            metavar="N",
            type=click.IntRange(1, _MOST_PARALLEL),
            default=_DEFAULT_PARALLEL,
            show_default=True,
            help="How many origins are asked at the same time.",
        ),
    ]


def taken_from(given: dict[str, Any]) -> NetworkOptions:
    """Take these options out of all that a command was given.

    Raises: Problem: two of them contradict each other.
    """
    options = NetworkOptions(**{name: given.pop(name) for name in NetworkOptions._fields})
    if options.refresh and options.offline:
        raise Problem("--refresh asks the origin and --offline asks nobody: give one of them")
    return options


def open_store(place: str | None) -> "Store | None":
    """Open the store that `--store` names.

    Raises: Problem: it cannot be opened.
    """
    if place == NO_STORE:
        return None
    try:
        if place is not None and place.startswith(_REDIS_SCHEMES):
            from canfetch.client.stores.redis import RedisStore  # noqa: PLC0415 - an extra

            return RedisStore(place.replace("valkey", "redis", 1))
        from canfetch.client.stores.sqlite import SQLiteStore, default_path  # noqa: PLC0415 - only where it is used

        return SQLiteStore(default_path() if place is None else place)
    except CanfetchError as error:
        raise Problem(f"--store {error}") from None
