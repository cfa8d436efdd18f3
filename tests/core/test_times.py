"""Times in the format of RFC 3339, in UTC."""

from datetime import UTC, datetime
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch.core.times import parse_rfc3339, printed_time, rfc3339


@pytest.mark.parametrize(
    "seconds, text",
    [
        (0, "1970-01-01T00:00:00Z"),
        (0.0, "1970-01-01T00:00:00Z"),
        (1_795_311_120, "2026-11-22T01:32:00Z"),
        (1_795_311_120.5, "2026-11-22T01:32:00.5Z"),
        (1_795_311_120.000001, "2026-11-22T01:32:00.000001Z"),
        (1_795_311_120.0000001, "2026-11-22T01:32:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (1e300, "9999-12-31T23:59:59Z"),
        (inf, "9999-12-31T23:59:59Z"),
        (-inf, "0001-01-01T00:00:00Z"),
    ],
)
def test_rfc3339_5_6_time_in_utc(seconds: float, text: str) -> None:
    assert rfc3339(seconds) == text


def test_nan_is_not_a_time() -> None:
    with pytest.raises(ValueError, match="NaN"):
        rfc3339(nan)


@given(st.datetimes(timezones=st.just(UTC)))
def test_text_parses_back_to_the_time(moment: datetime) -> None:
    parsed = datetime.fromisoformat(rfc3339(moment.timestamp()))
    # A float holds microseconds only near the epoch.
    assert abs((parsed - moment).total_seconds()) < 0.0001


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_printed_time_is_what_the_text_says(moment: datetime) -> None:
    seconds = moment.timestamp()
    assert rfc3339(printed_time(seconds)) == rfc3339(seconds)
    # Far from the epoch, a float is less exact than a microsecond.
    assert printed_time(seconds) == pytest.approx(parse_rfc3339(rfc3339(seconds)), abs=0.0001)


@pytest.mark.parametrize("text", ["2026-11-22T01:32:00", "2026-11-22T01:32:00.50Z", "2026-11-22 01:32:00Z"])
def test_other_texts_are_not_parsed(text: str) -> None:
    with pytest.raises(ValueError, match="expected an RFC 3339 time in UTC"):
        parse_rfc3339(text)
