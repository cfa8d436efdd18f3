"""URLs that match a pattern and have certain verdicts: questions of expectations and gates."""

import re
from collections.abc import Sequence
from typing import Final

from canfetch.compare.budget import Budget
from canfetch.compare.compared_rules import ComparedRules, compared_rules
from canfetch.compare.patterns import ROBOTS_TXT_PATTERN, Pattern, ranked_patterns
from canfetch.compare.questions import ComparedSides, Question
from canfetch.compare.rankings import Decisions, RankedSide, Ranking
from canfetch.compare.witnesses import shortest_target
from canfetch.core.abnf import is_pattern
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.profiles import Profile
from canfetch.core.quoting import quoted
from canfetch.core.text import encode_text
from canfetch.core.verdict import Rule
from canfetch.errors import InvalidOption, Undecided

_DOT_SEGMENT: Final = re.compile(r"/(?:.*/)?\.\.?(?:[/?$]|\Z)", re.DOTALL)


def find_url(
    robots: RobotsTxt, *, agent: str | Agent, allowed: bool, within: str = "/", steps: int | None = None
) -> str | None:
    """Return a shortest URL that `agent` may fetch, or may not, among those that match a pattern.

    `None` proves that there is none: without a disallowed URL within `/blog/`, the agent may fetch all of `/blog/`.

    Args:
        robots: The file.
        agent: A product token or an `Agent`.
        allowed: Whether to find an allowed URL, or a disallowed one.
        within: A pattern as in a robots.txt, in the profile of the file. It does not match `/robots.txt` if that is
            always allowed. So `/robots.txt$` is then an error.
        steps: The limit of the work. The default takes about a second.
    Raises: InvalidProductToken; InvalidOption: `within` is not a pattern that the profile reads, or matches no URL;
        Undecided: The rules are too large.
    Cost: O(bytes of the rules) for most files, and never more than `steps`.
    """
    _check_allowed(allowed)
    return _find([compared_rules(robots, agent)], (allowed,), within, Budget(steps))


def find_changed_url(
    old: RobotsTxt,
    new: RobotsTxt,
    *,
    agent: str | Agent,
    allowed: bool,
    within: str = "/",
    steps: int | None = None,
) -> str | None:
    """Return a shortest URL that `agent` gains or loses, among those that match a pattern, or None if there is none.

    Args:
        old, new: The files.
        agent: A product token or an `Agent`.
        allowed: Whether to find a URL that is newly allowed, or one that is newly disallowed.
        within: A pattern as in a robots.txt, in the profile of the old file.
        steps: The limit of the work. The default takes about a second.
    Raises: As `find_url`.
    Cost: As `find_url`.
    """
    _check_allowed(allowed)
    rules = [compared_rules(old, agent, name="old"), compared_rules(new, agent, name="new")]
    return _find(rules, (not allowed, allowed), within, Budget(steps))


def _check_allowed(allowed: object) -> None:
    if not isinstance(allowed, bool):
        raise TypeError(f"allowed must be a bool, not {type(allowed).__name__}")


def _find(rules: Sequence[ComparedRules], decisions: Decisions, within: str, budget: Budget) -> str | None:
    first, last = rules[0], rules[-1]
    value = encode_text(within)
    if first.profile.abnf_only and not (value and is_pattern(value.partition(b"#")[0])):
        raise InvalidOption(
            f"invalid pattern {quoted(within)}: expected a path pattern that starts with '/' and has no white space, "
            f"because the profile {first.profile.name} ignores other rules"
        )
    patterns = [one.pattern for one in ranked_patterns([Rule(False, value, 0, 0)], first.profile)]
    if not patterns and not within.startswith(("/", "*")):
        raise InvalidOption(f"invalid pattern {quoted(within)}: expected a path pattern that starts with '/' or '*'")
    sides = [one.side(budget) for one in rules]
    exempt = all(one.profile.robots_txt_allowed for one in rules)
    outside = [ROBOTS_TXT_PATTERN] if exempt else []

    def confirm(target: bytes) -> bool:
        found = first.decisions(last, target)
        return found[: len(decisions)] == decisions

    question = Question(
        ComparedSides(sides, (first.profile, last.profile)),
        [decisions],
        confirm,
        within=patterns,
        outside=outside,
    )
    target = shortest_target(question, budget) if patterns else None
    if target is not None:
        return first.url_of(target)
    # A statement about all URLs that match holds if there are none, also the opposite one.
    if not _match_some_url(patterns, [], first.profile):
        raise InvalidOption(f"invalid pattern {quoted(within)}: it matches no URL{_reason(within, first.profile)}")
    if outside and not _match_some_url(patterns, outside, first.profile):
        reason = "it matches no URL but /robots.txt, which is always allowed"
        raise InvalidOption(f"invalid pattern {quoted(within)}: {reason}")
    return None


def _match_some_url(patterns: Sequence[Pattern], outside: Sequence[Pattern], profile: Profile) -> bool:
    if not patterns:
        return False
    budget = Budget(None)
    all_urls = RankedSide(Ranking([], budget), default=True)
    compared = ComparedSides([all_urls], (profile, profile))
    question = Question(compared, [(True,)], lambda _: True, patterns, outside)
    try:
        return shortest_target(question, budget) is not None
    except Undecided:
        return True


def _reason(pattern: str, profile: Profile) -> str:
    if "#" in pattern:
        return ", because '#' starts a comment; write %23 for the character"
    if _DOT_SEGMENT.match(pattern):
        return ", because '.' and '..' in paths are resolved"
    return f" in the profile {profile.name}"
