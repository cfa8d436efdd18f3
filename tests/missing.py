"""What tests need and machines may lack: they are skipped there, and fail in CI, which must have everything."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final, NoReturn

import pytest

TOOLS: Final = Path(__file__).parents[1] / "tools"
# The exit code of a build script in `tools` without the programs that it needs.
_NO_TOOLCHAIN: Final = 3


def in_ci() -> bool:
    """Return whether this is a CI run."""
    return os.environ.get("CI", "") not in {"", "0", "false"}


def skip_unless_ci(reason: str) -> NoReturn:
    """Skip the test; fail it in CI."""
    if in_ci():
        pytest.fail(f"{reason}, and CI requires it")
    pytest.skip(reason)


def run_build_script(name: str, output: Path) -> None:
    """Run a script of `tools` that builds `output`. Without a toolchain, skip the test; fail it in CI."""
    built = subprocess.run(
        [TOOLS / name, output],
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode == _NO_TOOLCHAIN:
        skip_unless_ci(built.stderr.strip())
    assert built.returncode == 0, built.stdout + built.stderr
