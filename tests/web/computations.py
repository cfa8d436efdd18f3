"""Functions that worker processes call in tests."""

import os
from typing import NoReturn

from canfetch.errors import InvalidURL, Undecided


def endless() -> NoReturn:
    """Hold the interpreter lock of the process forever."""
    while True:
        sum(range(1_000_000))


def process() -> int:
    """Return the ID of the process."""
    return os.getpid()


def crash() -> NoReturn:
    """End the process."""
    os._exit(3)


def reject(url: str) -> NoReturn:
    """Raise an error of the library."""
    raise InvalidURL(f"invalid URL {url!r}", index=7)


def leave_undecided() -> NoReturn:
    """Raise an error of the library that cannot be pickled."""
    raise Undecided("too large", states=3)


def fail(secret: str) -> NoReturn:
    """Raise an unexpected error, whose message quotes an argument."""
    raise KeyError(secret)


def print_and_return(text: str) -> str:
    """Print a text, as a library may do."""
    print(text)  # noqa: T201 - what is tested
    return text
