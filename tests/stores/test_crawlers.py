"""The access cases about crawlers that share a store, in every store and with both clients."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin, load_cases

from canfetch.client.async_client import AsyncClient
from canfetch.client.stores import Store
from canfetch.client.sync_client import Client

CASES = load_cases("crawlers.toml")
HOUR = 3600.0
OPEN, FORBIDDEN = "https://example.com/open", "https://example.com/forbidden"
# Returns the verdicts of a new client, and the number of its requests.
Query = Callable[[Store, dict[str, Any], str, float], tuple[bool, bool, int]]


def query(store: Store, event: dict[str, Any], user_agent: str, now: float) -> tuple[bool, bool, int]:
    origin = ScriptedOrigin(event)
    # Not closed, because that would close the store.
    client = Client(user_agent=user_agent, transport=origin, store=store, clock=lambda: now)
    return client.allows(OPEN), client.allows(FORBIDDEN), len(origin.requests)


def query_async(store: Store, event: dict[str, Any], user_agent: str, now: float) -> tuple[bool, bool, int]:
    async def run() -> tuple[bool, bool, int]:
        origin = AsyncScriptedOrigin(event)
        client = AsyncClient(user_agent=user_agent, transport=origin, store=store, clock=lambda: now)
        return await client.allows(OPEN), await client.allows(FORBIDDEN), len(origin.requests)

    return asyncio.run(run())


@pytest.mark.parametrize("run_query", [query, query_async], ids=["sync", "async"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_access_case_of_crawlers(store: Store, case: dict[str, Any], run_query: Query) -> None:
    event: dict[str, Any] = {}
    for step in case["steps"]:
        event = step.get("event", event)

        result = run_query(store, event, step["crawler"], step["at_hours"] * HOUR)

        assert result == (step["open"], step["forbidden"], step["fetched"]), step
