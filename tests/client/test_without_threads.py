"""If no thread can be started, an asynchronous client calls its store in the event loop."""

import asyncio
import errno
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

import pytest
from tests.access.conftest import AsyncScriptedOrigin

from canfetch import Frontier
from canfetch.client.async_client import AsyncClient
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.transports import TransportRequest
from canfetch.errors import RequestNotSent

USER_AGENT = "ExampleBot/1.0"
URL = "https://example.com/forbidden"


class ThreadStore(MemoryStore):
    """A store that notes the threads of its calls."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: list[int] = []

    def acquire_lease(self, key: str, *, holder: str, seconds: float) -> bool:
        self.threads.append(threading.get_ident())
        return super().acquire_lease(key, holder=holder, seconds=seconds)


def refuse_thread(*_: object) -> NoReturn:
    raise RuntimeError("can't start new thread")


def refuse_descriptor(*_: object, **__: object) -> NoReturn:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


@pytest.mark.parametrize("refuses", [refuse_thread, refuse_descriptor])
def test_store_is_called_in_the_event_loop(refuses: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        store = ThreadStore()
        async with AsyncClient(user_agent=USER_AGENT, transport=AsyncScriptedOrigin(), store=store) as client:
            monkeypatch.setattr(threading.Thread, "start", refuses)
            assert not await client.allows(URL)
            assert store.threads == [threading.get_ident()]
            assert [entry.origin async for entry in client.entries()] == ["https://example.com"]
            assert client.store_error is None
        # The executor has queued the calls, and its first thread must not repeat them.
        monkeypatch.undo()
        await asyncio.to_thread(int)
        assert len(store.threads) == 1

    asyncio.run(main())


def test_call_that_another_thread_of_the_executor_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        store = ThreadStore()
        async with AsyncClient(user_agent=USER_AGENT, transport=AsyncScriptedOrigin(), store=store) as client:

            def submit(_: ThreadPoolExecutor, function: Any, *arguments: Any) -> NoReturn:
                thread = threading.Thread(target=function, args=arguments)
                thread.start()
                thread.join()
                refuse_thread()

            with monkeypatch.context() as patches:
                patches.setattr(ThreadPoolExecutor, "submit", submit)
                assert not await client.allows(URL)
            assert len(store.threads) == 1
            assert store.threads != [threading.get_ident()]

    asyncio.run(main())


def test_frontier_hands_out_the_urls(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> list[str]:
        async with (
            AsyncClient(user_agent=USER_AGENT, transport=AsyncScriptedOrigin(), store=MemoryStore()) as client,
            Frontier(client, ["https://example.com/"], max_unreachable=0) as frontier,
        ):
            taken = []
            with monkeypatch.context() as patches:
                patches.setattr(threading.Thread, "start", refuse_thread)
                async for turn in frontier:
                    taken.append(turn.url)
                    turn.done()
            return taken

    assert asyncio.run(main()) == ["https://example.com/"]


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), OSError(errno.EMFILE, "no descriptor")])
def test_transport_that_raises_a_local_error(error: Exception) -> None:
    class Refused(AsyncScriptedOrigin):
        async def send(self, request: TransportRequest) -> NoReturn:  # type: ignore[override]  # the async protocol
            self.requests.append(request)
            raise error

    async def main() -> None:
        async with AsyncClient(user_agent=USER_AGENT, transport=Refused(), store=MemoryStore()) as client:
            with pytest.raises(RequestNotSent, match=r"^https://example.com/robots.txt was not requested: "):
                await client.allows(URL)

    asyncio.run(main())
