"""Verdicts as sentences and as JSON."""

import json
import pickle
from typing import Any, cast

import pytest

import canfetch
from canfetch import PROFILES
from canfetch.core.agent import Agent
from canfetch.core.verdict import (
    Access,
    AccessInfo,
    ClientVerdict,
    Effect,
    GroupChoice,
    GroupSelection,
    Reason,
    RobotsDisallowed,
    Rule,
    Verdict,
)

DISALLOW = Rule(allow=False, pattern=b"/private", line=2, specificity=8)
ALLOW = Rule(allow=True, pattern=b"/private/press", line=3, specificity=14)
STAR = GroupSelection(GroupChoice.STAR, "*", (1,))


def verdict(**fields: Any) -> Verdict:
    given: dict[str, Any] = {
        "allowed": True,
        "reason": Reason.ALLOW_RULE,
        "rule": ALLOW,
        "also_matched": (DISALLOW,),
        "group": STAR,
        "agent": Agent("ExampleBot"),
        "target": b"/private/press/2026",
        "profile": "rfc9309",
    }
    return Verdict(**(given | fields))


def test_line_is_the_line_of_the_deciding_rule() -> None:
    assert verdict().line == 3
    assert verdict(rule=None, reason=Reason.NO_MATCH).line is None


def test_verdict_has_no_truth_value() -> None:
    for allowed in (True, False):
        with pytest.raises(TypeError, match=r"use \.allowed"):
            bool(verdict(allowed=allowed))


@pytest.mark.parametrize(
    "fields, sentence",
    [
        ({}, "allowed: line 3, Allow: /private/press"),
        (
            {"allowed": False, "reason": Reason.DISALLOW_RULE, "rule": DISALLOW},
            "disallowed: line 2, Disallow: /private",
        ),
        ({"reason": Reason.EMPTY_RULE, "rule": Rule(False, b"", 7, 0)}, "allowed: line 7, Disallow: "),
        ({"reason": Reason.NO_MATCH, "rule": None}, "allowed: no rule for * matches"),
        (
            {"reason": Reason.NO_GROUP, "rule": None, "group": GroupSelection(GroupChoice.NONE, None, ())},
            "allowed: no group applies to ExampleBot",
        ),
        ({"reason": Reason.ROBOTS_TXT, "rule": None}, "allowed: /robots.txt is always allowed"),
        # What a site or a caller wrote does not reach a terminal as it is.
        ({"rule": Rule(True, b"/\x1b[2J\xe9", 3, 9)}, "allowed: line 3, Allow: /%1B[2J%E9"),
        (
            {
                "reason": Reason.NO_GROUP,
                "rule": None,
                "agent": Agent("a\udce9"),
                "group": GroupSelection(GroupChoice.NONE, None, ()),
            },
            "allowed: no group applies to a%E9",
        ),
    ],
)
def test_str_states_the_reason(fields: dict[str, Any], sentence: str) -> None:
    assert str(verdict(**fields)) == sentence


@pytest.mark.parametrize("reason", [Reason.UNAVAILABLE, Reason.UNREACHABLE])
def test_verdict_without_a_file_states_the_outcome_of_the_fetch(reason: Reason) -> None:
    access = AccessInfo(
        access=Access(reason),
        effect=Effect.FULL_ALLOW,
        explanation="status 404",
        policy="rfc9309",
        robots_url="https://example.com/robots.txt",
        fetched_at=1_790_000_000.0,
        sha256=None,
    )
    decided = verdict(reason=reason, rule=None, group=GroupSelection(GroupChoice.NONE, None, ()), access=access)
    assert str(decided) == f"allowed: robots.txt is {reason}: status 404"
    as_json = decided.to_json()["access"]
    assert {type(as_json["access"]), type(as_json["effect"])} == {str}
    assert as_json == {
        "access": str(reason),
        "effect": "full-allow",
        "explanation": "status 404",
        "policy": "rfc9309",
        "robots_url": "https://example.com/robots.txt",
        "fetched_at": "2026-09-21T14:13:20Z",
        "sha256": None,
    }


def test_json_form() -> None:
    agent = Agent(["Googlebot-Image", "caf\udce9"], star_applies=False)
    group = GroupSelection(GroupChoice.FALLBACK, "caf%E9", (4, 9))
    assert verdict(agent=agent, group=group, target=b"/caf\xe9").to_json() == {
        "schema": "canfetch.verdict/2",
        "allowed": True,
        "reason": "allow-rule",
        "rule": {"type": "allow", "pattern": "/private/press", "line": 3, "specificity": 14},
        "also_matched": [{"type": "disallow", "pattern": "/private", "line": 2, "specificity": 8}],
        "group": {"choice": "fallback", "token": "caf%E9", "lines": [4, 9]},
        "agent": {"tokens": ["Googlebot-Image", "caf%E9"], "star_applies": False},
        "target": "/caf%E9",
        "profile": "rfc9309",
        "notes": [],
        "access": None,
    }


@pytest.mark.parametrize("profile", PROFILES)
def test_json_of_undecodable_bytes_is_printable(engine: str, profile: str) -> None:
    robots = canfetch.parse(b"User-agent: \xff\nDisallow: /\xff\0\x1b\nDisallow:\n", profile=profile, engine=engine)
    decided = robots.decide(b"/\xff\0\x1b", agent="\udcff")
    text = json.dumps(decided.to_json(), ensure_ascii=False)
    assert text.isprintable()
    assert json.loads(text) == decided.to_json()


def test_dict_is_one_flat_row() -> None:
    row = verdict(group=GroupSelection(GroupChoice.STAR, "*", (1,)), target=b"/caf\xe9", notes=("a", "b")).to_dict()
    assert row == {
        "agent": "ExampleBot",
        "allowed": True,
        "reason": "allow-rule",
        "rule_type": "allow",
        "rule_pattern": "/private/press",
        "rule_line": 3,
        "rule_specificity": 14,
        "group_choice": "star",
        "group_token": "*",
        "target": "/caf%E9",
        "profile": "rfc9309",
        "notes": "a; b",
        "access": None,
        "access_effect": None,
        "access_explanation": None,
        "access_fetched_at": None,
        "access_robots_url": None,
    }
    access = AccessInfo(
        Access.UNREACHABLE, Effect.FULL_DISALLOW, "status 503", "rfc9309", "https://example.com/robots.txt", 1.5, None
    )
    row = verdict(rule=None, access=access).to_dict()
    assert {row[key] for key in ("rule_type", "rule_pattern", "rule_line", "rule_specificity")} == {None}
    assert [value for key, value in row.items() if key.startswith("access")] == [
        "unreachable",
        "full-disallow",
        "status 503",
        1.5,
        "https://example.com/robots.txt",
    ]
    assert {type(value) for value in row.values()} <= {str, int, float, bool, type(None)}


def test_an_exception_of_a_disallowed_request_survives_pickle() -> None:
    # Without `access`, which is the client's.
    decision = cast("ClientVerdict", verdict(allowed=False))
    disallowed = RobotsDisallowed("https://example.com/private: disallowed", "https://example.com/private", decision)
    copied = pickle.loads(pickle.dumps(disallowed))  # noqa: S301 - our own data
    assert (str(copied), copied.url, copied.verdict) == (str(disallowed), disallowed.url, disallowed.verdict)
    assert isinstance(copied, canfetch.CanfetchError)
    assert isinstance(copied, OSError)
