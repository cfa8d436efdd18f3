"""Freshness lifetimes, HTTP dates, Retry-After, and retry delays."""

import pytest

from canfetch.access.freshness import freshness_lifetime, parse_http_date
from canfetch.access.policies import get_policy
from canfetch.access.responses import Response
from canfetch.access.retries import parse_retry_after, retry_delay

DAY = 86400.0
# Thu, 01 Jan 2026 00:00:00 GMT
NOW = 1767225600.0


def lifetime(*headers: tuple[str, str], policy: str = "rfc9309") -> float:
    response = Response("https://example.com/robots.txt", 200, headers, b"")
    return freshness_lifetime(response, get_policy(policy), now=NOW)


@pytest.mark.parametrize(
    "headers, seconds",
    [
        ([], DAY),
        ([("Cache-Control", "max-age=3600")], 3600),
        ([("cache-control", 'public, MAX-AGE="3600"')], 3600),
        ([("Cache-Control", "max-age=3600"), ("Age", "600")], 3000),
        ([("Cache-Control", "max-age=3600"), ("Age", "soon")], 3600),
        ([("Cache-Control", "max-age=3600"), ("Age", "600, 700")], 3000),
        ([("Cache-Control", "max-age=3600"), ("Age", "600"), ("Age", "700")], 3000),
        ([("Cache-Control", "public"), ("Cache-Control", "max-age=3600")], 3600),
        ([("Cache-Control", "max-age=999999999999999")], DAY),
        ([("Cache-Control", "max-age=60")], 300),
        ([("Cache-Control", "max-age=-5")], 300),
        ([("Cache-Control", "max-age=3600, max-age=7200")], 3600),
        ([("Cache-Control", "no-store, max-age=3600")], 300),
        ([("Cache-Control", "no-cache")], 300),
        ([("Expires", "Thu, 01 Jan 2026 02:00:00 GMT")], 7200),
        ([("Expires", "Thu, 01 Jan 2026 02:00:00 GMT"), ("Date", "Thu, 01 Jan 2026 01:00:00 GMT")], 3600),
        ([("Expires", "Thu, 01 Jan 2026 02:00:00 GMT"), ("Expires", "Thu, 01 Jan 2026 03:00:00 GMT")], 7200),
        ([("Age", "50000")], DAY - 50_000),
        ([("Age", "90000")], 300),
        ([("Expires", "0")], 300),
        ([("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")], 300),
        ([("Expires", "Thu, 01 Jan 2026 02:00:00 GMT"), ("Cache-Control", "max-age=600")], 600),
    ],
)
def test_rfc9309_2_4_lifetime_follows_http_within_a_day(headers: list[tuple[str, str]], seconds: float) -> None:
    assert lifetime(*headers) == seconds


@pytest.mark.parametrize(
    "date, age, seconds",
    [
        ("Thu, 01 Jan 2026 00:00:00 GMT", None, 7200),
        ("Wed, 31 Dec 2025 23:00:00 GMT", None, 3600),
        ("Wed, 31 Dec 2025 23:00:00 GMT", "600", 3600),
        ("Wed, 31 Dec 2025 23:50:00 GMT", "3600", 3600),
        ("Fri, 02 Jan 2026 00:00:00 GMT", None, 7200),
        ("Fri, 02 Jan 2026 00:00:00 GMT", "3600", 3600),
        ("Thu, 01 Jan 1970 00:00:00 GMT", None, 300),
        ("yesterday", None, 7200),
    ],
)
def test_rfc9111_4_2_3_age_is_the_larger_of_age_and_the_time_since_date(
    date: str, age: str | None, seconds: float
) -> None:
    headers = [("Date", date)] if age is None else [("Date", date), ("Age", age)]
    assert lifetime(("Cache-Control", "max-age=7200"), *headers) == seconds


