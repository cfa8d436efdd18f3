"""The dates of `unavailable_after`, in any common format.

The formats are ISO 8601, RFC 822 and its successors, RFC 850, and C's asctime. Without a time zone, a date is in UTC.
Without a time, it is the beginning of the day.

Source: Google, robots meta tag specifications, `unavailable_after`: RFC 822, RFC 850, ISO 8601 and others.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

# Longer text is not a date.
_MAX_DATE_LENGTH: Final = 100
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MONTH_NAMES: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_DAY_NAMES: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORTEST_NAME: Final = 3
# Hours from UTC: the zones of RFC 822, and others in common use.
_ZONES: Final = {
    "z": 0.0,
    "ut": 0.0,
    "utc": 0.0,
    "gmt": 0.0,
    "est": -5.0,
    "edt": -4.0,
    "cst": -6.0,
    "cdt": -5.0,
    "mst": -7.0,
    "mdt": -6.0,
    "pst": -8.0,
    "pdt": -7.0,
    "wet": 0.0,
    "west": 1.0,
    "cet": 1.0,
    "cest": 2.0,
    "eet": 2.0,
    "eest": 3.0,
    "msk": 3.0,
    "jst": 9.0,
}
# RFC 5322 section 4.3: two-digit years up to 49 are in this century, and from 50 in the last one.
_FIRST_YEAR_OF_LAST_CENTURY: Final = 50


def parse_date(text: str) -> float | None:
    """Parse a date as seconds since the epoch. Return None if the text is not a valid date.

    Cost: O(characters), of which a date has at most 100.
    """
    text = text.strip().strip("\"'").strip()
    if not text or len(text) > _MAX_DATE_LENGTH or not text.isascii():
        return None
    seconds = _parse_iso_8601(text)
    return _parse_words(text.lower()) if seconds is None else seconds


def _parse_iso_8601(text: str) -> float | None:
    if not text[:4].isdigit() or not text[-1:].isalnum():
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return _to_seconds(moment.replace(tzinfo=None), moment.utcoffset() or timedelta())


def _to_seconds(local: datetime, offset: timedelta) -> float:
    # `timestamp` raises for the first and the last years that datetime supports.
    return (local.replace(tzinfo=UTC) - _EPOCH - offset).total_seconds()


def _parse_words(text: str) -> float | None:
    """Parse a date word by word; the form of each word determines what it is."""
    date = _DateParts()
    words = [word for word in text.replace(",", " ").replace("(", " ").replace(")", " ").split() if word]
    if not all(date.add(word) for word in words):
        return None
    return date.seconds()


class _DateParts:
    """The parts of a date, collected word by word."""

    def __init__(self) -> None:
        self._day: int | None = None
        self._month: int | None = None
        self._year: int | None = None
        self._time: tuple[int, int, int] | None = None
        self._afternoon: bool | None = None
        self._offset: timedelta | None = None

    def add(self, word: str) -> bool:
        """Add a word, and return whether it is part of a date."""
        if ":" in word and word[:1].isdigit():
            return self._add_time(word)
        if word in _ZONES:
            return self._add_offset(timedelta(hours=_ZONES[word]))
        if word in {"am", "pm"}:
            self._afternoon = word == "pm"
            return True
        if word[0] in "+-" or word[:3] in {"gmt", "utc"}:
            return self._add_numeric_zone(word)
        if "-" in word or "/" in word:
            return self._add_joined(word)
        if word.isdigit():
            return self._add_number(word)
        if word[0].isdigit() and word[:-2].isdigit() and word[-2:] in {"st", "nd", "rd", "th"}:
            return self._add_number(word[:-2])
        return self._add_name(word.rstrip("."))

    def seconds(self) -> float | None:
        """Return the date as seconds since the epoch, or None if it is incomplete or does not exist."""
        if self._day is None or self._month is None or self._year is None:
            return None
        hour, minute, second = self._time or (0, 0, 0)
        if self._afternoon is not None:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + 12 * self._afternoon
        try:
            # A leap second is treated as the second before it.
            local = datetime(self._year, self._month, self._day, hour, minute, min(second, 59))  # noqa: DTZ001 - the offset is applied below
        except ValueError:
            return None
        return _to_seconds(local, self._offset or timedelta())

    def _add_time(self, word: str) -> bool:
        for end in ("am", "pm", "z"):
            if word.endswith(end):
                return self._add_time(word[: -len(end)]) and self.add(end)
        parts = word.partition(".")[0].split(":")
        if self._time is not None or len(parts) > 3 or not all(part.isdigit() and len(part) <= 2 for part in parts):
            return False
        hour, minute, second = (int(part) for part in [*parts, "0"][:3])
        self._time = hour, minute, second
        return second <= 60

    def _add_offset(self, offset: timedelta) -> bool:
        # `GMT +0200` has two zones, and the number decides.
        if self._offset:
            return False
        self._offset = offset
        return True

    def _add_numeric_zone(self, word: str) -> bool:
        number = word.removeprefix("gmt").removeprefix("utc")
        digits = number[1:].replace(":", "")
        if number[:1] not in {"+", "-"} or not digits.isdigit() or len(digits) > 4:
            return False
        hours, minutes = (int(digits), 0) if len(digits) <= 2 else (int(digits[:-2]), int(digits[-2:]))
        if hours > 14 or minutes > 59:
            return False
        offset = timedelta(hours=hours, minutes=minutes)
        return self._add_offset(-offset if number[0] == "-" else offset)

    def _add_joined(self, word: str) -> bool:
        # `25-Jun-2010`. `06/25/2010` is ambiguous, so it is invalid.
        parts = word.replace("/", "-").split("-")
        if len(parts) != 3 or not all(parts):
            return False
        if len(parts[0]) == 4:
            # `2010/06/25`
            year, month, day = parts
            return month.isdigit() and self._add_month(int(month)) and self.add(day) and self._add_year(year)
        return parts[1].isalpha() and all(self.add(part) for part in parts)

    def _add_number(self, digits: str) -> bool:
        if len(digits) <= 2 and self._day is None:
            self._day = int(digits)
            return True
        return self._add_year(digits)

    def _add_year(self, digits: str) -> bool:
        if self._year is not None or not digits.isdigit() or len(digits) not in {2, 4}:
            return False
        year = int(digits)
        if len(digits) == 2:
            year += 1900 if year >= _FIRST_YEAR_OF_LAST_CENTURY else 2000
        self._year = year
        return True

    def _add_month(self, month: int) -> bool:
        if self._month is not None:
            return False
        self._month = month
        return True

    def _add_name(self, word: str) -> bool:
        if len(word) >= _SHORTEST_NAME:
            for month, name in enumerate(_MONTH_NAMES, 1):
                if name.startswith(word):
                    return self._add_month(month)
            return any(name.startswith(word) for name in _DAY_NAMES)
        return False
