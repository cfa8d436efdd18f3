"""Parts that several processes write: what an interruption ends."""

import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb
import pytest

from canfetch.bulk.archives.work_database import database_folder
from canfetch.bulk.writing.processes import run_tasks


def work(folder: Path, task: int) -> int:
    """Return task 0 at once. The others do not end."""
    if task:
        (folder / str(task)).touch()
        threading.Event().wait(3600)
    return task


def tasks(folder: Path) -> Iterator[int]:
    yield 1
    yield 2
    while not all((folder / str(task)).exists() for task in (1, 2)):
        time.sleep(0.01)
    raise KeyboardInterrupt


@pytest.mark.slow
def test_an_interruption_does_not_wait_for_tasks(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        list(run_tasks(partial(work, tmp_path), tasks(tmp_path), processes=2))


@pytest.mark.slow
def test_a_closed_run_does_not_wait_for_tasks(tmp_path: Path) -> None:
    results = run_tasks(partial(work, tmp_path), [0, 1], processes=2)
    assert next(results) == (0, 0)
    results.close()  # type: ignore[attr-defined]  # it is a generator


@pytest.mark.parametrize("error", [RuntimeError("Query interrupted"), duckdb.InterruptException("Interrupted!")])
def test_an_interrupted_query(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(KeyboardInterrupt), database_folder(tmp_path):
        raise error
    assert not list(tmp_path.iterdir())


def test_another_error_during_a_query(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="other"), database_folder(tmp_path):
        raise RuntimeError("other")
