"""Laws of the engines: they agree on every field of every answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.comparison import each_profile
from tests.laws.strategies import agents, any_content, any_url

import canfetch
from canfetch.core.agent import Agent


@pytest.mark.slow
@given(
    content=any_content(),
    agent=agents(),
    requested=st.lists(any_url(), min_size=1, max_size=4).map(lambda urls: urls * 4),
    known=st.booleans(),
)
def test_law_both_engines_agree_on_every_field(
    both_engines: str,
    content: bytes,
    agent: str | Agent,
    requested: list[str | bytes],
    known: bool,  # noqa: FBT001
) -> None:
    # The engine `both` raises EngineError if the two differ.
    for reader in each_profile(both_engines):
        robots = reader.parse(content, url="https://example.com/robots.txt" if known else None)
        assert robots.groups is not None
        assert robots._compiled.other_records() is not None
        rules = robots.rules_for(agent)
        assert rules.group_indices == sorted(set(rules.group_indices))
        assert rules.group is not None
        for url in requested:
            try:
                verdict = rules.decide(url)
                # Enough decisions for the native engine to use its indexes.
                assert all(rules.decide(url) == verdict for _ in range(5))
                assert rules.allows(url) is verdict.allowed
                assert rules.allows_many([url] * 24) == [verdict.allowed] * 24
            except (canfetch.InvalidURL, canfetch.OriginMismatch):
                continue
