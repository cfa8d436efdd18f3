"""Lists of rules before and after a small change."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import EXAMPLES

from canfetch import parse
from canfetch.compare import rule_lists
from canfetch.compare.budget import Budget, is_native
from canfetch.compare.domains import to_url_path
from canfetch.compare.rule_lists import RuleLists, RuleText
from canfetch.core.agent_rules import AgentRules
from canfetch.core.profiles import PROFILES, get_profile
from canfetch.errors import InvalidURL, Undecided

PATTERNS = st.lists(st.sampled_from(["a", "b", "*", "/"]), max_size=4).map("".join)
VALUES = st.builds("/{}{}".format, PATTERNS, st.sampled_from(["", "$"])).map(str.encode)
RULES = st.lists(st.tuples(st.booleans(), VALUES), max_size=4)
# Values that profiles read differently.
PARTS = ["/", "a", "b", "*", "$", "?", ":", "=", "%41", "%3a", "%", "é", " ", "robots.txt", "index.html"]
ODD_VALUES = st.lists(st.sampled_from(PARTS), max_size=5).map(lambda parts: "".join(parts).encode())
ODD_RULES = st.lists(st.tuples(st.booleans(), st.one_of(VALUES, ODD_VALUES)), max_size=4)
TARGETS = [b"/" + bytes(rest) for length in range(6) for rest in product(b"ab/", repeat=length)]
ORIGIN = b"https://example.com"


def rules_for(rules: list[RuleText], profile: str) -> AgentRules:
    lines = [(b"Allow: " if allow else b"Disallow: ") + value for allow, value in rules]
    # A group needs a rule, and this one matches no target.
    content = b"\n".join([b"User-agent: *", b"Disallow: /never", *lines])
    return parse(content, profile=profile).rules_for("a")


def differing_target(
    before: list[RuleText], after: list[RuleText], profile: str, budget: Budget, lists: RuleLists | None = None
) -> bytes | None:
    bound = rules_for(before, profile), rules_for(after, profile)

    def confirm(target: bytes) -> bool:
        url = ORIGIN + to_url_path(target, get_profile(profile))
        try:
            return bound[0].allows(url) is not bound[1].allows(url)
        except InvalidURL:
            return False

    lists = lists or RuleLists(get_profile(profile))
    return lists.differing_target(before, after, budget, confirm)


@pytest.mark.slow
@settings(max_examples=EXAMPLES or 40)
@given(RULES, RULES, RULES, RULES, st.sampled_from(["rfc9309", "google", "draft1996"]))
def test_differing_targets_are_found_exactly(
    start: list[RuleText], before: list[RuleText], after: list[RuleText], end: list[RuleText], profile: str
) -> None:
    before, after = [*start, *before, *end], [*start, *after, *end]
    urls = [ORIGIN + target for target in TARGETS]
    verdicts = [rules_for(rules, profile).allows_many(urls) for rules in (before, after)]
    found = differing_target(before, after, profile, Budget())
    if found is None:
        assert verdicts[0] == verdicts[1]


@pytest.mark.skipif(not is_native(), reason="the native engine is not used")
@settings(max_examples=EXAMPLES or 150, deadline=None)
@given(ODD_RULES, ODD_RULES, ODD_RULES, ODD_RULES, st.sampled_from(list(PROFILES)))
def test_native_engine_finds_the_same_targets_in_as_many_steps(
    start: list[RuleText], before: list[RuleText], after: list[RuleText], end: list[RuleText], profile: str
) -> None:
    lists = [*start, *before, *end], [*start, *after, *end]
    native, budget = Budget(), Budget()
    found = differing_target(*lists, profile, native)
    with pytest.MonkeyPatch.context() as patch:
        # The search remains native, so that the steps are comparable.
        patch.setattr(rule_lists, "is_native", lambda: False)
        assert differing_target(*lists, profile, budget) == found
    assert (budget.steps, budget.states) == (native.steps, native.states)


@pytest.mark.skipif(not is_native(), reason="the native engine is not used")
def test_limit_is_reached_at_the_same_step() -> None:
    before, after = [(False, b"/y/*a"), (False, b"/y/*a*?/")], [(False, b"/y/*a")]

    def outcome(steps: int) -> tuple[str, int]:
        budget = Budget(steps)
        try:
            return str(differing_target(before, after, "rfc9309", budget)), budget.steps
        except Undecided as error:
            return str(error), max(budget.steps, 0)

    limits = range(0, 6000, 40)
    native = [outcome(steps) for steps in limits]
    assert native[0][0].startswith("undecided")
    assert native[-1][0] == "None"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rule_lists, "is_native", lambda: False)
        assert [outcome(steps) for steps in limits] == native


@pytest.mark.skipif(not is_native(), reason="the native engine is not used")
def test_errors_of_confirm_are_raised() -> None:
    def confirm(target: bytes) -> bool:
        raise ValueError(target)

    with pytest.raises(ValueError, match="/a"):
        RuleLists(get_profile("rfc9309")).differing_target([(False, b"/a")], [], Budget(), confirm)


@pytest.mark.parametrize("profile", ["rfc9309", "google", "draft1996"])
def test_lists_are_compared_with_others_as_each_pair_alone(profile: str) -> None:
    rules = [(False, b"/a"), (True, b"/a/b"), (False, b"/c*d"), (False, b"/a/b/c"), (True, b"/e"), (False, b"/a/b")]
    lists = RuleLists(get_profile(profile))
    for before in (rules, rules[::-1]):
        for place in range(len(before)):
            for new in ([], [(True, b"/a/b/c")], [(False, b"/c"), (True, b"/c/e")]):
                after = [*before[:place], *new, *before[place + 1 :]]
                budgets = Budget(), Budget()
                alone = differing_target(before, after, profile, budgets[0])
                assert differing_target(before, after, profile, budgets[1], lists) == alone
                assert budgets[0].steps == budgets[1].steps


def test_order_of_rules_counts_if_the_first_match_decides() -> None:
    before, after = [(True, b"/a/b"), (False, b"/a")], [(False, b"/a"), (True, b"/a/b")]
    assert differing_target(before, after, "rfc9309", Budget()) is None
    found = differing_target(before, after, "draft1996", Budget())
    assert found is not None
    assert found.startswith(b"/a/b")


def test_rules_that_overlap_no_changed_rule_are_not_compared() -> None:
    many = [(False, b"/x%d/*a*b" % number) for number in range(500)]
    before, after = [(False, b"/y/*a"), (False, b"/y/*a*?/")], [(False, b"/y/*a")]
    alone, among_many = Budget(), Budget()
    assert differing_target(before, after, "rfc9309", alone) is None
    assert differing_target([*many, *before], [*many, *after], "rfc9309", among_many) is None
    assert among_many.states == alone.states > 0


def test_a_comparison_past_the_budget_is_undecided() -> None:
    with pytest.raises(Undecided):
        differing_target([(False, b"/a")], [(False, b"/b")], "rfc9309", Budget(0))
