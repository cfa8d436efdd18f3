"""The least length of a target that a pattern matches, against all short targets."""

from functools import cache
from itertools import product

import pytest

import canfetch
from canfetch import compare
from canfetch.compare.direct import least_length, matches
from canfetch.compare.forms import Form
from canfetch.compare.patterns import Pattern

_TARGETS = [b"/" + bytes(rest) for length in range(5) for rest in product(b"/?a2F%", repeat=length)]
_SEGMENTS = (b"/", b"?", b"a", b"2", b"F", b"2F", b"%", b"%2", b"%2F", b"%3F", b"F2", b"2Fa", b"F%2F")


@cache
def patterns() -> list[tuple[bytes, tuple[bytes, ...]]]:
    heads = (b"", b"/", b"/?")
    return [(head, middles) for head in heads for count in (1, 2) for middles in product(_SEGMENTS, repeat=count)]


@pytest.mark.parametrize("form", Form)
def test_no_target_is_shorter(form: Form) -> None:
    for head, middles in patterns():
        pattern = Pattern(head, middles, form=form)
        least = least_length(pattern)
        shortest = next((target for target in _TARGETS if matches(pattern, target)), None)
        assert shortest is None or least <= len(shortest), (pattern, shortest)


@pytest.mark.parametrize("other", [b"/abcdefg", b"/abcdefg$", b"/*abcdefg"])
def test_digits_of_escapes_count_for_the_byte_that_they_encode(other: bytes) -> None:
    robots = canfetch.parse(b"User-agent: *\nDisallow: /*?*a/b*2F*2F\nDisallow: " + other)
    # Form (b) of this URL is `/?a%2Fb%2F%2F`.
    assert compare.coverage(robots, agent="ExampleBot").disallowed_example == "/?a/b//"
