"""Checks of arguments that clients, stores, recorders and frontiers have in common."""

from inspect import iscoroutinefunction
from math import inf, isfinite
from typing import Any

from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption


def check_callable(name: str, value: Any) -> None:
    """Check an argument that is called without waiting for its result.

    Raises: InvalidOption: It is not callable, or its result would have to be awaited.
    """
    if not callable(value):
        raise InvalidOption(f"invalid {name} {quoted(value)}: expected a function")
    if iscoroutinefunction(value) or iscoroutinefunction(type(value).__call__):
        raise InvalidOption(f"invalid {name} {quoted(value)}: expected a function that is not async")


def check_whole_seconds(name: str, seconds: Any) -> None:
    """Check an argument that is a duration in whole seconds.

    Raises: InvalidOption.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int) or seconds < 1:
        raise InvalidOption(f"invalid {name} {quoted(seconds)}: expected an integer number of seconds, 1 or more")


def check_positive_seconds(name: str, seconds: Any) -> None:
    """Check an argument that is a duration.

    Raises: InvalidOption.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not isfinite(seconds) or seconds <= 0:
        raise InvalidOption(f"invalid {name} {quoted(seconds)}: expected a positive, finite number of seconds")


def check_count(name: str, number: Any) -> None:
    """Check an argument that is a number of things.

    Raises: InvalidOption.
    """
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InvalidOption(f"invalid {name} {quoted(number)}: expected an integer, 1 or more")


def check_durations(**durations: Any) -> None:
    """Check arguments that are durations, and may be zero.

    Raises: InvalidOption.
    """
    for name, seconds in durations.items():
        if not isinstance(seconds, int | float) or not 0 <= seconds < inf:
            raise InvalidOption(f"invalid {name} {seconds!r}: expected a finite number of seconds, 0 or more")


def check_delay_bounds(*, min_delay: Any, max_delay: Any) -> None:
    """Check that the bounds of a delay include some delay.

    Raises: InvalidOption.
    """
    check_durations(min_delay=min_delay, max_delay=max_delay)
    if min_delay > max_delay:
        raise InvalidOption(f"invalid min_delay {min_delay!r}: expected at most max_delay, {max_delay!r}")
