"""Times as archives and lists write them: ISO 8601, the 14 digits of web archives, or seconds since the epoch."""

import re
from datetime import UTC, date, datetime
from math import nan
from typing import Any, Final

_DIGITS_FORMAT: Final = "%Y%m%d%H%M%S"
_DIGITS: Final = re.compile(r"\d{14}", re.ASCII)
_SECONDS: Final = re.compile(r"\d{9,10}(?:\.\d+)?", re.ASCII)
# Source: https://www.w3.org/TR/NOTE-datetime, the format of sitemaps and WARC files, also permits these.
_MONTH: Final = re.compile(r"(\d{4})-(\d\d)", re.ASCII)
_YEAR: Final = re.compile(r"\d{4}", re.ASCII)
# pandas writes a column of integers that has a gap with a fraction of zero.
_DIGITS_AND_ZERO: Final = re.compile(r"(\d{14}|\d{8})\.0*", re.ASCII)
_DATE_DIGITS: Final = re.compile(r"\d{8}", re.ASCII)
_ALL_DIGITS: Final = re.compile(r"[\d.]+", re.ASCII)
# 1973 to 2286. Smaller numbers are days or dates such as 20260501, and larger ones milliseconds.
_FIRST_SECONDS: Final = 100_000_000
_END_SECONDS: Final = 10_000_000_000


def parse_time(value: Any) -> float | None:
    """Return a time in seconds since the epoch, or None if `value` is missing: null, NaN or blank text.

    Without a zone, it is in UTC.

    Raises: ValueError: `value` is not a time.
    """
    # NaN and the missing time of pandas are not equal to themselves.
    if value is None or value != value:  # noqa: PLR0124 - as above
        return None
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    try:
        if isinstance(value, str):
            return _parse_text(value.strip()) if value.strip() else None
        if isinstance(value, datetime):
            return _seconds(value)
        if isinstance(value, date):
            return _seconds(datetime(value.year, value.month, value.day, tzinfo=UTC))
        if isinstance(value, int | float) and not isinstance(value, bool):
            digits = str(int(value)) if value == int(value) else ""
            return _parse_text(digits) if _DIGITS.fullmatch(digits[:20]) else _check_seconds(value)
    except (ValueError, OverflowError):
        pass
    shown = str(value)[:100]
    raise ValueError(f"invalid time {shown!r}: expected one such as 2026-05-01T12:30:00Z, or seconds since the epoch")


def parse_warc_date(value: str | None) -> float | None:
    """Return a time as `parse_time` does. A year is a time as well, unlike in tables, where it may be any number.

    Raises: ValueError: `value` is not a time.
    """
    return parse_time(f"{value}-01" if value is not None and _YEAR.fullmatch(value) else value)


def time_or_nan(value: Any) -> float | None:
    """Return a time as `parse_time` does, but NaN if `value` is not a time."""
    try:
        return parse_time(value)
    except ValueError:
        return nan


def _parse_text(text: str) -> float:
    whole = _DIGITS_AND_ZERO.fullmatch(text)
    text = text if whole is None else whole[1]
    if _DIGITS.fullmatch(text):
        return _seconds(datetime.strptime(text, _DIGITS_FORMAT).replace(tzinfo=UTC))
    if _SECONDS.fullmatch(text):
        return _check_seconds(float(text))
    month = _MONTH.fullmatch(text)
    if month is not None:
        return _seconds(datetime(int(month[1]), int(month[2]), 1, tzinfo=UTC))
    # Otherwise, some numbers of other lengths are accepted as a date and a separator that is a digit.
    if _ALL_DIGITS.fullmatch(text) and not _DATE_DIGITS.fullmatch(text):
        raise ValueError(text)
    return _seconds(datetime.fromisoformat(text))


def _check_seconds(value: float) -> float:
    if not _FIRST_SECONDS <= value < _END_SECONDS:
        raise ValueError(value)
    return float(value)


def _seconds(moment: datetime) -> float:
    return (moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment).timestamp()
