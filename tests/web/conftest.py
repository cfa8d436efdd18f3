"""The application in this process, and a server in a thread for what needs connections."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

import httpx2

from canfetch.access.responses import Failure, Response
from canfetch.client.transports import TransportRequest
from canfetch.web.api.preloading import preload
from canfetch.web.app import create_app
from canfetch.web.server.worker_process import WorkerProcess
from canfetch.web.settings import Settings

ResultT = TypeVar("ResultT")
# The applications of all tests share them, because starting a process takes longer than most tests.
WORKERS = [WorkerProcess(preload) for _ in range(2)]
BASE = "http://localhost:8420"


class API:
    """Sends requests to an application in this process."""

    def __init__(self, settings: Settings | None = None, **options: Any) -> None:
        self.guard = create_app(settings, **{"workers": WORKERS, **options})
        self._runner = asyncio.Runner()
        self._lifespan = self.guard.app.router.lifespan_context(self.guard.app)
        self._runner.run(self._lifespan.__aenter__())
        self.client = httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=self.guard, raise_app_exceptions=False), base_url=BASE, timeout=300
        )

    def request(self, method: str, path: str, **options: Any) -> httpx2.Response:
        return self._runner.run(self.client.request(method, path, **options))

    def run(self, work: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Run a coroutine on the event loop of the application."""
        return self._runner.run(work)

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, **options: Any) -> httpx2.Response:
        return self.request("POST", path, **options)

    def answer(self, path: str, **body: Any) -> Any:
        """Return the JSON of a POST request that succeeds."""
        response = self.post(f"/v1/{path}", json=body)
        assert response.status_code == 200, response.text
        return response.json()

    def problem(self, method: str, path: str, status: int, **options: Any) -> dict[str, Any]:
        """Return the problem of a request that fails."""
        response = self.request(method, path, **options)
        assert response.status_code == status, response.text
        assert response.headers["content-type"] == "application/problem+json"
        problem: dict[str, Any] = response.json()
        assert problem["status"] == status
        assert problem["type"].startswith("urn:canfetch:problem:")
        return problem

    def limit_fetches(self, seconds: float) -> None:
        """Set the time for all fetches of a request. That of the request stays."""
        state = self.guard.app.state
        settings = replace(state.services.settings, timeout=seconds)
        state.services = state.services._replace(settings=settings)

    def close(self) -> None:
        self._runner.run(self.client.aclose())
        self._runner.run(self._lifespan.__aexit__(None, None, None))
        self._runner.close()


class ScriptedWeb:
    """A transport whose servers are functions of the URL."""

    def __init__(self) -> None:
        self.sites: dict[str, Callable[[], Response | Failure]] = {}
        self.requests: list[str] = []

    def add(self, url: str, body: bytes = b"", *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> None:
        self.sites[url] = lambda: Response(url, status, headers, body)

    async def send(self, request: TransportRequest) -> Response | Failure:
        self.requests.append(request.url)
        make = self.sites.get(request.url)
        return Response(request.url, 404, (), b"") if make is None else make()

    async def close(self) -> None:
        """Do nothing."""


class StuckWeb(ScriptedWeb):
    """A web in which some URLs never answer. It counts the requests that wait at a time.

    Args: starts: The starts of these URLs.
    """

    def __init__(self, *starts: str) -> None:
        super().__init__()
        self._starts = starts
        self.waiting = 0
        self.most_waiting = 0

    async def send(self, request: TransportRequest) -> Response | Failure:
        self.waiting += 1
        self.most_waiting = max(self.most_waiting, self.waiting)
        try:
            if request.url.startswith(self._starts):
                await asyncio.Event().wait()
            # Others get a turn.
            await asyncio.sleep(0)
            return await super().send(request)
        finally:
            self.waiting -= 1


@contextmanager
def running_api(settings: Settings | None = None, **options: Any) -> Iterator[API]:
    api = API(settings, **options)
    try:
        yield api
    finally:
        api.close()


@pytest.fixture(scope="module")
def api() -> Iterator[API]:
    """Return an application with the default settings, which fetches from no network."""
    with running_api(transport=ScriptedWeb()) as running:
        yield running


@pytest.fixture
def web() -> ScriptedWeb:
    return ScriptedWeb()


@pytest.fixture
def live(web: ScriptedWeb) -> Iterator[API]:
    """Return an application that fetches from the servers of `web`."""
    with running_api(transport=web) as running:
        yield running


__all__ = ["API", "BASE", "ScriptedWeb", "StuckWeb", "running_api"]
