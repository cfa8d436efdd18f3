"""Policies that define what a cache returns if a file cannot be fetched."""

import time
from collections.abc import Callable
from typing import Any


class CachePolicyBase:
    """Base class of the policies."""

    def exception(self, url: str, exception: Exception) -> tuple[float, Any]:
        """Return when the result expires, in seconds since the epoch, and the result. A cache raises an exception."""
        raise NotImplementedError(f"{type(self).__name__} does not implement exception")


class DefaultObjectPolicy(CachePolicyBase):
    """Return an object instead.

    Args:
        ttl: Seconds until the next fetch.
        factory: Returns the object for the URL of a robots.txt.
    """

    def __init__(self, ttl: float, factory: Callable[[str], Any]) -> None:
        self.ttl = ttl
        self.factory = factory

    def exception(self, url: str, exception: Exception) -> tuple[float, Any]:  # noqa: ARG002 - reppy's interface
        """Return when the object expires, and the object."""
        return time.time() + self.ttl, self.factory(url)


class ReraiseExceptionPolicy(CachePolicyBase):
    """Raise the same exception again.

    Args: ttl: Seconds until the next fetch.
    """

    def __init__(self, ttl: float) -> None:
        self.ttl = ttl

    def exception(self, url: str, exception: Exception) -> tuple[float, Any]:  # noqa: ARG002 - reppy's interface
        """Return when the exception expires, and the exception."""
        return time.time() + self.ttl, exception
