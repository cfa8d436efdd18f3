"""Times as archives write them: ISO 8601, the 14 digits of web archives, or seconds since the epoch."""

from datetime import UTC, date, datetime
from typing import Any, Final

_DIGITS_FORMAT: Final = "%Y%m%d%H%M%S"
_DIGITS: Final = 14


def parse_time(value: Any) -> float | None:
    """Return a time in seconds since the epoch, or None if `value` is not a time. Without a zone, it is in UTC."""
    if isinstance(value, str):
        moment = _parse_text(value.strip())
    elif isinstance(value, datetime):
        moment = value
    elif isinstance(value, date):
        moment = datetime(value.year, value.month, value.day, tzinfo=UTC)
    else:
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and value - value == 0
        return float(value) if is_number else None
    if moment is None:
        return None
    return (moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment).timestamp()


def _parse_text(text: str) -> datetime | None:
    try:
        if len(text) == _DIGITS and text.isascii() and text.isdecimal():
            return datetime.strptime(text, _DIGITS_FORMAT).replace(tzinfo=UTC)
        return datetime.fromisoformat(text)
    except ValueError:
        return None
