"""Rules in order of precedence: RFC 9309 section 2.2.2, Google's table of precedence."""

import itertools

import pytest

from canfetch.core.patterns import matches, parse_pattern
from canfetch.core.profiles import PROFILES, Profile
from canfetch.core.reference.rule_set import RuleSet
from canfetch.core.verdict import Rule

RFC9309, GOOGLE = PROFILES["rfc9309"], PROFILES["google"]
Rules = list[tuple[bool, bytes, int]]


def deciding(rules: Rules, target: bytes) -> tuple[bool, bytes] | None:
    rule = next(RuleSet(rules, RFC9309).matching(target), None)
    return None if rule is None else rule[:2]


@pytest.mark.parametrize(
    "target, allow, disallow, deciding_rule",
    [
        (b"/page", b"/p", b"/", (True, b"/p")),
        (b"/folder/page", b"/folder", b"/folder", (True, b"/folder")),
        (b"/page.htm", b"/page", b"/*.htm", (False, b"/*.htm")),
        (b"/page.php5", b"/page", b"/*.ph", (True, b"/page")),
        (b"/", b"/$", b"/", (True, b"/$")),
        (b"/page.htm", b"/$", b"/", (False, b"/")),
        # RFC 9309 section 5.2.
        (
            b"/example/page/disallowed.gif",
            b"/example/page/",
            b"/example/page/disallowed.gif",
            (False, b"/example/page/disallowed.gif"),
        ),
        # No rule matches.
        (b"/other", b"/page", b"/folder", None),
    ],
)
def test_google_table_of_precedence(
    target: bytes, allow: bytes, disallow: bytes, deciding_rule: tuple[bool, bytes] | None
) -> None:
    for order in ([(True, allow, 1), (False, disallow, 2)], [(False, disallow, 1), (True, allow, 2)]):
        assert deciding(order, target) == deciding_rule


def test_rules_are_sorted_by_precedence() -> None:
    rule_set = RuleSet([(True, b"/a", 1), (False, b"/ab", 4), (True, b"/*b", 7), (False, b"/a*", 9)], RFC9309)
    assert [rule.line for rule in rule_set.matching(b"/ab")] == [7, 4, 9, 1]


def test_rfc9309_2_2_2_specificity_counts_encoded_bytes() -> None:
    # The nine encoded bytes of the character outweigh the six bytes with the star.
    rules = [(True, "/\u65e5".encode(), 1), (False, b"/*xxxxx", 2)]
    assert deciding(rules, b"/%E6%97%A5xxxxx") == (True, "/\u65e5".encode())


def test_form_b_is_compared_only_with_rules_that_have_one() -> None:
    rule_set = RuleSet([(False, b"/a?b=/", 1), (True, b"/", 2)], RFC9309)
    assert list(rule_set.matching(b"/a?b=%2F")) == [Rule(False, b"/a?b=/", 1, 6), Rule(True, b"/", 2, 1)]
    # Both forms match, so the rule is yielded twice.
    assert [rule.line for rule in rule_set.matching(b"/a?b=/")] == [1, 1, 2]


def every_target(letters: bytes, max_length: int) -> list[bytes]:
    parts = itertools.chain.from_iterable(itertools.product(letters, repeat=length) for length in range(max_length + 1))
    return [b"/" + bytes(part) for part in parts]


PATTERNS = [b"/" + bytes(part) for part in itertools.product(b"ab*$", repeat=3)] + [
    b"/",
    b"*",
    b"/a",
    b"*a",
    b"/$",
    b"$",
]


@pytest.mark.slow
@pytest.mark.parametrize("profile", [RFC9309, GOOGLE], ids=["rfc9309", "google"])
def test_all_matching_rules_are_found_in_order_of_precedence(profile: Profile) -> None:
    rules = [(index % 3 == 0, pattern, index) for index, pattern in enumerate(PATTERNS, 1)]
    rule_set = RuleSet(rules, profile)
    for target in every_target(b"ab$", 5):
        plain = sorted(
            (-text.specificity, not allow, line)
            for allow, value, line in rules
            for text in parse_pattern(value, allow=allow, profile=profile)
            if matches(text.text, target)
        )
        assert [(-rule.specificity, not rule.allow, rule.line) for rule in rule_set.matching(target)] == plain


def test_thousands_of_nested_heads() -> None:
    rules = [(False, b"/" + b"a" * length, length) for length in range(1, 1500)]
    assert deciding(rules, b"/" + b"a" * 700 + b"b") == (False, b"/" + b"a" * 700)
    assert deciding(rules, b"/b") is None


def test_draft1996_the_first_matching_rule_decides() -> None:
    rules = [(False, b"/ab", 2), (True, b"/abc", 3), (True, b"/a", 4), (False, b"/", 5)]
    rule_set = RuleSet(rules, PROFILES["draft1996"])
    expected = [Rule(allow, value, line, len(value)) for allow, value, line in rules]
    assert list(rule_set.matching(b"/abc")) == expected
    assert [next(rule_set.matching(target), None) for target in (b"/ac", b"/x", b"x")] == [*expected[2:], None]
