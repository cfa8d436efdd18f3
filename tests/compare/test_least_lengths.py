"""The least length of a target that a pattern matches, against all short targets."""

from functools import cache
from itertools import product

import pytest

import canfetch
from canfetch import compare
from canfetch.compare.compared_rules import compared_rules
from canfetch.compare.direct import as_is, common_target, least_common_length, least_length, matches
from canfetch.compare.forms import Form
from canfetch.compare.limits import Budget
from canfetch.compare.patterns import Pattern
from canfetch.compare.questions import ComparedSides, Question
from canfetch.compare.witnesses import shortest_target
from canfetch.core.profiles import get_profile

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


def test_no_common_target_of_a_head_in_form_b_is_shorter() -> None:
    heads = [b"/?" + rest for rest in (b"%2F", b"%2F%2F", b"a%2F", b"%2Fa", b"%2F2", b"%%2F", b"%2", b"F%2Fa", b"%25")]
    others = [
        Pattern(head, middles, anchored)
        for head in (b"", b"/", b"/?", b"/?%2F", b"/?/")
        for middles in ((), (b"/",), (b"2F",), (b"F",), (b"a",), (b"%",), (b"%2F",), (b"/a",), (b"a", b"/"))
        for anchored in (False, True)
    ]
    targets = [b"/" + bytes(rest) for length in range(6) for rest in product(b"/?a2F%", repeat=length)]
    for head in heads:
        encoded = Pattern(head, form=Form.FORM_B)
        with_head = [target for target in targets if matches(encoded, target)]
        for other in others:
            patterns = as_is([other, encoded])
            shortest = next((target for target in with_head if matches(other, target)), None)
            if shortest is not None:
                assert least_common_length(patterns) <= len(shortest), (encoded, other)
                found = common_target(patterns)
                if found is not None and matches(encoded, found):
                    assert len(found) == len(shortest), (encoded, other)


def test_a_common_target_of_a_query_and_a_wildcard_needs_no_search() -> None:
    old, new = (
        compared_rules(canfetch.parse(b"User-agent: *\nDisallow: /\nAllow: " + value), "ExampleBot")
        for value in (b"/*/page", b"/s?q=a+b+c")
    )
    budget = Budget()
    profile = get_profile("rfc9309")
    within = [one.pattern for one in new.side(budget).ranking.in_order if one.rule is not None and one.allow]
    compared = ComparedSides([old.side(budget)], (profile, profile))
    question = Question(compared, [(True,)], lambda _: True, within)
    assert shortest_target(question, budget) == b"/s?q=a+b+c/page"
    assert budget.states == 0
