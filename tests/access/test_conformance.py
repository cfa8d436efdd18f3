"""Every access case, with both clients and a scripted transport."""

from typing import Any

import pytest
from conformance.access_cases import ALLOWED
from tests.access.conftest import ScriptedOrigin, effect_in_verdict, load_cases, play_event
from tests.client.either import BOTH, EitherClient

from canfetch.access.responses import Failure, Response
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest

CASES = [(case, policy) for case in load_cases("answers.toml") for policy in case["expect"]]
OPEN, FORBIDDEN = "https://example.com/open", "https://example.com/forbidden"


@BOTH
@pytest.mark.parametrize("case, policy", CASES, ids=[f"{case['id']}-{policy}" for case, policy in CASES])
def test_access_case(case: dict[str, Any], policy: str, kind: str) -> None:
    expected = case["expect"][policy]["effect"]

    with EitherClient(kind, ScriptedOrigin(case["event"]), policy=policy, clock=lambda: 0.0) as client:
        verdicts = client.decide(OPEN), client.decide(FORBIDDEN)
        allowed = client.allows(OPEN), client.allows(FORBIDDEN)

    assert tuple(verdict.allowed for verdict in verdicts) == ALLOWED[expected] == allowed
    assert verdicts[0].access is not None
    assert verdicts[0].access.effect == effect_in_verdict(expected)


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


SEQUENCES = [(case, policy) for case in load_cases("sequences.toml") for policy in case["policy"]]


class ScriptedOrigins(ScriptedOrigin):
    """A transport to several hosts with an event each."""

    def __init__(self) -> None:
        super().__init__()
        self.events: dict[str, dict[str, Any]] = {}

    def send(self, request: TransportRequest) -> Response | Failure:
        """Respond as the event of the host specifies."""
        return play_event(self.events[request.url.split("/")[2]], request)


@pytest.mark.parametrize("case, policy", SEQUENCES, ids=[f"{case['id']}-{policy}" for case, policy in SEQUENCES])
def test_access_sequence(case: dict[str, Any], policy: str) -> None:
    now = [0.0]
    origins = ScriptedOrigins()
    with Client(user_agent="ExampleBot/1.0", policy=policy, transport=origins, clock=lambda: now[0]) as client:
        for step in case["steps"]:
            now[0] = step["hours"] * 3600.0
            host = {"first": "example.com:8001", "other": "example.com:8002"}[step.get("origin", "first")]
            origins.events[host] = step.get("event", origins.events.get(host))

            for page in filter(step.__contains__, ("open", "forbidden")):
                allowed = client.allows(f"http://{host}/{page}", agent=step.get("agent"))
                assert allowed == step[page], (step, page)
