"""What canfetch stores with a URL in a URLFrontier service, as metadata, besides those of other crawlers."""

import sys
from hashlib import blake2b
from math import isfinite
from typing import Any, Final

from canfetch.client.frontier.url_queue import FailedURL

# The year 9999: no crawler fetches a failed URL before.
FAILED_DATE: Final = 253_402_300_799
# The URL as it was added, if it is spelled differently; the number of its next turn; its priority; its last error; and
# when it failed.
_URL: Final = "canfetch.url"
_ATTEMPT: Final = "canfetch.attempt"
_PRIORITY: Final = "canfetch.priority"
_ERROR: Final = "canfetch.error"
_FAILED_AT: Final = "canfetch.failed_at"
# The service refuses longer keys.
_MAX_KEY: Final = 255
_MAX_ATTEMPT: Final = 10**6


def queue_key(origin: str) -> str:
    """Return the key of the queue of an origin: the origin itself, unless it is too long."""
    return origin if len(origin) <= _MAX_KEY else blake2b(origin.encode(), digest_size=32).hexdigest()


def queued_metadata(info: Any, url: str, *, attempt: int, priority: float, error: str | None = None) -> None:
    """Set the metadata of a URL that waits for a turn."""
    _set(info, _URL, url if url != info.url and _is_text(url) else None)
    _set(info, _ATTEMPT, str(attempt) if attempt > 1 else None)
    _set(info, _PRIORITY, repr(priority) if priority else None)
    _set(info, _ERROR, error)
    _set(info, _FAILED_AT, None)


def read_queued(info: Any) -> tuple[str, int, float]:
    """Return a URL as it was added, the number of its next turn, and its priority. Damaged metadata are ignored."""
    attempt = _get(info, _ATTEMPT) or ""
    number = int(attempt) if attempt.isascii() and attempt.isdigit() and len(attempt) < len(str(_MAX_ATTEMPT)) else 1
    return _get(info, _URL) or info.url, max(number, 1), _number(_get(info, _PRIORITY))


def failed_metadata(info: Any, failed: FailedURL) -> None:
    """Set the metadata of a failed URL."""
    queued_metadata(info, failed.url, attempt=failed.attempts + 1, priority=failed.priority, error=failed.error)
    _set(info, _FAILED_AT, repr(failed.failed_at))


def read_failed(info: Any) -> FailedURL:
    """Return a failed URL. Damaged metadata are ignored."""
    url, attempt, priority = read_queued(info)
    return FailedURL(url, _get(info, _ERROR), attempt - 1, _number(_get(info, _FAILED_AT)), priority)


def _get(info: Any, name: str) -> str | None:
    # Reading a map with brackets would add the name.
    values = info.metadata[name].values if name in info.metadata else ()
    return values[0] if values else None


def _set(info: Any, name: str, value: str | None) -> None:
    if name in info.metadata:
        del info.metadata[name]
    if value is not None:
        info.metadata[name].values.append(value.encode("utf-8", "replace").decode())


def _number(text: str | None) -> float:
    try:
        number = float(text or 0.0)
    except ValueError:
        return 0.0
    return number if isfinite(number) and abs(number) <= sys.float_info.max else 0.0


def _is_text(url: str) -> bool:
    """Return whether a URL can be stored: it has no lone surrogates."""
    try:
        url.encode()
    except UnicodeEncodeError:
        return False
    return True
