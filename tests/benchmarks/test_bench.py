"""The benchmark runs, and its inputs are as documented. No time is asserted."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def run_bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_module("benchmarks", "--tiny", "--no-peers", *arguments)


def run_module(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "CANFETCH_CORPUS"}
    command = [sys.executable, "-m", *arguments]
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


@pytest.mark.service
def test_every_section_is_measured() -> None:
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
        "Memory of a parsed file",
        "Lint and format one file",
        "canfetch check",
        "HTTP clients",
        "Interfaces of other libraries",
        "Start-up time",
        "Hostile files",
        "Decisions that differ from canfetch's profile google",
    }
    assert all(row["figure"] for row in report["rows"])
    assert any("generated files of the usual sizes" in line for line in report["header"])


@pytest.mark.slow
@pytest.mark.parametrize("output_format, start", [("table", "CPython"), ("markdown", "- CPython")])
def test_output_formats(output_format: str, start: str) -> None:
    run = run_bench("--format", output_format, "--rows", "startup")
    assert run.returncode == 0, run.stderr
    assert start.replace("CPython", sys.implementation.name).lower() in run.stdout.lower()
    assert "import canfetch" in run.stdout


@pytest.mark.slow
def test_unknown_rows_are_named() -> None:
    run = run_bench("--rows", "parse,speed")
    assert run.returncode == 2
    assert "unknown row 'speed'" in run.stderr


def test_generated_inputs_are_deterministic(inputs: ModuleType) -> None:
    file = inputs.generate(5_000)
    assert file == inputs.generate(5_000)
    assert 5_000 <= len(file.content) < 5_100
    assert len(file.star_patterns) == 114
    urls = inputs.urls(file, 200)
    assert len(set(urls)) == 200
    covered = [
        url for url in urls if any(inputs.matches(value, url[len(inputs.ORIGIN) :]) for value in file.star_patterns)
    ]
    assert len(covered) == 100


@pytest.mark.slow
def test_hostile_files_stay_within_their_size(hostile: ModuleType) -> None:
    for name, make in hostile.TRAPS.items():
        trap = make()
        assert len(trap.content) <= hostile.FILE_BYTES, name
        assert len(trap.url.encode()) <= hostile.URL_BYTES, name
        assert trap.content.isascii() or name in {"raw_bytes", "raw_query", "encoded_rules", "dollars_and_accent"}, name


def test_reason_of_a_failed_installation_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.peers import find_reason

    log = "Collecting x\n  error: subprocess-exited-with-error\n  | error: the Python version (3.99) is too new\n"
    assert find_reason(log) == "error: the Python version (3.99) is too new"
    assert (
        find_reason("  CMake Error at CMakeLists.txt:2:\n\n    too old\n") == "CMake Error at CMakeLists.txt:2: too old"
    )
    assert find_reason("") == "no output"


@pytest.mark.service
def test_the_goals_are_measured_in_every_run() -> None:
    run = run_module("benchmarks.goals", "--tiny", "--no-peers", "--runs", "2")
    assert run.returncode == 0, run.stderr
    rows = [line.split(" | ") for line in run.stdout.splitlines() if line.startswith("| ")]
    assert {len(row) for row in rows} == {6}
    assert {row[0] for row in rows} >= {"| `client.allows(url)`, cached origin", "| lint 500 KB"}


@pytest.mark.service
def test_the_growth_of_times_is_printed_and_drawn(tmp_path: Path) -> None:
    run = run_module("benchmarks.growth", "--tiny", "--format", "text")
    assert run.returncode == 0, run.stderr
    assert [line for line in run.stdout.splitlines() if line.startswith("by")] == [
        "by bytes of the file",
        "by rules",
        "by agents of the file",
        "by characters of the URL",
    ]
    plot = tmp_path / "growth.png"
    run = run_module("benchmarks.growth", "--tiny", "--output", str(plot))
    assert run.returncode == 0, run.stderr
    assert plot.read_bytes().startswith(b"\x89PNG")
