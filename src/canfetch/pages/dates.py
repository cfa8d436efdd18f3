"""The dates of `unavailable_after`, in whichever usual form an author wrote them.

ISO 8601; RFC 822 and its successors; RFC 850; what C calls asctime. Where no zone is said it is UTC, and where no
time is said it is midnight, when the day begins. No date makes this raise.

Source: Google, robots meta tag specifications, `unavailable_after`: RFC 822, RFC 850, ISO 8601 and others.
"""

from datetime import UTC, datetime, timedelta
from typing import Final

# No date is longer.
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
# Hours from UTC: the zones of RFC 822, and those that stand beside them in practice.
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
# RFC 5322 section 4.3: two digits are of this century up to 49, of the last one from 50.
_FIRST_YEAR_OF_LAST_CENTURY: Final = 50


def parse_date(text: str) -> float | None:
    """Give the moment that a date names, in seconds since the epoch, or None where it is no date.

    Cost: O(characters), of which at most 100 make a date.
    """
    text = text.strip().strip("\"'").strip()
    if not text or len(text) > _MAX_DATE_LENGTH or not text.isascii():
        return None
    seconds = _of_iso_8601(text)
    return _of_words(text.lower()) if seconds is None else seconds


def _of_iso_8601(text: str) -> float | None:
    if not text[:4].isdigit() or not text[-1:].isalnum():
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return _seconds(moment.replace(tzinfo=None), moment.utcoffset() or timedelta())


def _seconds(local: datetime, offset: timedelta) -> float:
    # Not by `timestamp`, which fails at the ends of time.
    return (local.replace(tzinfo=UTC) - _EPOCH - offset).total_seconds()


def _of_words(text: str) -> float | None:
    """Read a date word by word: each word says by its form what it is."""
    date = _Words()
    words = [word for word in text.replace(",", " ").replace("(", " ").replace(")", " ").split() if word]
    if not all(date.take(word) for word in words):
        return None
    return date.seconds()


class _Words:
    """What the words of a date said so far."""

    def __init__(self) -> None:
        self._day: int | None = None
        self._month: int | None = None
        self._year: int | None = None
        self._time: tuple[int, int, int] | None = None
        self._afternoon: bool | None = None
        self._offset: timedelta | None = None

    def take(self, word: str) -> bool:
        """Take a word, and say whether it belongs to a date."""
        if ":" in word and word[:1].isdigit():
            return self._take_time(word)
        if word in _ZONES:
            return self._take_offset(timedelta(hours=_ZONES[word]))
        if word in {"am", "pm"}:
            self._afternoon = word == "pm"
            return True
        if word[0] in "+-" or word[:3] in {"gmt", "utc"}:
            return self._take_numeric_zone(word)
        if "-" in word or "/" in word:
            return self._take_joined(word)
        if word.isdigit():
            return self._take_number(word)
        if word[0].isdigit() and word[:-2].isdigit() and word[-2:] in {"st", "nd", "rd", "th"}:
            return self._take_number(word[:-2])
        return self._take_name(word.rstrip("."))

    def seconds(self) -> float | None:
        """Give the moment, where day, month and year were said and are such as there are."""
        if self._day is None or self._month is None or self._year is None:
            return None
        hour, minute, second = self._time or (0, 0, 0)
        if self._afternoon is not None:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + 12 * self._afternoon
        try:
            # A leap second is the one before it, near enough.
            local = datetime(self._year, self._month, self._day, hour, minute, min(second, 59))  # noqa: DTZ001 - the offset counts later
        except ValueError:
            return None
        return _seconds(local, self._offset or timedelta())

    def _take_time(self, word: str) -> bool:
        for end in ("am", "pm", "z"):
            if word.endswith(end):
                return self._take_time(word[: -len(end)]) and self.take(end)
        parts = word.partition(".")[0].split(":")
        if self._time is not None or len(parts) > 3 or not all(part.isdigit() and len(part) <= 2 for part in parts):
            return False
        hour, minute, second = (int(part) for part in [*parts, "0"][:3])
        self._time = hour, minute, second
        return second <= 60

    def _take_offset(self, offset: timedelta) -> bool:
        # `GMT+2` and `GMT +0200` say it twice; the number counts.
        if self._offset:
            return False
        self._offset = offset
        return True

    def _take_numeric_zone(self, word: str) -> bool:
        number = word.removeprefix("gmt").removeprefix("utc")
        digits = number[1:].replace(":", "")
        if number[:1] not in {"+", "-"} or not digits.isdigit() or len(digits) > 4:
            return False
        hours, minutes = (int(digits), 0) if len(digits) <= 2 else (int(digits[:-2]), int(digits[-2:]))
        if hours > 14 or minutes > 59:
            return False
        offset = timedelta(hours=hours, minutes=minutes)
        return self._take_offset(-offset if number[0] == "-" else offset)

    def _take_joined(self, word: str) -> bool:
        # `25-Jun-2010`; `06/25/2010` may mean two days, and so means none.
        parts = word.replace("/", "-").split("-")
        if len(parts) != 3 or not all(parts):
            return False
        if len(parts[0]) == 4:
            # `2010/06/25`
            year, month, day = parts
            return month.isdigit() and self._take_month(int(month)) and self.take(day) and self._take_year(year)
        return parts[1].isalpha() and all(self.take(part) for part in parts)

    def _take_number(self, digits: str) -> bool:
        if len(digits) <= 2 and self._day is None:
            self._day = int(digits)
            return True
        return self._take_year(digits)

    def _take_year(self, digits: str) -> bool:
        if self._year is not None or not digits.isdigit() or len(digits) not in {2, 4}:
            return False
        year = int(digits)
        if len(digits) == 2:
            year += 1900 if year >= _FIRST_YEAR_OF_LAST_CENTURY else 2000
        self._year = year
        return True

    def _take_month(self, month: int) -> bool:
        if self._month is not None:
            return False
        self._month = month
        return True

    def _take_name(self, word: str) -> bool:
        if len(word) >= _SHORTEST_NAME:
            for month, name in enumerate(_MONTH_NAMES, 1):
                if name.startswith(word):
                    return self._take_month(month)
            return any(name.startswith(word) for name in _DAY_NAMES)
        return False
