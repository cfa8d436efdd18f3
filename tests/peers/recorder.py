"""A pytest plugin that writes the outcome of each test to a file, as lines of JSON."""

import json
import os
from pathlib import Path

import pytest


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when != "call" and report.passed:
        return
    # The name without the file's folder, which depends on the interpreter.
    file_path, separator, test = report.nodeid.partition("::")
    name = file_path.rpartition("/")[2] + separator + test
    with Path(os.environ["PEER_SUITE_RESULTS"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps([name, report.outcome]) + "\n")
