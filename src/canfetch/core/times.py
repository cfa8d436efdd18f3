"""Times as text: seconds since the epoch in the format of RFC 3339."""

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime

# The years 1 to 9999, which datetime can represent.
_EARLIEST: Final = -62_135_596_800
_LATEST: Final = 253_402_300_799


def rfc3339(seconds: float) -> str:
    """Format seconds since the epoch as an RFC 3339 time in UTC, such as `2026-11-22T01:32:00Z`.

    Fractions of a second are written to the microsecond, and only if they are not zero. A time before the year 1
    or after the year 9999 is written as the nearest time in that range.

    Raises: ValueError: `seconds` is not a number.
    Source: RFC 3339 section 5.6.

    >>> rfc3339(0), rfc3339(1_790_000_000.25)
    ('1970-01-01T00:00:00Z', '2026-09-21T14:13:20.25Z')
    """
    return _format(seconds)


def optional_rfc3339(seconds: float | None) -> str | None:
    """Format a time as `rfc3339` does, or return None if there is none."""
    return None if seconds is None else _format(seconds)


def parse_rfc3339(text: str) -> float:
    """Parse a time that `rfc3339` formatted, as seconds since the epoch.

    Raises: ValueError: `text` is anything else.

    >>> parse_rfc3339("1970-01-01T00:00:01.5Z")
    1.5
    """
    from datetime import UTC, datetime  # noqa: PLC0415 - as in `_moment`

    seconds = datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    if rfc3339(seconds) != text:
        raise ValueError(f"expected an RFC 3339 time in UTC, not {text!r}")
    return seconds


def printed_time(seconds: float) -> float:
    """Return the time that `rfc3339` writes, in seconds since the epoch: a whole number of microseconds.

    Raises: ValueError: `seconds` is not a number.

    >>> printed_time(1_790_000_000.1234567) == printed_time(1_790_000_000.1234569)
    True
    """
    from datetime import UTC, datetime  # noqa: PLC0415 - as in `_moment`

    return (_moment(seconds) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


# The verdicts of an origin contain the same time.
@lru_cache(maxsize=256)
def _format(seconds: float) -> str:
    moment = _moment(seconds)
    text = moment.replace(tzinfo=None).isoformat()
    return f"{text.rstrip('0') if moment.microsecond else text}Z"


def _moment(seconds: float) -> "datetime":
    from datetime import UTC, datetime  # noqa: PLC0415 - slow to import, and most programs print no times

    return datetime.fromtimestamp(min(max(seconds, _EARLIEST), _LATEST), UTC)
