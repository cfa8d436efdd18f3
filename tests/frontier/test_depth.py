"""The depth of URLs: the number of links from the first URLs of a crawl, and its limit."""

from pathlib import Path
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time
from tests.frontier.crawls import crawl, open_frontier

from canfetch.client.frontier import Frontier, Turn
from canfetch.errors import InvalidOption

pytestmark = pytest.mark.usefixtures("backend")
A = "https://a.example"


def follow(depths: dict[str, int]) -> Any:
    """Return a function that notes the depth of each turn, and adds a link to the next page and back."""

    def on_turn(_frontier: Frontier, turn: Turn) -> None:
        depths[turn.url] = turn.depth
        number = int(turn.url.rpartition("/")[2])
        turn.add([f"{A}/{number + 1}", f"{A}/0"])

    return on_turn


@pytest.mark.parametrize("group_by", ["origin", "host"])
def test_links_are_one_deeper_than_their_page(group_by: str) -> None:
    depths: dict[str, int] = {}
    result = crawl({}, [f"{A}/0"], on_turn=follow(depths), max_depth=3, group_by=group_by)
    assert depths == {f"{A}/{number}": number for number in range(4)}
    # The last page also links to one that is known.
    assert [(skipped.url, skipped.error) for skipped in result.skipped] == [
        (f"{A}/4", "depth 4 is greater than max_depth, 3")
    ]
    assert result.counts.refused == 1
    assert result.counts.done == 4


@pytest.mark.urlfrontier
def test_a_depth_survives_retries_and_restarts(tmp_path: Path) -> None:
    path = tmp_path / "crawl"

    async def first() -> None:
        async with open_frontier(path=path, retry_delay=1.0) as frontier:
            frontier.add(f"{A}/0", depth=7)
            frontier.add_many([f"{A}/1"], depth=8)
            (await anext(frontier)).retry()
            (await anext(frontier)).release()

    run_in_virtual_time(first)
    depths: dict[str, int] = {}
    crawl({}, [], path=path, on_turn=lambda _, turn: depths.update({turn.url: turn.depth}), start=100.0)
    assert depths == {f"{A}/0": 7, f"{A}/1": 8}


def test_a_refused_url_can_be_added_by_a_shorter_way() -> None:
    async def main() -> tuple[bool, bool, int]:
        async with open_frontier(max_depth=1) as frontier:
            first, second = frontier.add(f"{A}/0", depth=2), frontier.add(f"{A}/0", depth=1)
            with await anext(frontier) as turn:
                return first, second, turn.depth

    assert run_in_virtual_time(main) == (False, True, 1)


@pytest.mark.parametrize("depth", [-1, 1.5, True, None, 2**31])
def test_depths_are_validated(depth: Any) -> None:
    async def main() -> None:
        async with open_frontier() as frontier:
            with pytest.raises(InvalidOption, match="invalid depth"):
                frontier.add(f"{A}/0", depth=depth)
            with pytest.raises(InvalidOption, match="invalid depth"):
                frontier.add_many([], depth=depth)
        if depth is not None:
            with pytest.raises(InvalidOption, match="invalid max_depth"):
                async with open_frontier(max_depth=depth):
                    pass

    run_in_virtual_time(main)