def test_rfc9111_4_2_3_expires_and_date_of_a_server_with_a_wrong_clock() -> None:
    expires = ("Expires", "Thu, 01 Jan 2026 02:00:00 GMT")
    assert lifetime(expires, ("Date", "Wed, 31 Dec 2025 23:00:00 GMT")) == 7200
    assert lifetime(expires, ("Date", "Thu, 01 Jan 2026 01:30:00 GMT")) == 1800


def test_draft1996_3_4_default_lifetime_is_seven_days() -> None:
    assert lifetime(policy="draft1996") == 7 * DAY
    assert lifetime(("Cache-Control", "max-age=172800"), policy="draft1996") == 2 * DAY


@pytest.mark.parametrize(
    "max_age, seconds", [(600, 600), (2 * DAY, 2 * DAY), (7 * DAY, 7 * DAY), (30 * DAY, 7 * DAY), (None, DAY)]
)
def test_google2019_max_age_increases_and_decreases_the_lifetime(max_age: float | None, seconds: float) -> None:
    headers = () if max_age is None else (("Cache-Control", f"max-age={max_age:.0f}"),)
    assert lifetime(*headers, policy="google2019") == seconds


@pytest.mark.parametrize(
    "text", ["Wed, 31 Dec 2025 23:59:60 GMT", "Wednesday, 31-Dec-25 23:59:60 GMT", "Wed Dec 31 23:59:60 2025"]
)
def test_rfc9110_5_6_7_second_60_is_a_leap_second(text: str) -> None:
    assert parse_http_date(text) == parse_http_date("Thu, 01 Jan 2026 00:00:00 GMT")


@pytest.mark.parametrize(
    "text", ["", "yesterday", "Thu, 01 Jan 2026 00:00:61 GMT", "Thu, 99 Foo 2026", "Thu, 01 Jan 99999999 00:00:00 GMT"]
)
def test_invalid_http_date_is_none(text: str) -> None:
    assert parse_http_date(text) is None


def test_rfc9110_10_2_3_retry_after_is_seconds_or_a_date() -> None:
    assert parse_retry_after("120", now=NOW) == 120
    assert parse_retry_after("Thu, 01 Jan 2026 00:02:00 GMT", now=NOW) == 120
    assert parse_retry_after("Wed, 31 Dec 2025 00:00:00 GMT", now=NOW) == 0
    assert parse_retry_after("later", now=NOW) is None
    assert parse_retry_after(None, now=NOW) is None


def delay_after(failures: int, retry_after: str | None = None, seed: int = 1) -> float:
    headers = () if retry_after is None else (("Retry-After", retry_after),)
    response = Response("https://example.com/robots.txt", 503, headers, b"")
    return retry_delay(response, failures, now=NOW, seed=seed)


def test_retry_delay_doubles_with_jitter_up_to_an_hour() -> None:
    for failures, longest in [(1, 60), (2, 120), (4, 480), (7, 3600), (500, 3600)]:
        delays = [delay_after(failures, seed=seed) for seed in range(50)]
        assert all(longest / 2 <= delay <= longest for delay in delays)
        assert len(set(delays)) == 50
    assert delay_after(3, seed=7) == delay_after(3, seed=7)


def test_rfc9110_10_2_3_retry_after_lengthens_the_delay_up_to_a_day() -> None:
    assert delay_after(1, "600") == 600
    assert delay_after(1, "61") == 61
    assert delay_after(1, "999999999") == DAY


@pytest.mark.parametrize("retry_after", ["0", "5", "29", "Wed, 31 Dec 2025 00:00:00 GMT", "later"])
def test_retry_after_does_not_shorten_the_delay(retry_after: str) -> None:
    for failures in (1, 2, 7, 500):
        assert delay_after(failures, retry_after) == delay_after(failures)


def test_first_retry_after_counts() -> None:
    response = Response("https://example.com/robots.txt", 503, (("Retry-After", "120"), ("Retry-After", "600")), b"")
    assert retry_delay(response, 1, now=NOW, seed=1) == 120
