"""Crawl-delay: a number of seconds, or nothing."""

import pytest

from canfetch.core.extensions.crawl_delay import parse_crawl_delay


@pytest.mark.parametrize(
    "value, seconds",
    [
        (b"10", 10.0),
        (b"0", 0.0),
        (b"0.5", 0.5),
        (b".5", 0.5),
        (b"5.", 5.0),
        (b"1,5", 1.5),
        (b"007", 7.0),
        (b"1" * 32, float("1" * 32)),
    ],
)
def test_a_decimal_number_is_seconds(value: bytes, seconds: float) -> None:
    assert parse_crawl_delay(value) == seconds


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b".",
        b",",
        b"-1",
        b"+1",
        b"5s",
        b"1 2",
        b"1e3",
        b"0x10",
        b"1_000",
        b"inf",
        b"nan",
        b"1.2.3",
        b"1.2,3",
        b"1,2,3",
        # Digits to Unicode, and to float(), are no digits here.
        "\u0665".encode(),
        b"1" * 33,
    ],
)
def test_what_is_no_decimal_number_is_nothing(value: bytes) -> None:
    assert parse_crawl_delay(value) is None
