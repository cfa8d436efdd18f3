"""Filters of URLs before they are added."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawls import crawl, open_frontier

from canfetch.errors import InvalidOption

pytestmark = pytest.mark.usefixtures("backend")
A = "https://a.example"


def without_query(url: str) -> str | None:
    if "raise" in url:
        raise LookupError(url)
    if "cancel" in url:
        raise asyncio.CancelledError(url)
    if "number" in url:
        return 5  # type: ignore[return-value]  # what a wrong filter returns
    if "break" in url:
        return f" {A}/x\r\nX: y "
    return None if "/no" in url else url.partition("?")[0]


@pytest.mark.urlfrontier
def test_a_filter_refuses_and_replaces_urls() -> None:
    urls = [f" {A}/1?a\n", f"{A}/1?b", f"{A}/no", "", f"{A}/2"]
    result = crawl({}, urls, url_filter=without_query)
    assert result.urls == [f"{A}/1", f"{A}/2"]
    assert [(skipped.url, skipped.error) for skipped in result.skipped] == [(f"{A}/no", "refused by url_filter")]
    assert result.counts.refused == 1


@pytest.mark.urlfrontier
def test_what_a_filter_returns_has_no_line_breaks() -> None:
    assert crawl({}, [f"{A}/break"], url_filter=without_query).urls == [f"{A}/xX: y"]


@pytest.mark.parametrize("url, error", [(f"{A}/raise", LookupError), (f"{A}/number", TypeError)])
def test_urls_before_an_exception_of_a_filter_are_added(url: str, error: type[Exception]) -> None:
    async def main() -> list[str]:
        async with open_frontier(url_filter=without_query) as frontier:
            with pytest.raises(error):
                frontier.add_many([f"{A}/1", url, f"{A}/2"])
            with pytest.raises(error):
                frontier.add(url)
            return [turn.url async for turn in frontier if turn.done()]

    assert run_in_virtual_time(main) == [f"{A}/1"]


async def yield_each(urls: list[Any]) -> AsyncIterator[Any]:
    for url in urls:
        yield url


@pytest.mark.parametrize("source", [list, iter, yield_each])
@pytest.mark.parametrize("value", [None, 7, ["https://a.example/"]])
def test_a_value_of_a_source_that_fails_costs_nothing_else(source: Callable[[Any], Any], value: object) -> None:
    async def main() -> list[str]:
        async with open_frontier(url_filter=without_query) as frontier:
            frontier.add_source(source([f"{A}/1", f"{A}/raise", f"{A}/2", value, f"{A}/cancel", f"{A}/3"]))
            for error in (LookupError, TypeError, RuntimeError):
                with pytest.raises(error):
                    await anext(frontier)
            return [turn.url async for turn in frontier if turn.done()]

    assert run_in_virtual_time(main) == [f"{A}/1", f"{A}/2", f"{A}/3"]


def test_a_filter_that_cannot_be_called_is_rejected() -> None:
    filters: list[Any] = ["https://a.example/", 5]
    for url_filter in filters:
        with pytest.raises(InvalidOption, match="invalid url_filter"):
            crawl({}, [], url_filter=url_filter)


@pytest.mark.parametrize("source", [list, yield_each])
def test_an_interrupt_in_a_filter_is_raised(source: Callable[[Any], Any]) -> None:
    def interrupt(url: str) -> str:
        if "2" in url:
            raise KeyboardInterrupt
        return url

    async def main() -> None:
        async with open_frontier(url_filter=interrupt) as frontier:
            frontier.add_source(source([f"{A}/1", f"{A}/2", f"{A}/3"]))
            async for turn in frontier:
                assert turn.done()

    with pytest.raises(KeyboardInterrupt):
        run_in_virtual_time(main)
