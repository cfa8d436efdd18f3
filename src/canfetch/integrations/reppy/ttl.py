"""Policies that define how long a robots.txt stays fresh.

Source: RFC 9111 section 4.2; RFC 9309 section 2.4 for the maximum.
"""

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final, Protocol

_DAY: Final = 86400.0
_UNCACHED: Final = frozenset({"no-store", "no-cache", "must-revalidate"})
_MAX_AGE: Final = frozenset({"s-maxage", "max-age"})


class HasHeaders(Protocol):
    """A response, such as those of `Robots.fetch`."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The header fields. Names are case-insensitive."""


class TTLPolicyBase:
    """Base class of the policies."""

    def ttl(self, response: HasHeaders) -> float:
        """Return for how many seconds a response stays fresh."""
        raise NotImplementedError(f"{type(self).__name__} does not implement ttl")

    def expires(self, response: HasHeaders) -> float:
        """Return when a response expires, in seconds since the epoch."""
        return time.time() + self.ttl(response)


class HeaderWithDefaultPolicy(TTLPolicyBase):
    """Cache-Control and Expires define the lifetime, or else a default.

    Args:
        default: Seconds without these headers.
        minimum: The lower limit of the lifetime in the headers, in seconds.
        maximum: The upper limit, in seconds.
    """

    def __init__(self, default: float, minimum: float, maximum: float = _DAY) -> None:
        self.default = default
        self.minimum = minimum
        self.maximum = maximum

    def ttl(self, response: HasHeaders) -> float:
        """Return for how many seconds a response stays fresh. Cache-Control has precedence over Expires."""
        lifetime = _max_age(response.headers.get("cache-control"))
        if lifetime is None:
            lifetime = _seconds_until_expiry(response.headers)
        return self.default if lifetime is None else max(self.minimum, min(lifetime, self.maximum))


def _max_age(cache_control: str | None) -> float | None:
    for directive in (cache_control or "").lower().split(","):
        name, _, value = directive.partition("=")
        if name.strip() in _UNCACHED:
            return 0
        if name.strip() in _MAX_AGE and value.strip().strip('"').isdecimal():
            return float(value.strip().strip('"'))
    return None


def _seconds_until_expiry(headers: Mapping[str, str]) -> float | None:
    expires = _timestamp(headers.get("expires"))
    if expires is None:
        return None
    date = _timestamp(headers.get("date"))
    return expires - (time.time() if date is None else date)


def _timestamp(date: str | None) -> float | None:
    try:
        return None if date is None else parsedate_to_datetime(date).timestamp()
    except (ValueError, OverflowError):
        return None
