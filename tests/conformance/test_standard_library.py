"""What the cases say about Python's standard library is true of the running interpreter."""

import shlex
import sys

import pytest
from conformance.__main__ import main
from conformance.cases import ROOT
from tests.peers.suites import is_rewritten

ADAPTER = ROOT / "adapters" / "python" / "urllib_adapter.py"


@pytest.mark.slow
def test_urllib_has_the_answers_of_its_cases(capfd: pytest.CaptureFixture[str]) -> None:
    profile = "cpython-new" if is_rewritten() else "cpython-old"
    assert main(["--program", shlex.join([sys.executable, str(ADAPTER)]), "--profile", profile, "--quiet"]) == 0
    assert "0 failed, 0 skipped" in capfd.readouterr().out
