"""The workflow that asks all implementations again."""

import subprocess
from pathlib import Path

import pytest
from tests.project.action_steps import loaded

WORKFLOW = Path(__file__).resolve().parents[2] / ".github" / "workflows" / "scoreboard.yml"
# https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell
SHELLS = {None: ["bash", "-e"], "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"]}


@pytest.mark.skipif(not Path("/bin/sh").exists(), reason="the step runs on Linux")
@pytest.mark.parametrize("code, expected", [(0, 0), (1, 0), (2, 1)])
def test_a_comparison_that_fails_is_an_error_and_changes_are_not(tmp_path: Path, code: int, expected: int) -> None:
    steps = loaded(WORKFLOW)["jobs"]["scoreboard"]["steps"]
    (step,) = [step for step in steps if step.get("name") == "show what changed"]
    for name, body in ((".venv/bin/python", f"echo changed\nexit {code}"), ("bin/git", "echo saved")):
        program = tmp_path / name
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        program.chmod(0o755)
    done = subprocess.run(
        [*SHELLS[step.get("shell")], "-c", step["run"]],
        cwd=tmp_path,
        env={"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"},
        check=False,
    )
    assert done.returncode == expected
    assert (tmp_path / "changes.txt").read_text(encoding="utf-8") == "changed\n"
    assert (tmp_path / "before.json").read_text(encoding="utf-8") == "saved\n"
