"""The series of benchmark runs: appending and plotting."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import series


def run(nanoseconds: float) -> dict[str, Any]:
    row = {"section": "Decide", "what": "allows", "engine": "native"}
    memory = {"section": "Memory", "what": "file", "engine": "native", "detail": {}}
    return {
        "header": ["CPython 3.11"],
        "columns": {"canfetch": "canfetch 1"},
        "rows": [{**row, "detail": {"nanoseconds": nanoseconds}}, memory],
    }


@pytest.mark.slow
def test_runs_are_appended_and_plotted(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    lines, plot = tmp_path / "series.jsonl", tmp_path / "series.svg"
    for commit, nanoseconds in (("a1", 100.0), ("b2", 80.04)):
        (tmp_path / "run.json").write_text(json.dumps(run(nanoseconds)), encoding="utf-8")
        arguments = [str(tmp_path / "run.json"), "--series", str(lines), "--commit", commit, "--plot", str(plot)]
        assert series.main(arguments) == 0

    runs = series.read(lines)
    assert [(entry["commit"], entry["nanoseconds"]) for entry in runs] == [
        ("a1", {"Decide: allows (native)": 100.0}),
        ("b2", {"Decide: allows (native)": 80.0}),
    ]
    assert "<svg" in plot.read_text("utf-8")


def test_a_run_without_times_is_not_appended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.json").write_text(json.dumps({**run(1), "rows": []}), encoding="utf-8")

    arguments = [str(tmp_path / "run.json"), "--series", str(tmp_path / "s.jsonl"), "--commit", "a"]
    assert series.main(arguments) == 2

    assert "no measurement" in capsys.readouterr().err
    assert not (tmp_path / "s.jsonl").exists()
