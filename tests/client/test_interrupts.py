"""After an interrupt at any moment, clients, evidence and frontiers go on, and nothing acknowledged is lost."""

import asyncio
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.evidence.segments import VERDICT, verify_segment
from tests.frontier.crawls import USER_AGENT, Hosts
from tests.interrupts import interrupt_each
from tests.postgres import start_postgres

import canfetch
from canfetch.client.evidence import EvidenceRecorder
from canfetch.client.frontier import PostgresQueue
from canfetch.client.stores.sqlite import SQLiteStore

# Finalizers are interrupted, too, and Python ignores that.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
URL = "https://example.com/open"


def test_a_client_asks_again() -> None:
    numbers = count()
    with canfetch.Client(user_agent=USER_AGENT, transport=ScriptedOrigin()) as client:

        def ask() -> None:
            assert client.allows(f"https://site{next(numbers)}.example/")

        for _ in interrupt_each(ask):
            # The origin whose request was interrupted.
            assert client.allows(f"https://site{next(numbers) - 1}.example/")


def test_a_store_in_a_file_is_not_busy(tmp_path: Path) -> None:
    numbers = count()
    store = SQLiteStore(tmp_path / "store.sqlite3")
    with canfetch.Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), store=store) as client:
        for _ in interrupt_each(lambda: client.allows(f"https://site{next(numbers)}.example/")):
            before = set(store.keys())
            client.allows(f"https://site{next(numbers)}.example/")
            assert set(store.keys()) > before


@pytest.mark.parametrize("durable", [False, True])
def test_evidence_verifies(tmp_path: Path, *, durable: bool) -> None:
    acknowledged = 0
    with (
        EvidenceRecorder(tmp_path, durable=durable) as recorder,
        canfetch.Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), evidence=recorder) as client,
    ):
        client.allows(URL)
        for _ in interrupt_each(lambda: client.allows(URL)):
            client.allows(URL)
            acknowledged += 1
        head = recorder.head
    report = verify_segment(recorder.path)
    assert report.problem is None
    assert report.decisions >= acknowledged
    assert head.lines == report.decisions + 1


def test_evidence_that_is_opened_or_closed(tmp_path: Path) -> None:
    folders = count()

    def record() -> None:
        with EvidenceRecorder(tmp_path / str(next(folders))) as recorder:
            recorder.record(URL, VERDICT)

    for _ in interrupt_each(record):
        pass
    for folder in tmp_path.iterdir():
        for path in folder.glob("*.ndjson"):
            # A file without a line is that of a process that was killed.
            assert path.stat().st_size == 0 or verify_segment(path).problem is None


def check_frontier(**options: Any) -> None:
    """Interrupt `add` at each moment, and add another URL after each interrupt."""
    loop = asyncio.new_event_loop()
    numbers = count()
    acknowledged = 0

    async def open_frontier() -> canfetch.Frontier:
        return canfetch.Frontier(canfetch.AsyncClient(user_agent=USER_AGENT, transport=Hosts()), **options)

    frontier = loop.run_until_complete(open_frontier())

    def add() -> None:
        frontier.add(f"https://site{next(numbers) % 9}.example/{next(numbers)}")

    for _ in interrupt_each(add):
        add()
        acknowledged += 1
    loop.run_until_complete(frontier.close())
    frontier = loop.run_until_complete(open_frontier())
    assert frontier.counts.queued >= acknowledged > 50
    loop.run_until_complete(frontier.close())
    loop.close()


def test_a_frontier_in_a_file(tmp_path: Path) -> None:
    check_frontier(path=tmp_path / "crawl.sqlite3")


@pytest.mark.service
def test_a_frontier_on_postgresql() -> None:
    with start_postgres() as server:
        check_frontier(backend=PostgresQueue(server.create_database("interrupts"), crawl="test", outage_seconds=3.0))
