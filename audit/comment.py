"""Write a file as a comment on the pull request of a workflow, in place of the comment of an earlier run.

usage: python comment.py FILE

The environment is that of GitHub Actions: GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_EVENT_PATH, and the token in
COMMENT_TOKEN. It was tested with recorded answers, and has not been run on the real service.

Source: GitHub REST API, "REST API endpoints for issue comments", version 2022-11-28.
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
from urllib.request import HTTPRedirectHandler, Request, build_opener

# Nobody sees it. It is how the next run finds the comment.
MARK: Final = "<!-- canfetch audit -->"
MAX_CHARACTERS: Final = 65_536
_MAX_PAGES: Final = 30
_PER_PAGE: Final = 100
_ATTEMPTS: Final = 3
_TIMEOUT: Final = 30
_MAX_ANSWER: Final = 16 * 1024 * 1024
_SERVER_ERROR: Final = 500
# The token of a pull request from a fork can read, and cannot write.
_NOT_PERMITTED: Final = (403, 404)


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirect, which would send the token to another server."""

    def redirect_request(self, *_: Any) -> None:
        """Return no request."""


class _Refused(Exception):
    """Raised when the API does not do what was asked."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"status {status}: {message}" if status else message)
        self.status = status


def main() -> int:
    """Write the comment, and return the exit code."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    number = _pull_request()
    if number is None:
        print("::notice::canfetch: the workflow does not run for a pull request, so no comment is written")
        return 0
    issues = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    body = {"body": f"{MARK}\n{text}"[:MAX_CHARACTERS]}
    try:
        earlier = next((one["id"] for one in _comments(f"{issues}/{number}/comments") if _is_own(one)), None)
        if earlier is None:
            _ask("POST", f"{issues}/{number}/comments", body)
        else:
            _ask("PATCH", f"{issues}/comments/{earlier}", body)
    except _Refused as error:
        if error.status in _NOT_PERMITTED:
            hint = "the job needs `permissions: pull-requests: write`, which a pull request from a fork cannot have"
            print(f"::notice::canfetch: the comment is not permitted ({error}): {hint}. The summary has the report")
            return 0
        print(f"::error::canfetch: cannot write the comment: {error}")
        return 2
    return 0


def _pull_request() -> int | None:
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = event.get("pull_request", {}).get("number")
    return number if isinstance(number, int) else None


def _comments(url: str) -> Iterator[dict[str, Any]]:
    for page in range(1, _MAX_PAGES + 1):
        comments = _ask("GET", f"{url}?per_page={_PER_PAGE}&page={page}")
        yield from comments
        if len(comments) < _PER_PAGE:
            return


def _is_own(comment: dict[str, Any]) -> bool:
    """Return whether an earlier run wrote the comment. Anybody else can write one that starts in the same way."""
    is_bot: bool = comment["user"]["type"] == "Bot"
    return is_bot and comment["body"].startswith(MARK)


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
            error = _Refused(answer.code, _message(answer))
            # A POST that failed with 500 may have written the comment.
            if answer.code < _SERVER_ERROR or method == "POST":
                break
        except (OSError, HTTPException, ValueError) as failure:
            error = _Refused(0, str(failure))
            if method == "POST":
                break
        time.sleep(attempt)
    raise error


def _message(answer: HTTPError) -> str:
    try:
        message = json.loads(answer.read(_MAX_ANSWER)).get("message")
    except (OSError, HTTPException, ValueError, AttributeError):
        message = None
    return " ".join(str(message or answer.reason).split())


if __name__ == "__main__":
    sys.exit(main())
