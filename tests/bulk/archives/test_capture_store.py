"""The store of captures: how much it reads."""

import sqlite3
from pathlib import Path

import pytest

from canfetch.bulk.archives.capture_store import CaptureStore

OWNER = "https://a.example"
CAPTURES = """
with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < {count})
insert into captures select null, 1, n, '{owner}', '{owner}/robots.txt', {time}, 200, null, null, null, 1 from numbers
"""


def write_captures(path: Path, owner: str, count: int, time: str = "{count} - n") -> None:
    with CaptureStore(path) as store:
        connection = sqlite3.connect(path)
        connection.execute(CAPTURES.format(count=count, owner=owner, time=time.format(count=count)))
        connection.commit()
        connection.close()
        store.finish()


def steps_of_history(path: Path) -> int:
    """Return the number of instructions of SQLite for a history, in hundreds."""
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    with CaptureStore(path, read_only=True) as store:
        store._connection.set_progress_handler(step, 100)
        assert len(store.histories(OWNER)[OWNER]) == 10_000
    return steps


def test_only_the_captures_of_a_history_that_count_are_read(tmp_path: Path) -> None:
    costs = []
    for count in (10_000, 30_000):
        path = tmp_path / f"{count}.sqlite"
        write_captures(path, OWNER, count)
        costs.append(steps_of_history(path))
    assert costs[1] <= 1.1 * costs[0]


@pytest.mark.parametrize("owner", [OWNER, "a.example"])
def test_a_history_has_the_last_captures_of_each_owner_in_order(tmp_path: Path, owner: str) -> None:
    path = tmp_path / "captures.sqlite"
    write_captures(path, "a.example", 10_005)
    # Captures without a time are the first ones, and captures at the same time are in the order of the store.
    write_captures(path, OWNER, 6, "case when n < 3 then null else n / 2 end")
    with CaptureStore(path, read_only=True) as store:
        found = store.histories(OWNER, "a.example")
        assert store.histories(owner) == {owner: found[owner]}
    assert found["a.example"] == [(time, 10_005 - time) for time in range(5, 10_005)]
    early = -float("inf")
    assert found[OWNER] == [(early, 10_006), (early, 10_007), (1, 10_008), (2, 10_009), (2, 10_010), (3, 10_011)]
