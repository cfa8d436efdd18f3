"""The GitHub action that audits a site and comments on a pull request, with the answers that GitHub documents."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.project.action_steps import run_step
from tests.servers.valid import respond
from tests.servers.web import Behaviour, Exchange, Site

AUDIT_ACTION = Path(__file__).resolve().parents[2] / "audit" / "action.yml"
GOOD = "User-agent: *\nDisallow: /private/\n"
HTML = "Content-Type: text/html"


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as running:
        yield running


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
    assert "- `the served file disallows / (in part) for GPTBot because of the added lines`" in body
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


def commented(folder: Path, site: Site, *arguments: str, report: bytes = b"report") -> tuple[int, str]:
    """Run the script that writes the comment."""
    (folder / "report.md").write_bytes(report)
    event = folder / "event.json"
    if not event.exists():
        event.write_text(json.dumps({"pull_request": {"number": 7}}), encoding="utf-8")
    environment = {
        **os.environ,
        "GITHUB_API_URL": site.origin,
        "GITHUB_REPOSITORY": "fish/pond",
        "GITHUB_EVENT_PATH": str(event),
        "COMMENT_TOKEN": "secret",
    }
    script = [sys.executable, str(AUDIT_ACTION.parent / "comment.py"), "report.md", *arguments]
    done = subprocess.run(script, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_each_audit_has_a_comment_of_its_own(tmp_path: Path, site: Site) -> None:
    issue = Issue(site)
    for name, report in (("production", b"1"), ("staging --> x", b"2"), ("production", b"3")):
        assert commented(tmp_path, site, name, report=report) == (0, "")
    assert [one["body"] for one in issue.comments] == [
        "<!-- canfetch audit production -->\n3",
        "<!-- canfetch audit staging%20--%3E%20x -->\n2",
    ]


def test_the_owner_of_a_personal_token_replaces_their_own_comment(tmp_path: Path, site: Site) -> None:
    issue = Issue(site, [comment(0, f"{MARK}of a bot"), comment(1, f"{MARK}old", "User")])
    issue.comments[1]["user"]["login"] = "me"
    site.serve("/user", respond(b'{"login": "me", "type": "User"}'))
    assert commented(tmp_path, site) == (0, "")
    assert [one["body"] for one in issue.comments] == [f"{MARK}of a bot", f"{MARK}report"]


def test_comments_without_an_author_are_not_replaced(tmp_path: Path, site: Site) -> None:
    issue = Issue(site, [{"id": 0, "body": f"{MARK}old", "user": None}])
    assert commented(tmp_path, site) == (0, "")
    assert len(issue.comments) == 2


def test_a_comment_that_was_deleted_meanwhile_is_written_again(tmp_path: Path, site: Site) -> None:
    issue = Issue(site, [comment(0, f"{MARK}old")])
    site.serve("/repos/fish/pond/issues/comments/0", respond(b'{"message": "Not Found"}', status=404))
    assert commented(tmp_path, site) == (0, "")
    assert issue.comments[-1]["body"] == f"{MARK}report"


def test_a_report_that_is_too_long_is_named(tmp_path: Path, site: Site) -> None:
    issue = Issue(site)
    assert commented(tmp_path, site, report=b"<details>`" * 7_000) == (0, "")
    assert issue.comments[0]["body"].endswith("is too long for a comment. The summary of the job has all of it.")


@pytest.mark.parametrize(
    "behaviour, message",
    [
        (respond(b'{"message": "API rate limit exceeded"}', "x-ratelimit-remaining: 0", status=403), "rate limit"),
        (respond(b'{"message": "slow down"}', status=429), "status 429: slow down"),
        (respond(b'{"message": "no list"}'), "not a list of comments"),
        (respond(b"<html>"), "Expecting value"),
    ],
    ids=["rate limit", "too many", "no list", "no JSON"],
)
def test_an_api_that_fails_is_one_error(tmp_path: Path, site: Site, behaviour: Behaviour, message: str) -> None:
    site.serve("/repos/fish/pond/issues/7/comments?per_page=100&page=1", behaviour)
    code, output = commented(tmp_path, site)
    assert (code, output.count("\n"), output.startswith("::error::canfetch: cannot write the comment: ")) == (
        2,
        1,
        True,
    )
    assert message in output


@pytest.mark.parametrize("event", ["{}", "[]", '{"pull_request": null}', '{"pull_request": {"number": "7"}}'])
def test_other_events_write_no_comment(tmp_path: Path, site: Site, event: str) -> None:
    (tmp_path / "event.json").write_text(event, encoding="utf-8")
    code, output = commented(tmp_path, site)
    assert (code, output.startswith("::notice::"), site.requests) == (0, True, [])


def test_an_event_that_cannot_be_read_is_one_error(tmp_path: Path, site: Site) -> None:
    (tmp_path / "event.json").write_text("{", encoding="utf-8")
    code, output = commented(tmp_path, site)
    assert (code, output.count("\n"), output.startswith("::error::canfetch: ")) == (2, 1, True)
