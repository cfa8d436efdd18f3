"""Rules that others make redundant: which of them are compared exactly, and within which limit."""

import pytest

from canfetch.lint import Linter
from canfetch.lint.analysis.exact_redundancy import MAX_RULES


def covered_lines(*rules: str) -> list[int]:
    content = "\n".join(["User-agent: *", *rules, ""]).encode()
    return [finding.line for finding in Linter(select=["CF406"], findings_limit=None).lint(content).findings]


def test_only_one_of_two_patterns_that_match_the_same_urls_is_redundant() -> None:
    assert covered_lines("Disallow: /*a", "Disallow: *a") == [3]
    assert covered_lines("Disallow: *a", "Disallow: /*a") == [3]


def test_a_star_at_the_start_may_stand_for_nothing() -> None:
    assert covered_lines("Disallow: /*/a", "Disallow: */a") == [2]
    assert covered_lines("Disallow: */a", "Disallow: /*/a") == [3]


def test_rules_that_are_redundant_only_because_of_each_other_are_reported_once() -> None:
    # Either `/ab*x` or `/*b*x` has to win over the `Allow` line.
    assert covered_lines("Disallow: /*x", "Allow: /ab", "Disallow: /ab*x", "Disallow: /*b*x") == [4]


def test_rules_of_all_groups_of_a_crawler_count() -> None:
    rules = ["Disallow: /a", "Disallow: /a/b$", "", "User-agent: *", "User-agent: x", "Allow: /*z"]
    assert covered_lines(*rules) == [3]
    # An `Allow` for the same URLs wins, which is not coverage, but a contradiction.
    assert covered_lines(*rules, "Allow: /a/b$") == []
    assert covered_lines(*rules, "Allow: /*b") == []


def test_larger_files_are_not_compared_exactly() -> None:
    rules = ["Disallow: /a", "Allow: /a*z", "Disallow: /a/b$"]
    others = [f"Disallow: /{number}/" for number in range(MAX_RULES - len(rules))]
    assert covered_lines(*rules, *others) == [4]
    assert covered_lines(*rules, *others, "Disallow: /b/") == []
    # No opposing rule has such a length, so that no comparison is necessary.
    assert covered_lines("Disallow: /c", "Disallow: /c/d", *rules, *others) == [3]


@pytest.mark.slow
def test_a_rule_that_overlaps_hundreds_of_others_is_not_compared() -> None:
    rules = ["Disallow: /a", "Allow: /a*z", "Disallow: /a/b$"]
    others = [f"Disallow: /a*x{number}/" for number in range(300)]
    assert covered_lines(*rules, *others[:100]) == [4]
    assert covered_lines(*rules, *others) == []
