"""Groups as written: RFC 9309 section 2.1."""

import pytest

import canfetch
from canfetch.core.groups import Group, UserAgentLine
from canfetch.core.verdict import Rule

FILE = b"""Disallow: /ignored
User-agent: FooBot/1.0
User-agent:
User-agent: caf\xe9
Disallow: /a b
Allow:
Disallow: nothing
User-agent: *
"""


@pytest.fixture(scope="module")
def groups(engine: str) -> tuple[Group, ...]:
    return canfetch.parse(FILE, engine=engine).groups


def test_rfc9309_2_1_groups_are_in_file_order(groups: tuple[Group, ...]) -> None:
    assert len(groups) == 2
    # The last group may have no rules.
    assert groups[1] == Group((UserAgentLine("*", 8),), ())


def test_group_includes_lines_without_token_and_rules_that_never_match(groups: tuple[Group, ...]) -> None:
    assert groups[0].user_agents == (UserAgentLine("FooBot", 2), UserAgentLine("", 3), UserAgentLine("caf%E9", 4))
    assert groups[0].tokens == ("FooBot", "caf%E9")
    assert groups[0].rules == (
        Rule(allow=False, pattern=b"/a b", line=5, specificity=6),
        Rule(allow=True, pattern=b"", line=6, specificity=0),
        Rule(allow=False, pattern=b"nothing", line=7, specificity=0),
    )
