"""Both engines find the same targets."""

import random

import pytest

from canfetch import PROFILES, parse
from canfetch.compare.compared_rules import compared_rules
from canfetch.compare.domains import domain_of
from canfetch.compare.limits import Budget, PortableBudget
from canfetch.compare.native_search import NativeSearch, native_domain_class
from canfetch.compare.patterns import side_of
from canfetch.compare.search import Search
from canfetch.errors import Undecided
from enumerate_comparisons import changed_file, random_file

pytestmark = pytest.mark.skipif(native_domain_class() is None, reason="the native engine is not installed")
WANTED = ((True, False), (False, True))


@pytest.mark.parametrize("profile", PROFILES)
def test_both_engines_find_the_same_targets(profile: str) -> None:
    rng = random.Random(7)  # noqa: S311 - reproducible files
    for _ in range(25):
        old = random_file(rng)
        files = [parse(text, profile=profile) for text in (old, changed_file(old, rng))]
        rules = [compared_rules(robots, "ExampleBot") for robots in files]
        sides = [side_of(one.rules, one.profile) for one in rules]
        patterns = sorted({(one.rank, one.pattern) for side in sides for one in side.patterns})
        domain = domain_of(rules[0].profile, rules[1].profile, complete=True)
        budgets = Budget(), Budget()
        found = NativeSearch(sides, patterns, budgets[0]).targets(domain, WANTED, 8)
        assert found == Search(sides, patterns, budgets[1]).targets(domain, WANTED, 8)
        assert budgets[0].states == budgets[1].states


def test_the_native_engine_stops_at_the_limit() -> None:
    rules = compared_rules(parse("User-agent: *\nDisallow: /*a*b*c\nAllow: /*c*b*a\n"), "ExampleBot")
    side = side_of(rules.rules, rules.profile)
    patterns = sorted({(one.rank, one.pattern) for one in side.patterns})
    domain = domain_of(rules.profile, rules.profile, complete=False)
    with pytest.raises(Undecided, match=r"undecided: the rules are too large for a limit of 30 steps"):
        NativeSearch([side], patterns, Budget(30)).targets(domain, [(False,)], 1)


@pytest.mark.parametrize("objects", [10, 100, 1000, 10_000])
def test_a_portable_budget_ends_both_searches_at_the_same_state(objects: int) -> None:
    rng = random.Random(objects)  # noqa: S311 - reproducible files
    for _ in range(25):
        rules = compared_rules(parse(random_file(rng)), "ExampleBot")
        side = side_of(rules.rules, rules.profile)
        patterns = sorted({(one.rank, one.pattern) for one in side.patterns})
        domain = domain_of(rules.profile, rules.profile, complete=True)
        results: list[tuple[list[bytes] | None, int]] = []
        for engine in (NativeSearch, Search):
            budget = PortableBudget(objects)
            try:
                found = engine([side], patterns, budget).targets(domain, [(False,)], 2)
            except Undecided:
                found = None
            results.append((found, max(budget.objects, 0)))
        assert results[0] == results[1]
