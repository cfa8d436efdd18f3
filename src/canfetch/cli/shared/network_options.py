"""The options of everything that asks the network."""

from math import isfinite
from typing import Any, Final, NamedTuple

import click

from canfetch import __version__
from canfetch.access.policies import POLICIES
from canfetch.cli.shared.problems import Problem
from canfetch.core.quoting import quoted

DEFAULT_USER_AGENT: Final = f"canfetch/{__version__}"
# Each is a thread that waits.
_DEFAULT_PARALLEL: Final = 64
_MOST_PARALLEL: Final = 1024


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

    Raises: Problem: one cannot be meant, or two contradict each other.
    """
    options = NetworkOptions(**{name: given.pop(name) for name in NetworkOptions._fields})
    if options.refresh and options.offline:
        raise Problem("--refresh asks the origin and --offline asks nobody: give one of them")
    if not isfinite(options.timeout):
        # It is within no range and outside of none.
        raise Problem(f"--timeout {options.timeout} is no time: give seconds, 0.001 to 3600")
    header = options.user_agent
    if not header.isascii() or not header.isprintable() or not header.strip():
        raise Problem(f"--user-agent {quoted(header)} is no header: give the crawler's own, in ASCII")
    return options
