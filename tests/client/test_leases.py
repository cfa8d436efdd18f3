"""Leases of a shared store: after acquiring a lease, a client checks the store before it fetches."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.client.either import BOTH, EitherClient

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.lease_holders import _started_at, has_ended, new_holder
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.errors import RequestNotSent

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
@BOTH
def test_entry_stored_before_the_lease_is_used(kind: str, requests: int, *, refresh: bool) -> None:
    # A refresh does not use it: its request may have been sent before the call.
    first, second = ScriptedOrigin(), ScriptedOrigin()
    store = OvertakenStore(first)
    with EitherClient(kind, second, store=store) as client:
        state = client.origin_state(URL, refresh=refresh)
        assert store._leases == {}
        assert state.entry == store.get("https://example.com")
    assert (len(first.requests), len(second.requests)) == (1, requests)


class SlowOrigin(ScriptedOrigin):
    """An origin whose answer comes after the machine has slept. Meanwhile another client stores a copy.

    Args:
        answer: Returns the answer to a request for a URL.
        store: The store.
        sleep: Lets the lease of the request expire.
    """

    def __init__(
        self, answer: Callable[[str], Response | Failure], store: MemoryStore, sleep: Callable[[], None]
    ) -> None:
        super().__init__()
        self._answer = answer
        self._store = store
        self._sleep = sleep

    def send(self, request: TransportRequest) -> Response | Failure:
        self._sleep()
        with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), store=self._store) as other:
            assert other.allows(URL)
        return self._answer(request.url)


@pytest.mark.parametrize("refresh", [False, True])
@pytest.mark.parametrize(
    "answer",
    [
        lambda url: Failure(url, FailureKind.CONNECT, "too late"),
        lambda url: Failure(url, FailureKind.TIMEOUT, "too late"),
        lambda url: Response(url, 200, (), b"User-agent: *\nDisallow: /\n"),
        lambda url: Response(url, 404, (), b""),
    ],
    ids=["connect", "timeout", "older file", "no file"],
)
def test_an_answer_after_the_lease_does_not_replace_the_copy_of_another_worker(
    answer: Callable[[str], Response | Failure], *, refresh: bool
) -> None:
    now = time.time()

    def sleep() -> None:
        nonlocal now
        now += 3600.0

    store = MemoryStore(monotonic=lambda: now)
    origin = SlowOrigin(answer, store, sleep)
    with Client(user_agent=USER_AGENT, transport=origin, store=store, clock=lambda: now) as client:
        state = client.origin_state(URL, refresh=refresh)
        assert (state.entry.status, client.decide(URL).allowed) == (200, True)
    stored = store.get("https://example.com")
    assert stored is not None
    assert stored.copy is not None
    assert b"Disallow: /\n" not in stored.copy.content
    assert store._leases == {}


class Boom(Exception):
    """An exception that canfetch does not know."""


class RaisingOrigin(ScriptedOrigin):
    """An origin that redirects to the robots.txt of another one, and then raises an exception."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self._error = error

    def send(self, request: TransportRequest) -> Response | Failure:
        self.requests.append(request)
        if request.url.startswith("https://example.com/"):
            return Response(request.url, 301, (("Location", "https://other.example/robots.txt"),), b"")
        raise self._error


@pytest.mark.parametrize(
    "kind, error",
    [
        ("sync", Boom()),
        ("sync", KeyboardInterrupt()),
        ("sync", RequestNotSent("no descriptor")),
        ("async", Boom()),
        ("async", asyncio.CancelledError()),
        ("async", RequestNotSent("no descriptor")),
    ],
)
def test_the_lease_is_released_after_an_exception(kind: str, error: BaseException) -> None:
    store = MemoryStore()
    with EitherClient(kind, RaisingOrigin(error), store=store) as client:
        with pytest.raises(type(error)):
            client.allows(URL)
        assert store._leases == {}


class Interrupting(MemoryStore):
    """A store whose lease is acquired while the thread is interrupted."""

    def acquire_lease(self, origin: str, *, holder: str, seconds: float) -> bool:
        super().acquire_lease(origin, holder=holder, seconds=seconds)
        raise KeyboardInterrupt


def test_a_lease_that_an_interrupted_call_acquired_is_released() -> None:
    store = Interrupting()
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), store=store) as client:
        with pytest.raises(KeyboardInterrupt):
            client.allows(URL)
        assert store._leases == {}


HOLDER = """
import sys
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.client.sync_client import Client

class Silent:
    def send(self, request):
        print("requested", flush=True)
        sys.stdin.read()
    def close(self):
        pass

Client(user_agent="ExampleBot/1.0", transport=Silent(), store=SQLiteStore(sys.argv[1])).allows(sys.argv[2])
"""


@pytest.mark.service
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not show when a process started")
def test_lease_of_a_killed_process_is_over(tmp_path: Path) -> None:
    path = tmp_path / "robots.sqlite3"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), URL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "requested\n"
        store = SQLiteStore(path)
        assert not store.acquire_lease("https://example.com", holder="a", seconds=60)
        holder.kill()
        # It is a zombie until its parent has waited for it.
        while not store.acquire_lease("https://example.com", holder="a", seconds=60):
            time.sleep(0.01)
        store.release_lease("https://example.com", holder="a")
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), store=store) as client:
        assert client.allows(URL)
        assert client.stats.lease_waits == 0


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not show when a process started")
def test_only_holders_whose_process_has_certainly_ended() -> None:
    own = new_holder()
    process, _, rest = own.partition(":")
    system, pid, started_at = process.rsplit("/", 2)
    assert int(pid) == os.getpid()
    assert not has_ended(own)
    # Another process got the number.
    assert has_ended(f"{system}/{pid}/{int(started_at) - 1}:{rest}")
    assert has_ended(f"{system}/{2**22 + 1}/{started_at}:{rest}")
    # Another machine or container, or another system.
    assert not has_ended(f"other/{pid}/{int(started_at) - 1}:{rest}")
    assert not has_ended(f"/{pid}/:{rest}")
    # The process of another user.
    assert not has_ended(new_holder().replace(f"/{pid}/{started_at}", f"/1/{_started_at(1)}"))
    for text in ("", "a", "other", "a/b/c:d", f"{system}/-1/7:1", f"{system}/{10**30}/7:1"):
        assert not has_ended(text), text
