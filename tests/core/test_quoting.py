"""Error messages quote the invalid value, but never megabytes of it."""

import pytest

import canfetch
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidProductToken, InvalidURL


@pytest.mark.parametrize("value", ["", "fish", "f\u00efsh'\n", b"fish", "a" * 190])
def test_short_values_are_quoted_in_full(value: str | bytes) -> None:
    assert quoted(value) == repr(value)


@pytest.mark.parametrize("value", ["x" + "a" * 100_000 + "z", b"x" + b"a" * 100_000 + b"z"])
def test_long_values_are_shortened_in_the_middle(value: str | bytes) -> None:
    text = quoted(value)
    assert len(text) <= 200
    assert text.lstrip("b").startswith("'xaaa")
    assert text.endswith("aaaz'")


class Unprintable:
    def __repr__(self) -> str:
        raise KeyError("no text")


@pytest.mark.parametrize("value", [Unprintable(), [Unprintable()], 10**5000, {-(10**5000)}], ids=type)
def test_values_without_a_text_are_described(value: object) -> None:
    assert "Unprintable instance" in quoted(value) or "int of 16610 bits" in quoted(value)


def test_error_messages_are_short(engine: str) -> None:
    robots = canfetch.parse(b"", engine=engine)
    with pytest.raises(InvalidURL) as bad_url:
        robots.allows("a" * 1_000_000, agent="FooBot")
    with pytest.raises(InvalidURL) as bad_host:
        canfetch.robots_url("https://[" + "a" * 1_000_000 + "]/")
    with pytest.raises(InvalidProductToken) as bad_token:
        robots.allows("/", agent="a/" * 1_000_000)
    for raised in (bad_url, bad_host, bad_token):
        assert len(str(raised.value)) < 700
