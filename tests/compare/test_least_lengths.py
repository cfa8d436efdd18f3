"""The least length of a target that a pattern matches, against all short targets."""

import random
from functools import cache
from itertools import product

import pytest

import canfetch
from canfetch import compare
from canfetch.compare.budget import Budget
from canfetch.compare.compared_rules import compared_rules
from canfetch.compare.direct import (
    _shared,
    as_is,
    common_targets,
    have_no_target,
    least_common_length,
    least_length,
    matches,
)
from canfetch.compare.patterns import Form, Pattern
from canfetch.compare.questions import ComparedSides, Question
from canfetch.compare.witnesses import shortest_target
from canfetch.core.profiles import get_profile

_TARGETS = [b"/" + bytes(rest) for length in range(5) for rest in product(b"/?a2F%", repeat=length)]
_SEGMENTS = (b"/", b"?", b"a", b"2", b"F", b"2F", b"%", b"%2", b"%2F", b"%3F", b"F2", b"2Fa", b"F%2F")


@cache
def patterns() -> list[tuple[bytes, tuple[bytes, ...]]]:
    heads = (b"", b"/", b"/?")
    return [(head, middles) for head in heads for count in (1, 2) for middles in product(_SEGMENTS, repeat=count)]


@pytest.mark.slow
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


@pytest.mark.slow
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
                found = next(common_targets(patterns, shortest=True), None)
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


def pairs_of_patterns() -> list[tuple[Pattern, Pattern]]:
    parts = (b"/", b"a", b"?", b"/a", b"a/", b"aa")
    forms = [(Form.AS_IS, parts), (Form.FORM_B, (b"?", b"%2F", b"a"))]
    some = [
        Pattern(head, middles, anchored, form)
        for form, middle_parts in forms
        for head in (b"", b"/", b"/a", b"/?")
        for count in (0, 1, 2)
        for middles in product(middle_parts, repeat=count)
        for anchored in (False, True)
        if head or middles
    ]
    return random.Random(3).sample(list(product(some, some)), 4000)  # noqa: S311 - reproducible patterns


@pytest.mark.slow
def test_common_targets_are_shortest_and_proofs_that_there_is_none_hold() -> None:
    targets = [b"/" + bytes(rest) for length in range(7) for rest in product(b"/?a", repeat=length)]
    matched_by = cache(lambda pattern: {target for target in targets if matches(pattern, target)})
    found_common = found_none = 0
    for one, other in pairs_of_patterns():
        common = matched_by(one) & matched_by(other)
        for target in common_targets(as_is([one, other]), shortest=True):
            found_common += 1
            assert matches(one, target), (one, other, target)
            assert matches(other, target), (one, other, target)
            assert all(len(target) <= len(each) for each in common), (one, other, target)
        if have_no_target([one], [other]):
            found_none += 1
            assert matched_by(one) <= matched_by(other), (one, other)
    assert found_common > 500
    assert found_none > 100


@pytest.mark.parametrize(
    "rules",
    [
        ["/*/preview/", "/*.jpg$"],
        ["/?q=admin/", "/en/", "/misc/*.js$"],
        ["/*.js", "/themes/*.min.js$"],
    ],
)
def test_rules_of_usual_files_need_no_search(rules: list[str]) -> None:
    disallowed = "\n".join(f"Disallow: {rule}" for rule in rules)
    old, new = (
        compared_rules(canfetch.parse(f"User-agent: *\n{text}\n"), "ExampleBot")
        for text in (disallowed, "Disallow: /\nAllow: /*.css")
    )
    budget = Budget()
    compared = ComparedSides([old.side(budget), new.side(budget)], (old.profile, new.profile))
    for one in compared.sides[0].ranking.in_order:
        for wanted in ((True, False), (False, True), (None, True), (True, None)):
            question = Question(compared, [wanted], lambda _: True, [one.pattern], shortest=False)
            shortest_target(question, budget)
    assert budget.states == 0


@pytest.mark.parametrize(
    "one, other", [(b"x" + b"ab" * 50, b"ab" * 60), (b"a" * 99, b"b" * 99), (b"ab" * 40, b"b" + b"ab" * 40)]
)
def test_long_texts_share_the_most_bytes(one: bytes, other: bytes) -> None:
    lengths = range(min(len(one), len(other)), 0, -1)
    assert _shared(one, other) == next((number for number in lengths if one.endswith(other[:number])), 0)
