"""tools/differential.py, the long run, as a process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def tool(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "CANFETCH_CORPUS"}
    command = [sys.executable, str(ROOT / "tools" / "differential.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.slow
@pytest.mark.usefixtures("needs_google")
def test_a_run_prints_a_summary() -> None:
    done = tool("--triples", "2e3", "--engine", "python", "--seed", "7", "--start", "128")
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("differential: engine=python against=google profiles=google triples=")
    assert "disagreements=0" in last
    assert "seed=7 cases=128.." in last


@pytest.mark.slow
@pytest.mark.usefixtures("both_engines")
def test_engines_are_compared_on_real_files(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /fish\n")
    done = tool("--corpus", str(tmp_path), "--against", "python", "--profiles", "strict,rfc9309")
    assert done.returncode == 0, done.stderr
    assert "against=python profiles=strict,rfc9309" in done.stdout
    assert "files=2 " in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, named",
    [
        (["--profiles", "rfc9310"], "unknown profile 'rfc9310'"),
        (["--profiles", "rfc9309", "--against", "google", "--engine", "python"], "--against python"),
        (["--corpus", "no-such-folder", "--engine", "python"], "no-such-folder"),
        (["--corpus", "--engine", "python"], "set CANFETCH_CORPUS"),
        (["--workers", "0", "--engine", "python"], "--workers"),
    ],
)
@pytest.mark.usefixtures("needs_google")
def test_invalid_arguments_are_errors(arguments: list[str], named: str) -> None:
    done = tool(*arguments)
    assert done.returncode == 2
    assert named in done.stderr
    assert "Traceback" not in done.stderr
