"""Dates of unavailable_after: the formats that Google names, and invalid dates."""

from datetime import UTC, datetime

import pytest

from canfetch.pages.dates import parse_date


def at(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[arg-type,misc] # a date has six parts at most


JUNE = at(2010, 6, 25, 15, 0, 0)


@pytest.mark.parametrize(
    "text",
    [
        # RFC 822 and its successors
        "25 Jun 10 15:00 GMT",
        "Fri, 25 Jun 2010 15:00:00 GMT",
        "Fri, 25 Jun 2010 15:00:00 +0000",
        "Fri, 25 Jun 2010 07:00:00 PST",
        "25 Jun 2010 08:00:00 PDT",
        "25 Jun 2010 10:00:00 -0500",
        # RFC 850
        "Friday, 25-Jun-10 15:00:00 GMT",
        "Friday, 25-Jun-2010 15:00:00 UTC",
        # asctime
        "Fri Jun 25 15:00:00 2010",
        # ISO 8601
        "2010-06-25T15:00:00Z",
        "2010-06-25T15:00:00",
        "2010-06-25 15:00:00",
        "2010-06-25T17:00:00+02:00",
        "20100625T150000Z",
        # other common formats
        "June 25, 2010, 3:00 pm",
        "june 25th 2010 3:00:00pm",
        "25 Jun 2010 15:00:00.5z",
        "2010/06/25 15:00",
        "25 June 2010 17:00 GMT+2",
        "25 June 2010 17:00 GMT +02:00",
        "25 Jun. 2010 15:00",
        ' "25 Jun 2010 15:00:00 GMT" ',
        "25 Jun 2010 (15:00:00 GMT)",
    ],
)
def test_google_date_formats(text: str) -> None:
    assert parse_date(text) == JUNE


@pytest.mark.parametrize(
    "text, seconds",
    [
        ("2020-09-21", at(2020, 9, 21)),
        ("21 Sept 2020", at(2020, 9, 21)),
        ("1 Jan 49", at(2049, 1, 1)),
        ("1 Jan 50", at(1950, 1, 1)),
        ("31 Dec 2016 23:59:60 UTC", at(2016, 12, 31, 23, 59, 59)),
        ("1 Jan 2010 12:30 am", at(2010, 1, 1, 0, 30)),
        ("1 Jan 2010 12:30 pm", at(2010, 1, 1, 12, 30)),
        ("0001-01-01T00:00:00+14:00", -62135647200.0),
        ("9999-12-31T23:59:59-14:00", 253402351199.0),
    ],
)
def test_date_is_parsed_as_seconds_since_the_epoch(text: str, seconds: float) -> None:
    assert parse_date(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "soon",
        "noindex",
        "Friday",
        "25 Jun",
        "Jun 2010",
        "25 2010",
        "2010-13-01",
        "2010-06-31",
        "31 Jun 2010",
        "06/25/2010",
        "25-06-2010",
        "25-Jun",
        "25--2010",
        "2010-xx-01 x",
        "2010-06-25T15:00:00Z nonsense",
        "25 Jun 2010 25:00",
        "25 Jun 2010 15:00:61",
        "25 Jun 2010 15:00:00:00",
        "25 Jun 2010 15:000",
        "25 Jun 2010 15:xx",
        "25 Jun 2010 15:00 16:00",
        "25 Jun 2010 13:00 pm",
        "25 Jun 2010 0:30 am",
        "25 Jun 2010 15:00 +1500",
        "25 Jun 2010 15:00 +0260",
        "25 Jun 2010 15:00 +",
        "25 Jun 2010 15:00 +12345",
        "25 Jun 2010 15:00 gmtx",
        "25 Jun 2010 15:00 PST -0800",
        "25 Jun 2010 2011",
        "25 Jun Jul 2010",
        "25 26 27 Jun",
        "125 Jun 2010",
        "25xx Jun 2010",
        "fr 25 Jun 2010",
        "2010/06/25 26 2010",
        "2010/06/25/1",
        "\uff12010-06-25",
        "2010-06-25\udcff",
        "25 Jun 2010 " + "x" * 100,
        "9" * 90,
    ],
)
def test_invalid_date_is_none(text: str) -> None:
    assert parse_date(text) is None
