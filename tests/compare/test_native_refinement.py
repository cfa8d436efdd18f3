"""Both engines refine questions in the same way, and find the same targets."""

import random
from functools import partial
from itertools import product

import pytest

from canfetch import PROFILES, parse
from canfetch.compare.budget import Budget, is_native
from canfetch.compare.compared_rules import compared_rules
from canfetch.compare.descriptions import Candidate, Describing
from canfetch.compare.patterns import ROBOTS_TXT_PATTERN, RankedPattern
from canfetch.compare.questions import ComparedSides, Question
from canfetch.compare.rankings import RankedSide
from canfetch.compare.refinement import Refinement
from canfetch.compare.witnesses import shortest_target
from canfetch.errors import Undecided
from enumerate_comparisons import changed_file, random_file

pytestmark = pytest.mark.skipif(not is_native(), reason="the native engine is not installed")
REFINED = list(PROFILES)
WANTED = [((True, False),), ((False, True),), ((True, False), (False, True)), ((False, None), (None, True))]
# Parts of rules that occur in real files. Their patterns overlap in many ways.
PARTS = ("/", "/", "*", "*", "/shop", "/shop/", "?", "?sort=", "&sort=", ".pdf$", ".php$", "/feed", "p%2Fq", "a/b", "=")


def compared_files(old: str, new: str, profile: str) -> ComparedSides:
    rules = [compared_rules(parse(text, profile=profile), "ExampleBot") for text in (old, new)]
    return ComparedSides([one.side(Budget()) for one in rules], (rules[0].profile, rules[1].profile))


def longer_file(rng: random.Random) -> str:
    lines = ["User-agent: *"]
    for _ in range(rng.randrange(4, 14)):
        value = "/" * rng.randrange(2) + "".join(rng.choices(PARTS, k=rng.randrange(1, 6)))
        lines.append(f"{rng.choice(('Allow', 'Disallow'))}: {value}")
    return "\n".join(lines) + "\n"


def without(side: RankedSide, left_out: set[RankedPattern]) -> RankedSide:
    return side._replace(value=lambda one: None if one in left_out else one.allow)


def assert_same_targets(compared: ComparedSides, rng: random.Random) -> None:
    patterns = [one.pattern for side in compared.sides for one in side.ranking.in_order]
    for wanted, shortest in product(WANTED, (True, False)):
        for within in ([], rng.sample(patterns, 1), rng.sample(patterns, 2)):
            outside = [ROBOTS_TXT_PATTERN, *rng.sample(patterns, rng.randrange(3))]
            question = Question(compared, wanted, lambda _: True, within, outside, shortest)
            expected = Refinement(question, Budget()).shortest_target()
            assert compared.native is not None
            assert shortest_target(question, Budget()) == expected, question


@pytest.mark.slow
@pytest.mark.parametrize("profile", REFINED)
def test_both_engines_find_the_same_targets(profile: str) -> None:
    rng = random.Random(11)  # noqa: S311 - reproducible files
    for number in range(16):
        old = longer_file(rng) if number % 2 else random_file(rng)
        new = longer_file(rng) if number % 4 == 1 else changed_file(old, rng)
        compared = compared_files(old, new, profile)
        if sum(len(side.ranking.in_order) for side in compared.sides) > 1:
            assert_same_targets(compared, rng)


@pytest.mark.parametrize("profile", REFINED)
def test_changed_decisions_reach_the_native_engine(profile: str) -> None:
    rng = random.Random(12)  # noqa: S311 - reproducible files
    for _ in range(6):
        left_out: set[RankedPattern] = set()
        files = compared_files(longer_file(rng), longer_file(rng), profile)
        one, other = files.sides
        compared = ComparedSides([one, without(other, left_out)], files.profiles)
        assert compared.native is not None
        patterns = other.ranking.in_order
        left_out.update(rng.sample(patterns, len(patterns) // 2))
        compared.update(left_out)
        assert_same_targets(compared, rng)


def test_work_of_the_python_engine_for_a_fixed_sample() -> None:
    """The work limits the size of the files that are compared: with more for each question, fewer are decided."""
    rng = random.Random(14)  # noqa: S311 - reproducible files
    work = Budget()
    for _ in range(12):
        files = compared_files(longer_file(rng), longer_file(rng), "rfc9309")
        for wanted in WANTED:
            Refinement(Question(files, wanted, lambda _: True), work).shortest_target()
    assert work.states == 32
    assert work.limit - work.steps <= 173_000


def test_the_native_engine_stops_at_the_limit() -> None:
    compared = compared_files(
        "User-agent: *\nDisallow: /*a*b*c\nDisallow: /*ab\n", "User-agent: *\nDisallow: /*c*b*a\n", "rfc9309"
    )
    question = Question(compared, WANTED[0], lambda _: True)
    assert compared.native is not None
    with pytest.raises(Undecided, match="for a limit of 40 steps"):
        shortest_target(question, Budget(40))


@pytest.mark.slow
@pytest.mark.parametrize("profile", REFINED)
def test_both_engines_describe_the_same(profile: str) -> None:
    rng = random.Random(13)  # noqa: S311 - reproducible files
    kinds: set[tuple[bool, bool]] = set()
    for _ in range(24):
        old = longer_file(rng)
        files = [parse(text, profile=profile) for text in (old, longer_file(rng) if rng.random() < 0.7 else old)]
        before, after = (compared_rules(robots, "ExampleBot") for robots in files)
        sides = [before.side(Budget()), after.side(Budget())]
        compared = ComparedSides(sides, (before.profile, after.profile))
        decide_all = partial(before.decisions_of_all, after)
        patterns = dict.fromkeys(one.pattern for own in compared.differing() for one in own)
        candidates = [Candidate(str(one), (one,), is_part=rng.random() < 0.1) for one in patterns]
        for decisions in ((True, False), (False, True)):
            describing = Describing(compared, decisions, [ROBOTS_TXT_PATTERN], decide_all, Budget())
            found = describing.describe(candidates)
            in_python = ComparedSides(sides, compared.profiles, use_native=False)
            assert found == describing._replace(compared=in_python).describe(candidates)
            kinds.update((one.is_whole, one.uncovered is not None) for one in found)
    assert len(kinds) > 1


def test_the_native_engine_stops_to_describe_at_the_limit() -> None:
    compared = compared_files("User-agent: *\nDisallow: /*a*b*c\n", "User-agent: *\nDisallow: /*c*b*a\n", "rfc9309")
    assert compared.native is not None
    items = [([one.pattern for one in side.ranking.in_order], False) for side in compared.sides]
    with pytest.raises(Undecided, match="for a limit of 500 steps"):
        compared.native.describe((True, False), items, [], Budget(500))
