"""The reference parsers, the number of comparisons, and a summary of them at the end of the run.

`CANFETCH_TRIPLES` sets how many (file, agent, URL) triples are compared with Google's parser. The default of 50,000
suits a quick run; `make differential` compares a million. The other comparisons take a fixed share of it.
"""

import os
from collections.abc import Callable

import pytest
from tests.differential.oracles import google_is_required, missing_google

SUMMARY = "comparison summary"


@pytest.fixture(scope="session")
def triples() -> int:
    return int(float(os.environ.get("CANFETCH_TRIPLES", "5e4")))


@pytest.fixture(scope="session")
def workers() -> int:
    # Under pytest-xdist the tests themselves run in parallel.
    return 1 if "PYTEST_XDIST_WORKER" in os.environ else min(os.cpu_count() or 1, 4)


@pytest.fixture(scope="session")
def needs_google() -> None:
    """Skip the test if Google's parser is not installed; fail it in CI."""
    reason = missing_google()
    if reason and google_is_required():
        pytest.fail(f"{reason}, and in CI it must be")
    if reason:
        pytest.skip(reason)


@pytest.fixture
def note(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Return a function that adds a line to the summary at the end of the run."""
    return lambda text: request.node.user_properties.append((SUMMARY, f"{request.node.name}: {text}"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    # Properties of a report survive pytest-xdist, which runs tests in other processes.
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    lines = [
        value
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
        if name == SUMMARY
    ]
    if lines:
        terminalreporter.section("comparisons")
    for line in lines:
        terminalreporter.write_line(line)
