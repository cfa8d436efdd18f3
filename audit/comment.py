"""Write a file as a comment on the pull request of a workflow, in place of the comment of an earlier run.

usage: python comment.py FILE [NAME]

NAME tells the comments of several audits in one pull request apart. The environment is that of GitHub Actions:
GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_EVENT_PATH, and the token in COMMENT_TOKEN. It was tested with recorded
answers, and has not been run on the real service.

Source: GitHub REST API, "REST API endpoints for issue comments" and "Rate limits", version 2022-11-28.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request, build_opener

MAX_CHARACTERS: Final = 65_536
_MAX_PAGES: Final = 30
_PER_PAGE: Final = 100
_ATTEMPTS: Final = 3
_TIMEOUT: Final = 10
_MAX_ANSWER: Final = 16 * 1024 * 1024
_SERVER_ERROR: Final = 500
# The token of a pull request from a fork can read, and cannot write.
_NOT_PERMITTED: Final = (403, 404)
_TOO_MANY: Final = 429
_GONE: Final = 404
_TOO_LONG: Final = "The report is too long for a comment. The summary of the job has all of it."


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirect, which would send the token to another server."""

    def redirect_request(self, *_: Any) -> None:
        """Return no request."""


class _Refused(Exception):
    """Raised when the API does not do what was asked."""

    def __init__(self, status: int, message: str, *, is_limit: bool = False) -> None:
        super().__init__(f"status {status}: {message}" if status else message)
        self.status = status
        self.is_limit = is_limit


def main() -> int:
    """Write the comment, and return the exit code."""
    try:
        text = Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace")
        number = _pull_request()
    except (OSError, ValueError) as error:
        print(f"::error::canfetch: cannot write the comment: {_one_line(error)}")
        return 2
    if number is None:
        print("::notice::canfetch: the workflow does not run for a pull request, so no comment is written")
        return 0
    try:
        _write(f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/issues", number, text)
    except _Refused as error:
        if error.status in _NOT_PERMITTED and not error.is_limit:
            hint = "the job needs `permissions: pull-requests: write`, which a pull request from a fork cannot have"
            print(f"::notice::canfetch: the comment is not permitted ({error}): {hint}. The summary has the report")
            return 0
        print(f"::error::canfetch: cannot write the comment: {error}")
        return 2
    return 0


def _write(issues: str, number: int, text: str) -> None:
    # Nobody sees it. It is how the next run finds the comment.
    mark = f"<!-- canfetch audit {quote(sys.argv[2], safe='')} -->" if sys.argv[2:] else "<!-- canfetch audit -->"
    body = f"{mark}\n{text}"
    if len(body) > MAX_CHARACTERS:
        # A part of it could end inside of code or of a table.
        body = f"{mark}\n{_TOO_LONG}"
    login = _login()
    for comment in _comments(f"{issues}/{number}/comments"):
        if _is_own(comment, login) and str(comment.get("body")).startswith(mark):
            try:
                _ask("PATCH", f"{issues}/comments/{comment['id']}", {"body": body})
            except _Refused as error:
                if error.status != _GONE:
                    raise
                # It was deleted in between.
                break
            return
    _ask("POST", f"{issues}/{number}/comments", {"body": body})


def _pull_request() -> int | None:
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    pull_request = event.get("pull_request") if isinstance(event, dict) else None
    number = pull_request.get("number") if isinstance(pull_request, dict) else None
    return number if isinstance(number, int) else None


def _login() -> str | None:
    """Return the name of the owner of a personal token, or None: the token of a job has none, and writes as a bot."""
    try:
        user = _ask("GET", f"{os.environ['GITHUB_API_URL']}/user")
    except _Refused:
        return None
    return str(user["login"]) if isinstance(user, dict) and "login" in user else None


def _comments(url: str) -> Iterator[dict[str, Any]]:
    for page in range(1, _MAX_PAGES + 1):
        comments = _ask("GET", f"{url}?per_page={_PER_PAGE}&page={page}")
        if not isinstance(comments, list):
            raise _Refused(0, "the answer of the API is not a list of comments")
        yield from (one for one in comments if isinstance(one, dict))
        if len(comments) < _PER_PAGE:
            return


def _is_own(comment: dict[str, Any], login: str | None) -> bool:
    """Return whether an earlier run wrote a comment. Anybody else can write one that starts in the same way."""
    user = comment.get("user")
    if not isinstance(user, dict):
        return False
    return bool(user.get("type") == "Bot" if login is None else user.get("login") == login)


def _ask(method: str, url: str, body: dict[str, str] | None = None) -> Any:
    """Return the answer of the API.

    Raises: _Refused.
    """
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {os.environ['COMMENT_TOKEN']}",
        "Content-Type": "application/json",
        "User-Agent": "canfetch-audit-action",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    data = None if body is None else json.dumps(body).encode()
    request = Request(url, data, headers, method=method)  # noqa: S310 - the URL of the API
    opener = build_opener(_NoRedirects)
    error = _Refused(0, "no attempt")
    for attempt in range(_ATTEMPTS):
        try:
            with opener.open(request, timeout=_TIMEOUT) as response:
                return json.loads(response.read(_MAX_ANSWER))
        except HTTPError as answer:
            is_limit = answer.code == _TOO_MANY or answer.headers.get("x-ratelimit-remaining") == "0"
            error = _Refused(answer.code, _message(answer), is_limit=is_limit)
            # A POST that failed with 500 may have written the comment.
            if answer.code < _SERVER_ERROR or method == "POST":
                break
        except (OSError, HTTPException, ValueError) as failure:
            error = _Refused(0, _one_line(failure))
            if method == "POST":
                break
        time.sleep(attempt)
    raise error


def _message(answer: HTTPError) -> str:
    try:
        message = json.loads(answer.read(_MAX_ANSWER)).get("message")
    except (OSError, HTTPException, ValueError, AttributeError):
        message = None
    return _one_line(message or answer.reason)


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


if __name__ == "__main__":
    sys.exit(main())
