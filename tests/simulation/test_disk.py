"""The simulated disk: what is synchronised stays without power, and any part of the rest may be lost."""

import sqlite3
from pathlib import Path

import pytest
from simulation.machine import ClockPlan, Machine
from simulation.processes import DeathPlan

ROWS = 10


def rows_left(path: Path, seed: int, *, synchronous: str, death: DeathPlan) -> tuple[int, int]:
    """Return how many rows were acknowledged until a process died, and how many are left."""
    acknowledged = 0

    def write() -> None:
        nonlocal acknowledged
        connection = sqlite3.connect(path, isolation_level=None)
        process.connections.append(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE numbers (number)")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        # The time between the checkpoints of a long crawl.
        connection.execute("PRAGMA wal_autocheckpoint = 5")
        process.arm(death)
        for number in range(ROWS):
            connection.execute("INSERT INTO numbers VALUES (?)", (number,))
            acknowledged += 1

    with Machine(seed, ClockPlan(), monotonic=lambda: 0.0) as machine:
        process = machine.start_process("writer", None)
        try:
            process.call(write)
        except sqlite3.OperationalError:
            assert not process.is_alive
        process.kill()
        if death.loses_power:
            machine.lose_power()
        connection = sqlite3.connect(path)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        (left,) = connection.execute("SELECT count(*) FROM numbers").fetchone()
        connection.close()
    return acknowledged, left


@pytest.mark.parametrize("number", range(0, 60, 7))
def test_a_kill_loses_nothing(tmp_path: Path, number: int) -> None:
    death = DeathPlan("write", number)
    acknowledged, left = rows_left(tmp_path / "a.sqlite3", number, synchronous="NORMAL", death=death)
    # The last one may have been written without being acknowledged.
    assert acknowledged < ROWS or number > 30
    assert acknowledged <= left <= acknowledged + 1


@pytest.mark.parametrize("number", range(0, 60, 7))
def test_without_power_what_is_synchronised_stays(tmp_path: Path, number: int) -> None:
    death = DeathPlan("write", number, loses_power=True)
    acknowledged, left = rows_left(tmp_path / "a.sqlite3", number, synchronous="FULL", death=death)
    assert acknowledged <= left <= acknowledged + 1


def test_without_power_what_is_not_synchronised_may_be_lost(tmp_path: Path) -> None:
    lost = set()
    for seed in range(10):
        death = DeathPlan("write", 20 + 2 * seed, loses_power=True)
        acknowledged, left = rows_left(tmp_path / f"{seed}.sqlite3", seed, synchronous="NORMAL", death=death)
        assert left <= acknowledged + 1
        lost.add(acknowledged - left)
    assert max(lost) > 1
    assert min(lost) <= 0
