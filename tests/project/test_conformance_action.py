"""The GitHub action that runs the conformance cases."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.project.action_steps import command, loaded

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / "conformance" / "action.yml"
ALWAYS = "import sys\nfor line in sys.stdin: print('{\"allowed\": true}', flush=True)"


def run_action(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the step of the action as GitHub does, with its defaults and `inputs`."""
    action: dict[str, Any] = loaded(ACTION)
    (step,) = action["runs"]["steps"]
    values = {name: declared["default"] for name, declared in action["inputs"].items()} | inputs
    environment = {
        name: str(ROOT / "conformance") if "action_path" in value else values[value.split("inputs.")[1].rstrip(" }")]
        for name, value in step["env"].items()
    }
    # The interpreter of the tests, under the name that runners have.
    (folder / "python3").symlink_to(sys.executable)
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_action_matches_the_github_schema() -> None:
    subprocess.run([command("check-jsonschema"), "--builtin-schema", "vendor.github-actions", str(ACTION)], check=True)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the action needs bash")
def test_failure_fails_the_step_unless_it_is_known(tmp_path: Path) -> None:
    program = shlex.join([sys.executable, "-c", ALWAYS])
    arguments = "--no-lines --id disputed-01 --id disputed-03"
    known = tmp_path / "known failures.txt"
    known.write_text("disputed-03-merge\n")
    for name in ("first", "second"):
        (tmp_path / name).mkdir()

    failed = run_action(tmp_path / "first", program=program, arguments=arguments)
    passed = run_action(tmp_path / "second", program=program, arguments=arguments, **{"known-failures": str(known)})

    assert (failed.returncode, failed.stderr) == (1, "")
    assert "FAIL disputed-03-merge" in failed.stdout
    assert (passed.returncode, passed.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the action needs bash")
def test_command_is_an_alternative_to_a_program(tmp_path: Path) -> None:
    done = run_action(tmp_path, command="true {robots} {agent} {url}", arguments="--id disputed-01")

    assert (done.returncode, done.stderr) == (0, "")
    assert "1 passed, 0 failed" in done.stdout
