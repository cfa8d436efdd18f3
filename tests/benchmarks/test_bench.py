"""The benchmark runs and its inputs are what it says; no time is asserted."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def run_bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "CANFETCH_CORPUS"}
    command = [sys.executable, "-m", "benchmarks", "--tiny", "--no-peers", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def inputs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import inputs

    return inputs


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import hostile

    return hostile


def test_every_kind_of_row_is_measured() -> None:
    run = run_bench("--format", "json")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    sections = {row["section"].partition(":")[0].partition(",")[0] for row in report["rows"]}
    assert sections == {
        "Parse",
        "Parse and one decision",
        "Decide",
        "Decide from a warm cache",
        "Memory of a warm cache",
        "Memory beside the file's own octets",
        "Linting and formatting one file",
        "Start-up",
        "Hostile",
        "Answers that differ from canfetch's profile google",
    }
    assert all(row["figure"] for row in report["rows"])
    assert any("generated files in the sizes of real ones" in line for line in report["header"])


@pytest.mark.parametrize("form, begins", [("table", "CPython"), ("markdown", "- CPython")])
def test_the_table_has_forms(form: str, begins: str) -> None:
    run = run_bench("--format", form, "--rows", "startup")
    assert run.returncode == 0, run.stderr
    assert begins.replace("CPython", sys.implementation.name).lower() in run.stdout.lower()
    assert "import canfetch" in run.stdout


def test_unknown_rows_are_named() -> None:
    run = run_bench("--rows", "parse,speed")
    assert run.returncode == 2
    assert "no such rows: speed" in run.stderr


def test_inputs_are_the_same_everywhere(inputs: ModuleType) -> None:
    file = inputs.generate(5_000)
    assert file == inputs.generate(5_000)
    assert 5_000 <= len(file.octets) < 5_100
    assert len(file.star_patterns) == 114
    asked = inputs.urls(file, 200)
    assert len(set(asked)) == 200
    covered = [
        url for url in asked if any(inputs.matches(value, url[len(inputs.ORIGIN) :]) for value in file.star_patterns)
    ]
    assert len(covered) == 100


def test_hostile_files_keep_to_their_size(hostile: ModuleType) -> None:
    for name, make in hostile.TRAPS.items():
        trap = make()
        assert len(trap.octets) <= hostile.FILE_OCTETS, name
        assert len(trap.url.encode()) <= hostile.URL_OCTETS, name
        assert trap.octets.isascii() or name in {"raw_octets", "raw_query", "rewritten", "dollars_and_accent"}, name


def test_a_peer_that_will_not_install_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.peers import first_reason

    log = "Collecting x\n  error: subprocess-exited-with-error\n  | error: the Python version (3.99) is too new\n"
    assert first_reason(log) == "error: the Python version (3.99) is too new"
    assert (
        first_reason("  CMake Error at CMakeLists.txt:2:\n\n    too old\n")
        == "CMake Error at CMakeLists.txt:2: too old"
    )
    assert first_reason("") == "no output"
