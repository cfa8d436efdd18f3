"""Steps of the GitHub actions, run as GitHub runs them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BIN = Path(sys.executable).parent


def loaded(file: Path) -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def command(name: str) -> str:
    found = shutil.which(name, path=str(BIN))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def run_step(action: Path, name: str, folder: Path, inputs: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a step of an action in a folder, with the defaults of the other inputs."""
    content = loaded(action)
    (step,) = [step for step in content["runs"]["steps"] if step["name"] == name]
    defaults = {
        name: str(action.parent)
        if key == "${{ github.action_path }}"
        else str(content["inputs"][key.removeprefix("${{ inputs.").removesuffix(" }}")]["default"])
        for name, key in step["env"].items()
    }
    runner = folder / "runner"
    (runner / "canfetch" / "bin").mkdir(parents=True)
    (runner / "canfetch" / "bin" / "canfetch").symlink_to(command("canfetch"))
    (runner / "canfetch" / "bin" / "python").symlink_to(sys.executable)
    environment = {
        **os.environ,
        **defaults,
        "RUNNER_TEMP": str(runner),
        "GITHUB_STEP_SUMMARY": str(runner / "summary.md"),
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**environment, **inputs},
        capture_output=True,
        text=True,
        check=False,
    )
