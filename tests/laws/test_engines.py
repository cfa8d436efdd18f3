"""Laws of the two engines: they agree on every field of every answer."""

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.readings import each_profile
from tests.laws.strategies import agents, any_octets, any_url

import canfetch
from canfetch.core.agent import Agent


@given(octets=any_octets(), agent=agents(), asked=st.lists(any_url(), min_size=1, max_size=4), known=st.booleans())
def test_law_both_engines_agree_on_every_field(
    both_engines: str,
    octets: bytes,
    agent: str | Agent,
    asked: list[str | bytes],
    known: bool,  # noqa: FBT001
) -> None:
    # Where the two differ, this engine raises EngineError.
    for ask in each_profile(both_engines):
        robots = ask.parse(octets, url="https://example.com/robots.txt" if known else None)
        assert robots.groups is not None
        assert robots._compiled.other_records() is not None
        rules = robots.rules_for(agent)
        assert rules.group_indices == sorted(set(rules.group_indices))
        assert rules.group is not None
        for url in asked:
            try:
                verdict = rules.decide(url)
                assert rules.allows(url) is verdict.allowed
                assert rules.allows_many([url] * 48) == [verdict.allowed] * 48
            except (canfetch.InvalidURL, canfetch.OriginMismatch):
                continue
