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
    rule_set = RuleSet(rules, RFC9309)
    rank = rule_set.form_a.first(target, len(rule_set.rules))
    return None if rank == len(rule_set.rules) else rule_set.rules[rank][:2]


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
    assert [entry.line for entry in rule_set.rules] == [7, 4, 9, 1]


def test_rfc9309_2_2_2_specificity_counts_encoded_bytes() -> None:
    # The nine encoded bytes of the character outweigh the six bytes with the star.
    rules = [(True, "/\u65e5".encode(), 1), (False, b"/*xxxxx", 2)]
    assert deciding(rules, b"/%E6%97%A5xxxxx") == (True, "/\u65e5".encode())


def test_form_b_is_indexed_only_if_a_rule_has_one() -> None:
    assert RuleSet([(False, b"/a?b=c", 1)], RFC9309).form_b is None
    rule_set = RuleSet([(False, b"/a?b=/", 1), (True, b"/", 2)], RFC9309)
    assert rule_set.form_b is not None
    assert [rule_set.rules[rank].pattern for rank in rule_set.form_b.all(b"/a?b=%2F")] == [b"/a?b=/"]
    assert list(rule_set.form_a.all(b"/a?b=%2F")) == [rule_set.rules.index(Rule(True, b"/", 2, 1))]


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


@pytest.mark.parametrize("profile", [RFC9309, GOOGLE], ids=["rfc9309", "google"])
def test_the_index_agrees_with_a_plain_search(profile: Profile) -> None:
    rules = [(index % 3 == 0, pattern, index) for index, pattern in enumerate(PATTERNS, 1)]
    rule_set = RuleSet(rules, profile)
    texts = {
        (line, text.specificity): text.text
        for allow, value, line in rules
        for text in parse_pattern(value, allow=allow, profile=profile)
    }
    for target in every_target(b"ab$", 5):
        plain = [
            rank for rank, entry in enumerate(rule_set.rules) if matches(texts[entry.line, entry.specificity], target)
        ]
        assert sorted(rule_set.form_a.all(target)) == plain
        assert rule_set.form_a.first(target, len(rule_set.rules)) == (plain + [len(rule_set.rules)])[0]
        # Only ranks below the bound are returned.
        assert rule_set.form_a.first(target, 2) == min([2, *plain])


def test_thousands_of_nested_heads() -> None:
    rules = [(False, b"/" + b"a" * length, length) for length in range(1, 1500)]
    assert deciding(rules, b"/" + b"a" * 700 + b"b") == (False, b"/" + b"a" * 700)
    assert deciding(rules, b"/b") is None


def test_draft1996_the_first_matching_rule_decides() -> None:
    rules = [(False, b"/ab", 2), (True, b"/abc", 3), (True, b"/a", 4), (False, b"/", 5)]
    rule_set = RuleSet(rules, PROFILES["draft1996"])
    assert rule_set.rules == [Rule(allow, value, line, len(value)) for allow, value, line in rules]
    assert [rule_set.form_a.first(target, 4) for target in (b"/abc", b"/ac", b"/x", b"x")] == [0, 2, 3, 4]
