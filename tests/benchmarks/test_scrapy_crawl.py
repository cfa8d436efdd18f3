"""The benchmark with Scrapy runs. Its figures are not checked."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.service
def test_benchmark_compares_the_middlewares() -> None:
    pytest.importorskip("scrapy")
    command = [sys.executable, "-m", "benchmarks.scrapy_crawl", "--pages", "3", "--rounds", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=1800, check=True)
    rows = [line.split(" | ")[0] for line in done.stdout.splitlines()[4:]]
    assert rows == ["| none", "| Scrapy", "| canfetch"]
