"""Validation of the arguments of a frontier."""

from math import inf, isfinite
from typing import Any

from canfetch.core.quoting import quoted
from canfetch.core.urls import is_url_object
from canfetch.errors import InvalidOption


def check_source(urls: object) -> None:
    """Reject a single URL, whose characters would be read as URLs.

    Raises: TypeError: `urls` is a URL.
    """
    if isinstance(urls, str | bytes):
        raise TypeError(f"invalid urls {quoted(urls)}: expected an iterable of URLs, such as [{quoted(urls)}]")
    if is_url_object(urls):
        raise TypeError(f"invalid urls of type {type(urls).__name__}: expected an iterable of URLs, such as [url]")


def check_priority(priority: Any) -> None:
    """Check the priority of URLs.

    Raises: InvalidOption.
    """
    if not isinstance(priority, int | float) or not isfinite(priority):
        raise InvalidOption(f"invalid priority {priority!r}: expected a finite number")


def check_positive_integer(name: str, number: Any) -> None:
    """Check an option that counts something.

    Raises: InvalidOption.
    """
    if not isinstance(number, int) or number < 1:
        raise InvalidOption(f"invalid {name} {number!r}: expected an integer, 1 or more")


def check_seconds(name: str, seconds: Any) -> None:
    """Check an option that is a duration.

    Raises: InvalidOption.
    """
    if not isinstance(seconds, int | float) or not 0 <= seconds < inf:
        raise InvalidOption(f"invalid {name} {seconds!r}: expected a finite number of seconds, 0 or more")
