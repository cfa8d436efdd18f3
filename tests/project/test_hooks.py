"""The pre-commit hooks and the GitHub actions are valid, and run as pre-commit and GitHub run them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.project.action_steps import command, loaded, run_step

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
ACTION = ROOT / "action.yml"
DIFF_ACTION = ROOT / "diff" / "action.yml"
AUDIT_ACTION = ROOT / "audit" / "action.yml"
BAD = "User-agent: *\nDisallow /private/\n"
GOOD = "User-agent: *\nDisallow: /private/\n"


@pytest.mark.slow
def test_pre_commit_accepts_the_manifest() -> None:
    subprocess.run([command("pre-commit"), "validate-manifest", str(MANIFEST)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("action", [ACTION, DIFF_ACTION, AUDIT_ACTION], ids=["lint", "diff", "audit"])
def test_action_matches_the_github_schema(action: Path) -> None:
    subprocess.run([command("check-jsonschema"), "--builtin-schema", "vendor.github-actions", str(action)], check=True)


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


@pytest.mark.slow
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
    (tmp_path / "robots.txt").write_text(text, encoding="utf-8")
    done = run_step(ACTION, "Lint", tmp_path, inputs)
    assert done.returncode == code, done.stdout + done.stderr
    assert not (tmp_path / "pwned").exists()
    assert ("::error file=robots.txt,line=" in done.stdout) is (code == 1)
    assert (tmp_path / "robots.sarif").exists() is ("SARIF" in inputs)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None or shutil.which("git") is None, reason="the action runs bash and git")
@pytest.mark.parametrize(
    "inputs, code, report",
    [
        ({}, 1, "| `Googlebot` | loses | `/new/` | `/new/` |"),
        ({"FAIL_ON": "Googlebot loses /blog/\n\nany gains"}, 0, "| `Googlebot` | loses | `/new/` | `/new/` |"),
        (
            {"FAIL_ON": "any gains\nGooglebot loses /new/x"},
            1,
            "- :x: `Googlebot loses /new/x`: `Googlebot` loses `/new/x`",
        ),
        ({"SITEMAP": "map.txt", "FAIL_ON": "any gains"}, 0, "1 of 2 listed URLs"),
        ({"BASE": "HEAD~1"}, 1, "| `Googlebot` | loses | `/new/`<br>`/both/` |"),
        ({"AGENTS": "GPTBot; touch pwned", "FAIL_ON": "$(touch pwned)"}, 2, ""),
    ],
    ids=["change", "no condition holds", "condition", "sitemap", "new file", "injection"],
)
def test_action_compares_with_another_commit(tmp_path: Path, inputs: dict[str, str], code: int, report: str) -> None:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false")

    def git(*arguments: str) -> None:
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", "Nothing")
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /both/\n", encoding="utf-8")
    git("add", "robots.txt")
    git("commit", "--quiet", "--message", "A robots.txt")
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /both/\nDisallow: /new/\n", encoding="utf-8")
    (tmp_path / "map.txt").write_text("https://example.com/new/x\nhttps://example.com/\n", encoding="utf-8")
    done = run_step(DIFF_ACTION, "Compare", tmp_path, {"BASE": "HEAD", "AGENTS": "Googlebot", **inputs})
    assert done.returncode == code, done.stdout + done.stderr
    assert not (tmp_path / "pwned").exists()
    summary = (tmp_path / "runner" / "summary.md").read_text(encoding="utf-8")
    assert report in summary
