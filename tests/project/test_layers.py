"""The import contracts in pyproject.toml hold."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_import_contracts_hold() -> None:
    # In a separate process, because import-linter configures logging globally.
    run = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint(['--no-cache'])"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
