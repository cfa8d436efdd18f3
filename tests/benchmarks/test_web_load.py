"""The load benchmark of the HTTP API runs without errors. Its figures are not checked."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.service
def test_benchmark_compares_the_servers() -> None:
    pytest.importorskip("fastapi")
    if shutil.which("wrk") is None:
        pytest.skip("wrk is not installed")
    command = [sys.executable, "-m", "benchmarks.web_load", "--seconds", "1", "--rounds", "1", "--memory-requests", "0"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=1800, check=True)
    rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith(("| POST", "| GET"))]
    assert [row[0] for row in rows] == [
        "| POST, canfetch",
        "| GET, canfetch, cached file",
        "| GET, a constant answer",
        "| POST, Protego",
    ]
    assert {row[-1] for row in rows} == {"0 |"}
