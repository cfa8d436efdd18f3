"""Comparisons on real files, if `CANFETCH_CORPUS` is the path of a folder."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.differential.oracles import PROFILES
from tests.differential.reporting import report
from tests.differential.runner import Job, run_files


@pytest.fixture(scope="module")
def folder() -> Path:
    named = os.environ.get("CANFETCH_CORPUS")
    if not named:
        pytest.skip("CANFETCH_CORPUS is not set to a folder of real files")
    return Path(named)


def check(job: Job, folder: Path, workers: int, note: Callable[[str], None], *, agents: int, urls: int) -> None:
    done = run_files(job, folder, agents=agents, urls=urls, workers=workers)
    note(f"{done.next_case} files of {folder}: {done.tally.summary()}")
    assert not done.tally.disagreed, report(job, done.tally.disagreements)


@pytest.mark.usefixtures("needs_google")
def test_google_verdict_and_line_on_real_files(
    folder: Path, engine: str, workers: int, note: Callable[[str], None]
) -> None:
    check(Job("google", engine, ("google",)), folder, workers, note, agents=3, urls=12)


@pytest.mark.usefixtures("both_engines")
def test_engines_agree_on_real_files(folder: Path, workers: int, note: Callable[[str], None]) -> None:
    check(Job("python", "native", PROFILES), folder, workers, note, agents=3, urls=12)
