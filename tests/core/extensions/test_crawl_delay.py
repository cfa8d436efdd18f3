"""Crawl-delay: a number of seconds."""

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
        (b"1" * 33, float("1" * 32)),
        (b"9" * 400, float("9" * 32)),
        (b"0" * 400 + b"5", 5.0),
        (b"0" * 400, 0.0),
        (b"0." + b"3" * 400, 1 / 3),
        (b"2." + b"0" * 400, 2.0),
    ],
)
def test_decimal_number_of_seconds(value: bytes, seconds: float) -> None:
    assert parse_crawl_delay(value) == pytest.approx(seconds)


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
        # Only ASCII digits, although float() accepts all digits of Unicode.
        "\u0665".encode(),
    ],
)
def test_other_values_are_invalid(value: bytes) -> None:
    assert parse_crawl_delay(value) is None
