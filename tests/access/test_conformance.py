"""Every access case, with both clients and a scripted transport."""

import asyncio
from typing import Any

import pytest
from conformance.access_cases import ALLOWED
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin, effect_in_verdict, load_cases

from canfetch.client.async_client import AsyncClient
from canfetch.client.sync_client import Client

CASES = [(case, policy) for case in load_cases("answers.toml") for policy in case["expect"]]
OPEN, FORBIDDEN = "https://example.com/open", "https://example.com/forbidden"


@pytest.mark.parametrize("case, policy", CASES, ids=[f"{case['id']}-{policy}" for case, policy in CASES])
def test_access_case(case: dict[str, Any], policy: str) -> None:
    expected = case["expect"][policy]["effect"]

    with Client(
        user_agent="ExampleBot/1.0", policy=policy, transport=ScriptedOrigin(case["event"]), clock=lambda: 0.0
    ) as client:
        verdicts = client.decide(OPEN), client.decide(FORBIDDEN)
        allowed = client.allows(OPEN), client.allows(FORBIDDEN)

    assert tuple(verdict.allowed for verdict in verdicts) == ALLOWED[expected] == allowed
    assert verdicts[0].access is not None
    assert verdicts[0].access.effect == effect_in_verdict(expected)


@pytest.mark.parametrize("case, policy", CASES, ids=[f"{case['id']}-{policy}" for case, policy in CASES])
def test_access_case_async(case: dict[str, Any], policy: str) -> None:
    expected = case["expect"][policy]["effect"]

    async def run() -> tuple[bool, bool]:
        async with AsyncClient(
            user_agent="ExampleBot/1.0", policy=policy, transport=AsyncScriptedOrigin(case["event"]), clock=lambda: 0.0
        ) as client:
            return await client.allows(OPEN), (await client.decide(FORBIDDEN)).allowed

    assert asyncio.run(run()) == ALLOWED[expected]


@pytest.mark.parametrize("case", load_cases("over-time.toml"), ids=lambda case: case["id"])
def test_access_case_over_time(case: dict[str, Any]) -> None:
    now = [0.0]
    expected_requests = 0
    origin = ScriptedOrigin()
    with Client(
        user_agent="ExampleBot/1.0",
        policy=case["policy"],
        revalidate=case.get("revalidate", False),
        transport=origin,
        clock=lambda: now[0],
    ) as client:
        for step in case["steps"]:
            now[0] = step["at_hours"] * 3600.0
            origin.event = step.get("event", origin.event)

            allowed = client.allows(OPEN), client.allows(FORBIDDEN)
            expected_requests += step.get("requests", step.get("fetched", True))

            assert allowed == (step["open"], step["forbidden"]), step
            assert len(origin.requests) == expected_requests, step
