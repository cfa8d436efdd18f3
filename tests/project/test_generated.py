"""Generated files are up to date."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("generator", sorted((ROOT / "tools").glob("generate_*.py")), ids=lambda path: path.name)
def test_generated_files_are_fresh(generator: Path) -> None:
    run = subprocess.run([sys.executable, str(generator), "--check"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
