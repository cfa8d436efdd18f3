"""Dictionaries of structured fields are those that the library `http-sf` reads."""

import random
from typing import Final

import pytest

from canfetch.core.extensions.structured_dictionary import parse_structured_dictionary

http_sf = pytest.importorskip("http_sf")

KEYS: Final = [b"train-ai", b"search", b"ai-use", b"x", b"*a.b"]
ITEMS: Final = [b"y", b"n", b"?1", b"1", b"1.5", b'"q"', b":aGk=:", b"@1", b'%"a"', b"A", b"tok/en:x"]
LISTS: Final = [b"(a b;c=1)", b"()", b"( a )", b"(a  b)"]
PARAMETERS: Final = [b"p", b" p=1", b"p=tok", b"P"]
PIECES: Final = [
    *(
        b"train-ai",
        b"search",
        b"a",
        b"*k",
        b"A",
        b"1",
        b"_x",
        b"=",
        b"=",
        b",",
        b", ",
        b" ,\t",
        b";",
        b"; ",
        b"(",
        b")",
    ),
    *(
        b" ",
        b"\t",
        b"?2",
        b'"\\""',
        b'"\\x"',
        b'"',
        b":aGk:",
        b":*:",
        b":",
        b"@1.5",
        b"-1",
        b"1.",
        b"1.2345",
        b"-",
        b".",
    ),
    *(
        b"1234567890123456",
        b"123456789012345",
        b"1234567890123.1",
        b'%"a%c3%a9"',
        b'%"%C3"',
        b'%"%ff"',
        b"\xc3\xa9",
        b"\0",
    ),
]


def generated_field(dice: random.Random) -> bytes:
    """Return a dictionary, often with a fault, or a sequence of pieces of one."""
    if dice.random() < 0.5:
        return b"".join(dice.choices(PIECES, k=dice.randint(1, 8)))
    members = []
    for _ in range(dice.randint(1, 4)):
        value = b"=" + dice.choice(ITEMS + LISTS) if dice.random() < 0.9 else b""
        parameter = b";" + dice.choice(PARAMETERS) if dice.random() < 0.3 else b""
        members.append(dice.choice(KEYS) + value + parameter)
    field = dice.choice([b",", b", ", b" , ", b"\t,"]).join(members)
    if dice.random() < 0.3:
        start = dice.randrange(len(field) + 1)
        field = field[:start] + dice.choice(PIECES) + field[start + dice.randint(0, 1) :]
    return field


def tokens_of_the_library(field: bytes) -> dict[bytes, bytes | None] | None:
    try:
        members = http_sf.parse(field, tltype="dictionary")
    except http_sf.StructuredFieldError:
        return None
    return {
        key.encode(): str(value).encode() if isinstance(value, http_sf.Token) else None
        for key, (value, _) in members.items()
    }


@pytest.mark.slow
def test_generated_dictionaries() -> None:
    dice = random.Random(1)  # noqa: S311 - the same fields in every run
    valid = 0
    for _ in range(100_000):
        field = generated_field(dice)
        expected = tokens_of_the_library(field)
        # The library has no dates after the year 9999.
        if b"@1" in field and parse_structured_dictionary(field) != expected:
            assert b"@12345678" in field
            continue
        assert parse_structured_dictionary(field) == expected, field
        valid += expected is not None
    assert valid > 30_000
