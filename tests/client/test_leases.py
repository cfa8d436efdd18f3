"""Leases of a shared store: after acquiring a lease, a client checks the store before it fetches."""

import asyncio

import pytest
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin

from canfetch.client.async_client import AsyncClient
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client

USER_AGENT = "ExampleBot/1.0"
URL = "https://example.com/open"


class OvertakenStore(MemoryStore):
    """A store in which another client puts an entry just before a lease is acquired."""

    def __init__(self, other: ScriptedOrigin) -> None:
        super().__init__()
        self._other: ScriptedOrigin | None = other

    def acquire_lease(self, origin: str, *, holder: str, seconds: float) -> bool:
        if self._other is not None:
            other, self._other = self._other, None
            with Client(user_agent=USER_AGENT, transport=other, store=self) as client:
                client.allows(URL)
        return super().acquire_lease(origin, holder=holder, seconds=seconds)


@pytest.mark.parametrize("refresh, requests", [(False, 0), (True, 1)])
def test_entry_stored_before_the_lease_is_used(requests: int, *, refresh: bool) -> None:
    # A refresh does not use it: its request may have been sent before the call.
    first, second = ScriptedOrigin(), ScriptedOrigin()
    store = OvertakenStore(first)
    with Client(user_agent=USER_AGENT, transport=second, store=store) as client:
        state = client.origin_state(URL, refresh=refresh)
        assert store._leases == {}
        assert state.entry == store.get("https://example.com")
    assert (len(first.requests), len(second.requests)) == (1, requests)


def test_entry_stored_before_the_lease_is_used_async() -> None:
    first, second = ScriptedOrigin(), AsyncScriptedOrigin()
    store = OvertakenStore(first)

    async def run() -> bool:
        async with AsyncClient(user_agent=USER_AGENT, transport=second, store=store) as client:
            return await client.allows(URL)

    assert asyncio.run(run())
    assert store._leases == {}
    assert (len(first.requests), len(second.requests)) == (1, 0)
