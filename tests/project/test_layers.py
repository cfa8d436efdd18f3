"""Who may import whom: the contracts in pyproject.toml hold."""

import subprocess
import sys
from pathlib import Path


def test_rooms_import_only_what_they_may() -> None:
    # A process of its own, since import-linter sets logging up for a whole one.
    run = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint(['--no-cache'])"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
