"""The search finds the same shortest targets as a comparison with all short targets."""

import random
from itertools import product

import pytest

from canfetch import PROFILES
from canfetch.compare.budget import Budget, PortableBudget, steps_for
from canfetch.compare.direct import matches
from canfetch.compare.domains import domain_of
from canfetch.compare.patterns import Pattern, ranked_patterns
from canfetch.compare.search import Search
from canfetch.core.profiles import Profile, get_profile
from canfetch.core.verdict import Rule
from canfetch.errors import Undecided
from enumerate_comparisons import BYTES, random_value

_LENGTH = 5


def random_patterns(rng: random.Random, profile: Profile, count: int) -> list[Pattern]:
    rules = [Rule(rng.random() < 0.5, random_value(rng).encode(), 0, 0) for _ in range(count)]
    return [one.pattern for one in ranked_patterns(rules, profile)]


@pytest.mark.parametrize("profile_name", PROFILES)
def test_no_shorter_target_matches(profile_name: str) -> None:
    rng = random.Random(7)  # noqa: S311 - reproducible patterns
    profile = get_profile(profile_name)
    domain = domain_of(profile, profile, complete=True)
    targets = [bytes(target) for length in range(_LENGTH) for target in product(BYTES.encode(), repeat=length)]
    targets = [target for target in targets if domain.contains(target)]
    found_targets = 0
    for _ in range(60):
        matched, avoided = (random_patterns(rng, profile, rng.randrange(1, 4)) for _ in range(2))
        found = Search(matched, avoided, Budget()).shortest_target(domain)
        expected = next((target for target in targets if _is_wanted(target, matched, avoided)), None)
        if found is not None:
            found_targets += 1
            assert domain.contains(found)
            assert _is_wanted(found, matched, avoided), (found, matched, avoided)
        if expected is not None:
            assert found is not None
            assert len(found) <= len(expected), (found, expected, matched, avoided)
    assert found_targets


def _is_wanted(target: bytes, matched: list[Pattern], avoided: list[Pattern]) -> bool:
    return all(matches(one, target) for one in matched) and not any(matches(one, target) for one in avoided)


@pytest.mark.parametrize(
    "matched, avoided, expected",
    [
        (Pattern(b"/a", (b"b",), anchored=True), Pattern(b"/ab"), b"/axb"),
        (Pattern(b"/", (b"aab",)), Pattern(b"/aab"), b"/xaab"),
        (Pattern(b"/a", anchored=True), Pattern(b"/", (b"a",)), None),
        (Pattern(b"/a"), Pattern(b"/a", anchored=True), b"/ax"),
        (Pattern(b"", anchored=True), Pattern(b"/a"), None),
        (Pattern(b""), Pattern(b""), None),
        (Pattern(b""), Pattern(b"/", anchored=True), b"/x"),
    ],
)
def test_a_target_that_has_to_avoid_a_pattern(matched: Pattern, avoided: Pattern, expected: bytes | None) -> None:
    profile = get_profile("rfc9309")
    domain = domain_of(profile, profile, complete=False)
    assert Search([matched], [avoided], Budget()).shortest_target(domain) == expected


def test_a_search_stops_at_the_limit() -> None:
    profile = get_profile("rfc9309")
    patterns = [Pattern(b"/", middles) for middles in ((b"a", b"b", b"c"), (b"c", b"b", b"a"))]
    domain = domain_of(profile, profile, complete=False)
    with pytest.raises(Undecided, match=r"undecided: the rules are too large for a limit of 30 steps"):
        Search(patterns, [], Budget(30)).shortest_target(domain)


def test_a_portable_budget_limits_the_states() -> None:
    profile = get_profile("rfc9309")
    patterns = [Pattern(b"/", middles) for middles in ((b"a", b"b", b"c"), (b"c", b"b", b"a"))]
    domain = domain_of(profile, profile, complete=False)
    budget = PortableBudget(100_000)
    assert Search(patterns, [], budget).shortest_target(domain) == b"/abcba"
    needed = budget.states * PortableBudget.OBJECTS_PER_STATE
    assert budget.objects == 100_000 - needed
    with pytest.raises(Undecided):
        Search(patterns, [], PortableBudget(needed - 1)).shortest_target(domain)


@pytest.mark.parametrize("microseconds", [1, 2_500, 3_000_000])
def test_steps_are_those_of_a_default_budget_by_time(microseconds: int) -> None:
    # The default takes about a second.
    assert steps_for(microseconds) == Budget().limit * microseconds // 1_000_000
