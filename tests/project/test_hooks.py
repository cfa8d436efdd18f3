"""The pre-commit hooks and the GitHub action are valid, and run as pre-commit and GitHub run them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
ACTION = ROOT / "action.yml"
BIN = Path(sys.executable).parent
BAD = "User-agent: *\nDisallow /private/\n"
GOOD = "User-agent: *\nDisallow: /private/\n"


def loaded(file: Path) -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def command(name: str) -> str:
    found = shutil.which(name, path=str(BIN))
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def test_pre_commit_accepts_the_manifest() -> None:
    subprocess.run([command("pre-commit"), "validate-manifest", str(MANIFEST)], check=True)


def test_action_matches_the_github_schema() -> None:
    subprocess.run([command("check-jsonschema"), "--builtin-schema", "vendor.github-actions", str(ACTION)], check=True)


@pytest.mark.service
@pytest.mark.skipif(shutil.which("git") is None, reason="pre-commit needs git")
@pytest.mark.parametrize(
    "hook, text, passes",
    [
        ("canfetch-lint", GOOD, True),
        ("canfetch-lint", BAD, False),
        ("canfetch-lint-fix", "  " + GOOD, False),
        ("canfetch-fmt", GOOD, True),
        ("canfetch-fmt", "user-agent:*\ndisallow:/\n", False),
    ],
)
def test_hooks_run_under_pre_commit(tmp_path: Path, hook: str, text: str, *, passes: bool) -> None:
    # Run the installed command instead of letting pre-commit install the package.
    (stated,) = [one for one in loaded(MANIFEST) if one["id"] == hook]
    entry = f"{command('canfetch')} {stated['entry'].removeprefix('canfetch ')}"
    yaml = pytest.importorskip("yaml")
    local = {"repo": "local", "hooks": [{**stated, "entry": entry, "language": "system"}]}
    environment = {**os.environ, "HOME": str(tmp_path / "home"), "PRE_COMMIT_HOME": str(tmp_path / "cache")}

    def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(arguments, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    (tmp_path / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [local]}), encoding="utf-8")
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "robots.txt").write_text(text, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("Disallow /\n", encoding="utf-8")
    assert ran("git", "init", "--quiet").returncode == 0
    assert ran("git", "add", ".").returncode == 0
    done = ran(command("pre-commit"), "run", "--all-files", "--color=never")
    assert (done.returncode == 0) is passes, done.stdout + done.stderr
    assert "notes.txt" not in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="the action runs bash")
@pytest.mark.parametrize(
    "text, inputs, code",
    [
        (GOOD, {}, 0),
        (BAD, {}, 1),
        (BAD, {"SEVERITIES": "lighthouse", "FAIL_ON": "error"}, 1),
        (BAD, {"ARGUMENTS": "--ignore CF201"}, 0),
        (BAD, {"FAIL_ON": "error"}, 1),
        (BAD, {"SARIF": "robots.sarif"}, 1),
        (GOOD, {"FILES": "nowhere.txt $(touch pwned)"}, 2),
        (GOOD, {"SEVERITIES": "x; touch pwned"}, 2),
    ],
)
def test_action_lints(tmp_path: Path, text: str, inputs: dict[str, str], code: int) -> None:
    steps = loaded(ACTION)["runs"]["steps"]
    (step,) = [step for step in steps if step["name"] == "Lint"]
    defaults = {
        name: str(loaded(ACTION)["inputs"][key.removeprefix("${{ inputs.").removesuffix(" }}")]["default"])
        for name, key in step["env"].items()
    }
    (tmp_path / "robots.txt").write_text(text, encoding="utf-8")
    folder = tmp_path / "runner" / "canfetch" / "bin"
    folder.mkdir(parents=True)
    (folder / "canfetch").symlink_to(command("canfetch"))
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=tmp_path,
        env={**os.environ, **defaults, **inputs, "RUNNER_TEMP": str(tmp_path / "runner")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert not (tmp_path / "pwned").exists()
    assert ("::error file=robots.txt,line=" in done.stdout) is (code == 1)
    assert (tmp_path / "robots.sarif").exists() is ("SARIF" in inputs)
