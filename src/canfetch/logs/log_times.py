"""The times of log lines, as Unix seconds."""

from datetime import UTC, datetime
from math import isfinite
from typing import Final

# A busy server logs many lines a second, so most times are found here.
_CACHE_LIMIT: Final = 50_000
_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"), start=1
    )
}
# The units of numbers without one. A number of seconds with this size is in the year 5138.
_LARGEST_SECONDS: Final = 1e11
_LARGEST_NUMBER: Final = 1e21


class LogTimes:
    """Reads the times of a log, and remembers the last ones."""

    __slots__ = ("_cache",)

    def __init__(self) -> None:
        self._cache: dict[bytes, float | None] = {}

    def read(self, text: bytes) -> float | None:
        """Return Unix seconds, or None if `text` is not a time.

        Args: text: `22/Nov/2026:12:00:00 +0000`, a time of ISO 8601, or a Unix time in seconds, milliseconds,
            microseconds or nanoseconds. A time without a zone is UTC.
        Cost: A dictionary lookup if the time was read before.
        """
        try:
            return self._cache[text]
        except KeyError:
            pass
        if len(self._cache) >= _CACHE_LIMIT:
            self._cache.clear()
        seconds = self._cache[text] = _read(text)
        return seconds


def _read(text: bytes) -> float | None:
    try:
        if text[2:3] == b"/":
            return _read_common(text)
        if text[4:5] == b"-":
            moment = datetime.fromisoformat(text.decode("ascii"))
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        return _read_number(text)
    except (ValueError, KeyError, OverflowError):
        return None


def _read_common(text: bytes) -> float:
    """Read the time of the common log format."""
    zone = text[21:26]
    if len(text) != len(b"22/Nov/2026:12:00:00 +0000") or zone[:1] not in (b"+", b"-"):
        raise ValueError
    moment = datetime(
        int(text[7:11]),
        _MONTHS[text[3:6]],
        int(text[:2]),
        int(text[12:14]),
        int(text[15:17]),
        # A leap second.
        min(int(text[18:20]), 59),
        tzinfo=UTC,
    )
    offset = int(zone[1:3]) * 3600 + int(zone[3:]) * 60
    return moment.timestamp() - (offset if zone[:1] == b"+" else -offset)


def _read_number(text: bytes) -> float:
    number = float(text)
    if not isfinite(number) or not 0 <= number < _LARGEST_NUMBER:
        raise ValueError
    while number >= _LARGEST_SECONDS:
        number /= 1000
    return number
