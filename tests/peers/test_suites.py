"""The test suites of other projects pass with canfetch's classes, except for the differences in suites.toml."""

from pathlib import Path

import pytest
from tests.peers.suites import Difference, is_rewritten, load_suites, run_suite

SUITES = load_suites()
LOCAL = [name for name, suite in SUITES.items() if suite.package is None]


@pytest.mark.slow
@pytest.mark.parametrize("name", LOCAL)
def test_suite_of_the_standard_library(name: str, tmp_path: Path) -> None:
    if SUITES[name].rewritten is not is_rewritten():
        pytest.skip("this interpreter has another urllib.robotparser")
    assert not run_suite(SUITES[name], tmp_path).problems


@pytest.mark.service
@pytest.mark.parametrize("name", [name for name in SUITES if name not in LOCAL])
def test_suite_from_pypi(name: str, tmp_path: Path) -> None:
    assert not run_suite(SUITES[name], tmp_path).problems


@pytest.mark.slow
def test_differences_have_a_reason_and_a_standard() -> None:
    with pytest.raises(ValueError, match="incomplete difference"):
        Difference("", "RFC 9309", ("test_a.py::test_a",))
