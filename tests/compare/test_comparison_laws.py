"""Laws that hold for all files, agents and profiles."""

from typing import Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from canfetch import PROFILES, RobotsTxt, parse
from canfetch.compare import coverage, diff, difference, equivalent, minimize, rule_effects
from canfetch.errors import Undecided

AGENT: Final = "ExampleBot"
PATHS: Final = [
    "/",
    "/a",
    "/a/",
    "/a/b",
    "/*",
    "*",
    "/*a",
    "/a*b$",
    "/$",
    "/%7Ea",
    "/a?b",
    "/*?u=:",
    "/é",
    "/index.html",
    "",
]


def files() -> SearchStrategy[bytes]:
    rule = st.tuples(st.sampled_from(["Allow", "Disallow"]), st.sampled_from(PATHS)).map(": ".join)
    name = st.sampled_from(["*", AGENT, "OtherBot"])
    group = st.tuples(name, st.lists(rule, min_size=1, max_size=5)).map(
        lambda drawn: "\n".join([f"User-agent: {drawn[0]}", *drawn[1]])
    )
    return st.lists(group, max_size=3).map(lambda groups: "\n".join(groups).encode())


def parsed() -> SearchStrategy[RobotsTxt]:
    return st.builds(lambda content, profile: parse(content, profile=profile), files(), st.sampled_from([*PROFILES]))


@given(parsed())
def test_a_file_is_equivalent_to_itself_in_any_profile(robots: RobotsTxt) -> None:
    assert equivalent(robots, parse(robots.content + b"\n#", profile=robots.profile), agent=AGENT)
    assert diff(robots, robots, agents=[AGENT, "OtherBot"]) == []


@pytest.mark.slow
@given(parsed(), parsed())
def test_equivalence_is_symmetric_and_a_difference_is_one(first: RobotsTxt, second: RobotsTxt) -> None:
    try:
        found = difference(first, second, agent=AGENT)
        back = difference(second, first, agent=AGENT)
    except Undecided:
        assume(False)
    assert (found is None) is (back is None)
    if found is not None and back is not None:
        assert found.first.allowed is not found.second.allowed
        assert found.first.allowed is first.allows(found.url, agent=AGENT)
        assert len(back.first.target) == len(found.second.target)


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
@given(data=st.data())
def test_equivalence_is_transitive(profile: str, data: st.DataObject) -> None:
    one, two, three = (parse(data.draw(files()), profile=profile) for _ in range(3))
    if equivalent(one, two, agent=AGENT) and equivalent(two, three, agent=AGENT):
        assert equivalent(one, three, agent=AGENT)


@given(parsed())
def test_a_minimized_file_is_equivalent_and_minimal(robots: RobotsTxt) -> None:
    smaller = parse(minimize(robots), profile=robots.profile)
    assert len(smaller.content) <= len(robots.content)
    for agent in (AGENT, "OtherBot", "AnyBot"):
        assert equivalent(robots, smaller, agent=agent)
    assert minimize(smaller) == smaller.content


@given(parsed())
def test_examples_of_rules_and_of_the_coverage_are_confirmed(robots: RobotsTxt) -> None:
    found = coverage(robots, agent=AGENT)
    for allowed, example in ((True, found.allowed_example), (False, found.disallowed_example)):
        assert example is None or robots.allows(example, agent=AGENT) is allowed
    for effect in rule_effects(robots, agent=AGENT):
        assert effect.example is None or robots.decide(effect.example, agent=AGENT).line == effect.rule.line


@pytest.mark.slow
@given(parsed(), files())
def test_changes_and_differences_agree(old: RobotsTxt, content: bytes) -> None:
    new = parse(content, profile=old.profile)
    changes = diff(old, new, agents=[AGENT])
    assert bool(changes) is (difference(old, new, agent=AGENT) is not None)
    for change in changes:
        assert all(map(change.newly_allowed.contains, change.newly_allowed.examples))
        assert all(map(change.newly_disallowed.contains, change.newly_disallowed.examples))
