"""Times of archives and lists: what is a time, what is missing, and what is neither."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from canfetch.bulk.reading.row_files import cell_values
from canfetch.bulk.reading.times import parse_time, parse_warc_date

MAY = 1777593600.0
NOON = MAY + 43_200


@pytest.mark.parametrize(
    "value, seconds",
    [
        ("2026-05-01T12:00:00Z", NOON),
        (" 2026-05-01T12:00:00.25Z ", NOON + 0.25),
        ("2026-05-01T12:00:00.123456789Z", NOON + 0.123456),
        ("2026-05-01 14:00:00+02:00", NOON),
        ("2026-05-01T12:00:00", NOON),
        (b"2026-05-01", MAY),
        ("20260501", MAY),
        ("2026-05", MAY),
        ("20260501120000", NOON),
        (20260501120000, NOON),
        ("1777636800", NOON),
        ("1777636800.5", NOON + 0.5),
        # Columns of pandas that have a gap.
        ("20260501120000.0", NOON),
        ("20260501.0", MAY),
        (20260501120000.0, NOON),
        ("1777636800.0", NOON),
        (1777636800, NOON),
        (1777636800.5, NOON + 0.5),
        (date(2026, 5, 1), MAY),
        (datetime(2026, 5, 1, 12, tzinfo=UTC), NOON),
        (datetime(2026, 5, 1, 14, tzinfo=timezone(timedelta(hours=2))), NOON),
    ],
)
def test_times(value: Any, seconds: float) -> None:
    assert parse_time(value) == pytest.approx(seconds, abs=1e-6)


def test_a_warc_date_can_be_a_year() -> None:
    assert [parse_warc_date(value) for value in ("2026", "2026-05-01T12:00:00Z", None)] == [1767225600.0, NOON, None]
    with pytest.raises(ValueError, match="invalid time"):
        parse_warc_date("0000")


@pytest.mark.parametrize("value", [None, "", " ", float("nan")])
def test_missing_times(value: Any) -> None:
    assert parse_time(value) is None


@pytest.mark.parametrize(
    "value",
    [
        "never",
        "01/02/2026",
        "2026-02-30",
        "2026-13",
        "20261301",
        "99999999999999",
        "0000",
        "2026",
        "5000",
        2026,
        "1777636800000",
        "20260501112",
        "20260501120000.5",
        "-1777636800",
        "1e9",
        "²026",
        1777636800000,
        1777636800000000000,
        20260501,
        20574,
        0,
        -1,
        float("inf"),
        True,
        {"a": 1},
        [2026],
        b"\xff",
    ],
)
def test_values_that_are_not_times(value: Any) -> None:
    with pytest.raises(ValueError, match=r"^invalid time .*: expected one such as 2026-05-01T12:30:00Z, or seconds"):
        parse_time(value)


def test_times_of_arrow_columns() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    nanoseconds = pyarrow.array([1777636800_123456789, None], pyarrow.timestamp("ns", "America/New_York"))
    assert [parse_time(value) for value in cell_values(nanoseconds)] == [pytest.approx(NOON + 0.123456), None]
    seconds = pyarrow.array([1777636800, 1 << 60, None], pyarrow.timestamp("s"))
    first, second, third = cell_values(seconds)
    assert (parse_time(first), third) == (NOON, None)
    with pytest.raises(ValueError, match="invalid time"):
        parse_time(second)
    days = pyarrow.array([20574, 1 << 30], pyarrow.date32())
    first, second = cell_values(days)
    assert parse_time(first) == MAY
    with pytest.raises(ValueError, match="invalid time"):
        parse_time(second)
