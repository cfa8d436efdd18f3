"""What canfetch stores with a URL in a URLFrontier service, as metadata, besides those of other crawlers."""

import json
import sys
from collections.abc import Mapping
from hashlib import blake2b
from math import isfinite
from typing import Any, Final

from canfetch.client.frontier.queue_values import FailedURL, QueuedURL
from canfetch.client.frontier.recrawl import read_visit
from canfetch.client.frontier.validation import metadata_json
from canfetch.core.text import printable_text
from canfetch.errors import InvalidOption

# The year 9999: no crawler fetches a failed URL before.
FAILED_DATE: Final = 253_402_300_799
# The URL as it was added, if it is spelled differently; the number of its next turn; its priority; its last error; and
# when it failed.
_URL: Final = "canfetch.url"
_ATTEMPT: Final = "canfetch.attempt"
_PRIORITY: Final = "canfetch.priority"
_ERROR: Final = "canfetch.error"
_FAILED_AT: Final = "canfetch.failed_at"
# The number of links from a seed, and what was added with the URL.
_DEPTH: Final = "canfetch.depth"
_METADATA: Final = "canfetch.metadata"
# What its last visit left.
_VISIT: Final = "canfetch.visit"
# The delays of the origins of a group, as JSON, and the number of those that are kept, the longest ones.
_DELAYS: Final = "canfetch.delays"
_MAX_DELAYS: Final = 100
# The service refuses longer keys.
_MAX_KEY: Final = 255
_MAX_NUMBER: Final = 10**6
# 500 characters, each of which may be escaped.
_MAX_ERROR: Final = 5000


def queue_key(group: str) -> str:
    """Return the key of the queue of an origin or group: its name, unless that is too long."""
    return group if len(group) <= _MAX_KEY else blake2b(group.encode(), digest_size=32).hexdigest()


def added_metadata(info: Any, *, depth: int, metadata: str | None) -> None:
    """Set the metadata of a new URL that never change.

    Args: metadata: JSON, or None.
    """
    _set(info, _DEPTH, str(depth) if depth else None)
    _set(info, _METADATA, metadata)


def queued_metadata(info: Any, url: str, *, attempt: int, priority: float, error: str | None = None) -> None:
    """Set the metadata of a URL that waits for a turn."""
    _set(info, _URL, url if url != info.url else None)
    _set(info, _ATTEMPT, str(attempt) if attempt > 1 else None)
    _set(info, _PRIORITY, repr(priority) if priority else None)
    _set(info, _ERROR, error)
    _set(info, _FAILED_AT, None)


def visited_metadata(info: Any, url: QueuedURL, *, visit: str | None, error: str | None = None) -> None:
    """Set the metadata of a URL that waits for its next visit.

    Args: visit: What this visit leaves for the next one, as JSON, or None if that is unchanged.
    """
    queued_metadata(info, url.url, attempt=1, priority=url.priority, error=error)
    if visit is not None:
        _set(info, _VISIT, visit)


def read_queued(info: Any, number: int) -> QueuedURL:
    """Return a URL as it was added. Damaged metadata are ignored.

    Args: number: The ID of the URL in this process.
    """
    visit = _get(info, _VISIT)
    return QueuedURL(
        number,
        _get(info, _URL) or info.url,
        _number(_get(info, _PRIORITY)),
        max(_whole(_get(info, _ATTEMPT)), 1),
        _whole(_get(info, _DEPTH)),
        _json(_get(info, _METADATA)),
        visit if read_visit(visit) else None,
    )


def failed_metadata(info: Any, failed: FailedURL) -> None:
    """Set the metadata of a failed URL."""
    queued_metadata(info, failed.url, attempt=failed.attempts + 1, priority=failed.priority, error=failed.error)
    _set(info, _FAILED_AT, repr(failed.failed_at))


def read_failed(info: Any) -> FailedURL:
    """Return a failed URL. Damaged metadata are ignored."""
    queued = read_queued(info, 0)
    return FailedURL(queued.url, _error(info), queued.attempt - 1, _number(_get(info, _FAILED_AT)), queued.priority)


def delays_metadata(info: Any, delays: Mapping[str, float]) -> None:
    """Set the delays of the origins of a group. Those of 0 need no place."""
    longest = sorted(delays.items(), key=lambda item: -item[1])[:_MAX_DELAYS]
    _set(info, _DELAYS, json.dumps({origin: delay for origin, delay in longest if delay > 0}))


def read_delays(info: Any) -> dict[str, float]:
    """Return the delays of the origins of a group. Damaged metadata are ignored."""
    try:
        found = json.loads(_get(info, _DELAYS) or "{}")
        return {str(origin): max(_number(str(delay)), 0.0) for origin, delay in found.items()}
    except (AttributeError, ValueError, RecursionError):
        return {}


def _get(info: Any, name: str) -> str | None:
    # Reading a map with brackets would add the name.
    values = info.metadata[name].values if name in info.metadata else ()
    return values[0] if values else None


def _set(info: Any, name: str, value: str | None) -> None:
    if name in info.metadata:
        del info.metadata[name]
    if value is not None:
        info.metadata[name].values.append(value.encode("utf-8", "replace").decode())


def _error(info: Any) -> str | None:
    error = _get(info, _ERROR)
    return None if error is None else printable_text(error[:_MAX_ERROR])


def _whole(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < len(str(_MAX_NUMBER)) else 0


def _json(text: str | None) -> str | None:
    """Return metadata that `Frontier.add` accepts, or None."""
    if text is None:
        return None
    try:
        return metadata_json(json.loads(text))
    except (InvalidOption, ValueError, RecursionError):
        return None


def _number(text: str | None) -> float:
    try:
        number = float(text or 0.0)
    except ValueError:
        return 0.0
    return number if isfinite(number) and abs(number) <= sys.float_info.max else 0.0
