"""Run the programs that the documentation shows."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def completed(
    command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None, seconds: float = 600
) -> subprocess.CompletedProcess[str]:
    """Run a program with nothing on standard input, and return its exit code and its output."""
    return subprocess.run(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=seconds,
        check=False,
    )
