"""Whether those who are asked are there, how much is asked, and the figures at the end of the run.

`CANFETCH_TRIPLES` is how many (file, agent, URL) triples profile `google` is tried with: a million, if it is not set.
The other comparisons take their share of it.
"""

import os
from collections.abc import Callable

import pytest
from tests.differential.oracles import google_is_due, why_no_google

FIGURES = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session")
def triples() -> int:
    return int(float(os.environ.get("CANFETCH_TRIPLES", "1e6")))


@pytest.fixture(scope="session")
def workers() -> int:
    return min(os.cpu_count() or 1, 4)


@pytest.fixture(scope="session")
def needs_google() -> None:
    """Skip a test where Google's parser is not installed; fail where it must be."""
    reason = why_no_google()
    if reason and google_is_due():
        pytest.fail(f"{reason}, and in CI it must be")
    if reason:
        pytest.skip(reason)


@pytest.fixture
def say(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Give a function that puts a test's figures at the end of the run."""
    figures = request.config.stash.setdefault(FIGURES, [])
    return lambda text: figures.append(f"{request.node.name}: {text}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    figures = config.stash.get(FIGURES, [])
    if figures:
        terminalreporter.section("compared")
    for line in figures:
        terminalreporter.write_line(line)
