"""The number of URLs of an origin that are added, and its limit."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawls import crawl, open_frontier
from tests.postgres import PostgresServer

import canfetch
from canfetch.client.frontier import Frontier, PostgresQueue, Turn
from canfetch.client.frontier.url_identity import identify_url
from canfetch.errors import InvalidOption

A, B = "https://a.example", "https://b.example"
FULL = "its origin has at least 3 URLs, the limit of max_urls_per_origin"
backends = pytest.mark.usefixtures("backend")


def follow(_frontier: Frontier, turn: Turn) -> None:
    """Add a link to the next day of a calendar that never ends, and one to the page itself."""
    turn.add([turn.url, f"{turn.url}1"])


@backends
@pytest.mark.urlfrontier
def test_an_origin_has_no_more_urls_than_the_limit() -> None:
    result = crawl({}, [f"{A}/1", f"{B}/1", f"{B}/2", f"{B}/3", f"{B}/4"], on_turn=follow, max_urls_per_origin=3)
    assert sorted(result.urls) == [f"{A}/1", f"{A}/11", f"{A}/111", f"{B}/1", f"{B}/2", f"{B}/3"]
    refused = [skipped.url for skipped in result.skipped]
    assert {skipped.error for skipped in result.skipped} == {FULL}
    assert {f"{A}/1111", f"{B}/4", f"{B}/11", f"{B}/21", f"{B}/31"} <= set(refused)
    assert result.counts.refused == len(refused)
    assert result.counts.done == 6


@backends
def test_a_known_url_is_not_refused() -> None:
    result = crawl({}, [f"{A}/{page}" for page in (1, 1, 2, 3, 3, 1, 4, 2)], max_urls_per_origin=3)
    assert [(skipped.url, skipped.error) for skipped in result.skipped] == [(f"{A}/4", FULL)]
    assert result.urls == [f"{A}/1", f"{A}/2", f"{A}/3"]


@backends
@pytest.mark.urlfrontier
def test_a_url_that_is_given_twice_is_refused_once() -> None:
    result = crawl({}, [f"{A}/1", f"{A}/2", f"{A}/2", f"{A}/2#x"], max_urls_per_origin=1)
    assert [skipped.url for skipped in result.skipped] == [f"{A}/2"]
    assert result.counts.refused == 1


@backends
def test_a_group_has_the_limit_of_an_origin() -> None:
    urls = [f"{A}/1", "http://a.example/1", f"{A}:8080/1", f"{A}:8080/2", f"{A}/1"]
    result = crawl({}, urls, group_by="host", max_urls_per_origin=3)
    assert sorted(result.urls) == sorted(urls[:3])
    assert [skipped.url for skipped in result.skipped] == [f"{A}:8080/2"]


@backends
@pytest.mark.urlfrontier
def test_a_limit_of_urls_survives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    assert crawl({}, [f"{A}/1", f"{A}/2"], path=path).skipped == []
    assert crawl({}, [f"{A}/3", f"{A}/4"], path=path, max_urls_per_origin=3).urls == [f"{A}/3"]
    # A larger limit has room for what was refused.
    assert crawl({}, [f"{A}/5", f"{A}/4"], path=path, max_urls_per_origin=4).urls == [f"{A}/5"]


@pytest.mark.service
def test_processes_that_add_at_the_same_time_keep_the_limit(postgres: PostgresServer) -> None:
    backend = PostgresQueue(postgres.create_database("limit"), crawl="x")

    async def add(process: int) -> int:
        async with (
            canfetch.AsyncClient(user_agent="ExampleBot/1.0") as client,
            Frontier(client, backend=backend, max_urls_per_origin=500) as frontier,
        ):
            return sum(
                frontier.add_many(f"{origin}/{process} {batch} {page}" for page in range(20) for origin in (A, B))
                for batch in range(20)
            )

    async def main() -> list[int]:
        return await asyncio.gather(*(asyncio.to_thread(asyncio.run, add(process)) for process in range(4)))

    assert sum(asyncio.run(main())) == 1000


@pytest.mark.service
def test_a_url_that_another_process_adds_meanwhile_takes_no_room(postgres: PostgresServer) -> None:
    database = postgres.create_database("meanwhile")
    first, second, third = (identify_url(f"{A}/{page}") for page in (1, 2, 3))

    async def add(urls: list[str]) -> int:
        async with (
            canfetch.AsyncClient(user_agent="ExampleBot/1.0") as client,
            Frontier(client, backend=PostgresQueue(database, crawl="x"), max_urls_per_origin=3) as frontier,
        ):
            number = frontier.add_many(urls)
            assert frontier.counts.refused == 0
            return number

    assert asyncio.run(add([first.url])) == 1
    with ThreadPoolExecutor() as threads, psycopg.connect(database) as other:
        (origin,) = other.execute("UPDATE canfetch_origins SET added = 2 RETURNING id").fetchone() or ()
        other.execute("INSERT INTO canfetch_known VALUES (%s, %s)", (origin, second.identity))
        adding = threads.submit(asyncio.run, add([second.url, third.url]))
        with psycopg.connect(database, autocommit=True) as watching:
            waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            while not watching.execute(waits).fetchone():
                time.sleep(0.02)
        other.commit()
        assert adding.result() == 1


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, 2**63])
def test_limits_are_validated(limit: Any) -> None:
    async def main() -> None:
        with pytest.raises(InvalidOption, match="invalid max_urls_per_origin"):
            async with open_frontier(max_urls_per_origin=limit):
                pass

    run_in_virtual_time(main)
