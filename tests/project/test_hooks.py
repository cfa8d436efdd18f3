"""The pre-commit hooks and the GitHub actions are valid, and run as pre-commit and GitHub run them."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.servers.valid import respond
from tests.servers.web import Exchange, Site

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
ACTION = ROOT / "action.yml"
DIFF_ACTION = ROOT / "diff" / "action.yml"
AUDIT_ACTION = ROOT / "audit" / "action.yml"
HTML = "Content-Type: text/html"
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


class Issue:
    """The comments of a pull request, with the answers that GitHub documents for its API, on loopback."""

    def __init__(self, site: Site, comments: Iterable[dict[str, Any]] = (), status: int = 0) -> None:
        self.comments = list(comments)
        self.status = status
        self.tokens: set[str | None] = set()
        for page in range(1, 5):
            site.serve(f"/repos/fish/pond/issues/7/comments?per_page=100&page={page}", self.answer)
        site.serve("/repos/fish/pond/issues/7/comments", self.answer)
        for number in range(300):
            site.serve(f"/repos/fish/pond/issues/comments/{number}", self.answer)

    async def answer(self, exchange: Exchange) -> None:
        """List, write or replace comments."""
        request = exchange.request
        self.tokens.add(request.headers.get("authorization"))
        path, _, query = request.target.partition("?")
        if request.method == "GET":
            start = 100 * (int(query.rpartition("=")[2]) - 1)
            await respond(json.dumps(self.comments[start : start + 100]).encode())(exchange)
        elif self.status:
            message = {"message": "Resource not accessible by integration", "status": str(self.status)}
            await respond(json.dumps(message).encode(), status=self.status)(exchange)
        else:
            body = json.loads(await exchange.read_body())["body"]
            if request.method == "PATCH":
                changed = next(one for one in self.comments if one["id"] == int(path.rpartition("/")[2]))
                changed["body"] = body
            else:
                self.comments.append(comment(len(self.comments), body))
            await respond(json.dumps(self.comments[-1]).encode(), status=200 if request.method == "PATCH" else 201)(
                exchange
            )


def comment(number: int, body: str, kind: str = "Bot") -> dict[str, Any]:
    return {"id": number, "body": body, "user": {"login": "github-actions[bot]", "id": 1, "type": kind}}


def audited(folder: Path, site: Site, **inputs: str) -> subprocess.CompletedProcess[str]:
    event = folder / "event.json"
    if not event.exists():
        event.write_text(json.dumps({"action": "opened", "number": 7, "pull_request": {"number": 7}}), encoding="utf-8")
    (folder / "robots.txt").write_text(GOOD, encoding="utf-8")
    github = {
        "GITHUB_API_URL": site.origin,
        "GITHUB_REPOSITORY": "fish/pond",
        "GITHUB_EVENT_PATH": str(event),
        "COMMENT_TOKEN": "secret",
        "ORIGINS": site.origin,
        "SOURCE": "robots.txt",
        "ARGUMENTS": "--delay 0 --sample 0",
    }
    return run_step(AUDIT_ACTION, "Audit", folder, {**github, **inputs})


MARK = "<!-- canfetch audit -->\n"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the action runs bash")
@pytest.mark.parametrize(
    "earlier, number",
    [
        ([], 0),
        ([comment(0, "Nice"), comment(1, f"{MARK}old"), comment(2, f"{MARK}older")], 1),
        ([*(comment(number, "Nice") for number in range(249)), comment(249, f"{MARK}old")], 249),
        # Anybody can write a comment that starts like one of the action.
        ([comment(0, f"{MARK}old", "User")], 1),
    ],
    ids=["new", "replaced", "third page", "of a person"],
)
def test_audit_writes_one_comment(tmp_path: Path, earlier: list[dict[str, Any]], number: int) -> None:
    with Site() as site:
        site.serve("/robots.txt", respond(f"User-agent: GPTBot\nDisallow: /\n\n{GOOD}".encode()))
        issue = Issue(site, earlier)
        done = audited(tmp_path, site)
    assert done.returncode == 1, done.stdout + done.stderr
    body = issue.comments[number]["body"]
    assert (issue.tokens, len(issue.comments)) == ({"Bearer secret"}, max(len(earlier), number + 1))
    assert body.startswith(f"{MARK}### `{site.origin}`\n")
    assert "- `the served file disallows / for GPTBot because of the added lines`" in body
    assert (tmp_path / "runner" / "summary.md").read_text(encoding="utf-8") == body.removeprefix(MARK)
    assert "secret" not in done.stdout + done.stderr + body


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the action runs bash")
@pytest.mark.parametrize(
    "status, inputs, code, message",
    [
        (403, {}, 0, "::notice::canfetch: the comment is not permitted (status 403: Resource not accessible by "),
        (422, {}, 2, "::error::canfetch: cannot write the comment: status 422: Resource not accessible by integration"),
        (302, {}, 2, "::error::canfetch: cannot write the comment: status 302"),
        (403, {"COMMENT": "false"}, 0, ""),
        (403, {"ORIGINS": "$(touch pwned)", "ARGUMENTS": "; touch pwned"}, 2, ""),
    ],
    ids=["fork", "refused", "redirect", "no comment", "injection"],
)
def test_audit_without_a_comment(tmp_path: Path, status: int, inputs: dict[str, str], code: int, message: str) -> None:
    with Site() as site:
        for path, behaviour in {"/robots.txt": respond(GOOD.encode()), "/": respond(b"<p>Fish", HTML)}.items():
            site.serve(path, behaviour)
        issue = Issue(site, status=status)
        done = audited(tmp_path, site, **inputs)
    assert done.returncode == code, done.stdout + done.stderr
    assert (message in done.stdout, issue.comments) == (True, [])
    assert not (tmp_path / "pwned").exists()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="the action runs bash")
def test_audit_of_a_push_writes_no_comment(tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text('{"ref": "refs/heads/main"}', encoding="utf-8")
    with Site() as site:
        for path, behaviour in {"/robots.txt": respond(GOOD.encode()), "/": respond(b"<p>Fish", HTML)}.items():
            site.serve(path, behaviour)
        done = audited(tmp_path, site)
    assert (done.returncode, "does not run for a pull request" in done.stdout) == (0, True)
