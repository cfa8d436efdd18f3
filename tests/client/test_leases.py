"""Who may fetch, where several clients share a store: one of them, and whoever comes next looks first."""

import asyncio

import pytest
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin

from canfetch.client.async_client import AsyncClient
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client

USER_AGENT = "ExampleBot/1.0"
URL = "https://example.com/open"


class Overtaken(MemoryStore):
    """A store where somebody else fetches between a client's look and its lease."""

    def __init__(self, other: ScriptedOrigin) -> None:
        super().__init__()
        self._other: ScriptedOrigin | None = other

    def acquire_lease(self, origin: str, *, holder: str, seconds: float) -> bool:
        if self._other is not None:
            other, self._other = self._other, None
            with Client(user_agent=USER_AGENT, transport=other, store=self) as client:
                client.allows(URL)
        return super().acquire_lease(origin, holder=holder, seconds=seconds)


@pytest.mark.parametrize("refresh", [False, True])
def test_answer_that_came_before_the_lease_counts(*, refresh: bool) -> None:
    first, second = ScriptedOrigin(), ScriptedOrigin()
    store = Overtaken(first)
    with Client(user_agent=USER_AGENT, transport=second, store=store) as client:
        known = client.origin_state(URL, refresh=refresh)
        assert store._leases == {}
        assert known.entry == store.get("https://example.com")
    assert (len(first.asked), len(second.asked)) == (1, 0)


def test_answer_that_came_before_the_lease_counts_async() -> None:
    first, second = ScriptedOrigin(), AsyncScriptedOrigin()
    store = Overtaken(first)

    async def ask() -> bool:
        async with AsyncClient(user_agent=USER_AGENT, transport=second, store=store) as client:
            return await client.allows(URL)

    assert asyncio.run(ask())
    assert store._leases == {}
    assert (len(first.asked), len(second.asked)) == (1, 0)
