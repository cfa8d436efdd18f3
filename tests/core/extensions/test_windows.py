"""Daily windows, `HHMM-HHMM` in UTC."""

import pytest

from canfetch.core.extensions.windows import DailyWindow, parse_daily_window

HOUR = 3600
DAY = 24 * HOUR


@pytest.mark.parametrize(
    "value, window",
    [
        (b"0600-0845", DailyWindow(6 * HOUR, 8 * HOUR + 45 * 60)),
        (b"0600 - 0845", DailyWindow(6 * HOUR, 8 * HOUR + 45 * 60)),
        (b"2200-0100", DailyWindow(22 * HOUR, HOUR)),
        (b"0000-2400", DailyWindow(0, DAY)),
        (b"2400-0100", DailyWindow(0, HOUR)),
    ],
)
def test_conner1996_window_is_two_times_of_the_day(value: bytes, window: DailyWindow) -> None:
    assert parse_daily_window(value) == window


@pytest.mark.parametrize(
    "value",
    [b"", b"0600", b"06000845", b"0600-845", b"0660-0845", b"2401-0100", b"0600-08:45", b"-0600-0845", b"a600-0845"],
)
def test_conner1996_invalid_window(value: bytes) -> None:
    assert parse_daily_window(value) is None


@pytest.mark.parametrize(
    "window, past_midnight, seconds",
    [
        # Open from the first second to the end of the last.
        (DailyWindow(6 * HOUR, 8 * HOUR), 6 * HOUR, 0),
        (DailyWindow(6 * HOUR, 8 * HOUR), 8 * HOUR - 1, 0),
        (DailyWindow(6 * HOUR, 8 * HOUR), 8 * HOUR, 22 * HOUR),
        (DailyWindow(6 * HOUR, 8 * HOUR), 0, 6 * HOUR),
        # Across midnight.
        (DailyWindow(22 * HOUR, HOUR), 23 * HOUR, 0),
        (DailyWindow(22 * HOUR, HOUR), 0, 0),
        (DailyWindow(22 * HOUR, HOUR), HOUR, 21 * HOUR),
        # The whole day, in several spellings.
        (DailyWindow(0, DAY), DAY - 1, 0),
        (DailyWindow(6 * HOUR, 6 * HOUR), 5 * HOUR, 0),
        (DailyWindow(23 * HOUR, DAY), 22 * HOUR, HOUR),
    ],
)
def test_seconds_until_a_window_opens(window: DailyWindow, past_midnight: int, seconds: int) -> None:
    assert window.seconds_until(20_000 * DAY + past_midnight) == seconds
