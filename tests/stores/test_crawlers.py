"""The access cases about crawlers that share a store, in every store and with both clients."""

from functools import partial
from typing import Any

import pytest
from tests.access.conftest import ScriptedOrigin, load_cases
from tests.client.either import BOTH, EitherClient

from canfetch.client.stores import Store

CASES = load_cases("crawlers.toml")
HOUR = 3600.0
OPEN, FORBIDDEN = "https://example.com/open", "https://example.com/forbidden"


@BOTH
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_access_case_of_crawlers(store: Store, case: dict[str, Any], kind: str) -> None:
    event: dict[str, Any] = {}
    for step in case["steps"]:
        event = step.get("event", event)
        origin, now = ScriptedOrigin(event), step["at_hours"] * HOUR
        # Not closed, because that would close the store.
        client = EitherClient(kind, origin, user_agent=step["crawler"], store=store, clock=partial(float, now))

        result = client.allows(OPEN), client.allows(FORBIDDEN), len(origin.requests)

        assert result == (step["open"], step["forbidden"], step["fetched"]), step
