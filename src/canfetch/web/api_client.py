"""A client of the HTTP API, on the standard library alone."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final, Self
from urllib.parse import quote, urlencode, urlsplit

from canfetch.core.lists import check_list
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError, InvalidOption

_TIMEOUT: Final = 60.0
_JSON: Final = "application/json"
_NDJSON: Final = "application/x-ndjson"
_OK: Final = 200
# The questions of a stream that are sent at a time.
_BLOCK: Final = 1000


class APIError(CanfetchError, OSError):
    """Raised when the server answers with a problem, or not at all.

    Attributes:
        status: The status of the response, or None without one.
        code: The kind of the problem, such as `rate-limited`, or None.
        problem: The problem details (RFC 9457), empty without a response.
    """

    def __init__(self, message: str, *, status: int | None = None, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.problem = dict(problem or {})

    @property
    def code(self) -> str | None:
        """The kind of the problem, such as `rate-limited`."""
        kind = self.problem.get("type")
        return kind.rpartition(":")[2] if isinstance(kind, str) else None


class APIClient:
    """Sends requests to `canfetch serve`. Results are the JSON of the API. Not safe for several threads at a time.

        with APIClient("http://127.0.0.1:8420") as api:
            api.decide("/private", agent="GPTBot", content=robots_txt)["allowed"]

    Args:
        address: The address of the server, such as `http://127.0.0.1:8420`.
        token: The token, if the server requires one.
        timeout: Seconds to wait for a connection, and for each part of a response.
    Raises: InvalidOption: `address` is not an http or https URL.
    """

    def __init__(self, address: str, *, token: str | None = None, timeout: float = _TIMEOUT) -> None:
        split = urlsplit(address)
        if split.scheme not in {"http", "https"} or split.hostname is None:
            raise InvalidOption(f"invalid address {quoted(address)}: expected a URL such as http://127.0.0.1:8420")
        connect = HTTPSConnection if split.scheme == "https" else HTTPConnection
        self._connection = connect(split.hostname, split.port, timeout=timeout)
        self._prefix = f"{split.path.rstrip('/')}/v1/"
        self._headers = {"Accept": _JSON} | ({} if token is None else {"Authorization": f"Bearer {token}"})

    def decide(self, url: str, *, agent: str, content: str | None = None, **options: Any) -> dict[str, Any]:
        """Return the verdict on a URL.

        Args:
            url: An absolute URL, or with `content` a path.
            agent: A product token.
            content: The robots.txt. None lets the server fetch that of the URL's origin.
            options: Further keys of the request, such as `profile`.
        Raises: APIError.
        """
        return self.post("decide", url=url, agent=agent, content=content, **options)

    def decide_many(
        self, urls: Sequence[str], *, agents: Sequence[str], content: str | None = None, **options: Any
    ) -> list[dict[str, Any]]:
        """Return the verdict on each URL for each agent. An object with `error` is a URL that is not valid.

        Verdicts share the objects of their groups and rules.

        Raises: APIError; TypeError: `urls` or `agents` is a single string.
        """
        for name, value in (("urls", urls), ("agents", agents)):
            check_list(name, value)
        answer = self.post("decide/batch", urls=list(urls), agents=list(agents), content=content, **options)
        groups, rules = answer["groups"], answer["rules"]
        rule_lists = [[rules[index] for index in indexes] for indexes in answer["rule_lists"]]
        return [
            verdict
            if "error" in verdict
            else {
                **verdict,
                "rule": None if verdict["rule"] is None else rules[verdict["rule"]],
                "also_matched": rule_lists[verdict["also_matched"]],
                "group": groups[verdict["group"]],
            }
            for verdict in answer["verdicts"]
        ]

    def decide_stream(self, questions: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield a verdict for each question, an object with `url` and `agent`.

        An object with `content` and without `url` sets the robots.txt for the questions after it, and has no verdict.
        If that robots.txt is rejected, an object with only `error` is yielded, and the questions after it have errors,
        too. The questions are sent in blocks, so that their number is not limited.

        Raises: APIError.
        """
        file: dict[str, Any] | None = None
        first_file: dict[str, Any] | None = None
        block: list[dict[str, Any]] = []
        for question in map(dict, questions):
            if len(block) >= _BLOCK:
                yield from self._send_block(first_file, block)
                first_file, block = file, []
            if question.get("url") is None:
                file = question
            block.append(question)
        if block:
            yield from self._send_block(first_file, block)

    def _send_block(self, file: dict[str, Any] | None, block: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Send a block after the file of the block before, and return the answers to the block."""
        # A block that begins with its own file needs no other.
        is_sent_again = file is not None and block[0].get("url") is not None
        lines = [file, *block] if is_sent_again else block
        body = "".join(f"{json.dumps(line)}\n" for line in lines)
        answer = self._send("POST", "decide/stream", body.encode(), _NDJSON)
        answers = [json.loads(line) for line in answer.splitlines()]
        problem = answers[-1].get("problem") if answers else None
        if problem is not None:
            # The stream ends before its last question.
            raise APIError(
                f"status {problem['status']}: {problem['detail']}", status=problem["status"], problem=problem
            )
        # The answer to a rejected file has no `allowed`, and was returned with the block before.
        is_rejected_again = is_sent_again and "allowed" not in answers[0]
        return answers[1:] if is_rejected_again else answers

    def lint(self, content: str, **options: Any) -> dict[str, Any]:
        """Return the findings in a robots.txt. Options are, for example, `language` and `robots_url`.

        Raises: APIError.
        """
        return self.post("lint", content=content, **options)

    def fetch(self, url: str, *, refresh: bool = False) -> dict[str, Any]:
        """Return the robots.txt of an origin, how it was obtained, and what that permits.

        Raises: APIError.
        """
        return self.post("fetch", url=url, refresh=refresh)

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        """Send a request to an endpoint, such as `explain`, and return its answer. Keys that are None are left out.

        Raises: APIError.
        """
        given = {key: value for key, value in body.items() if value is not None}
        answer: dict[str, Any] = json.loads(self._send("POST", path, json.dumps(given).encode(), _JSON))
        return answer

    def get(self, path: str, **query: str | Sequence[str]) -> dict[str, Any]:
        """Return the answer of an endpoint without a body, such as `agents`.

        Raises: APIError.
        """
        target = quote(path, safe="/%") + (f"?{urlencode(query, doseq=True)}" if query else "")
        answer: dict[str, Any] = json.loads(self._send("GET", target, None, _JSON))
        return answer

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, method: str, path: str, body: bytes | None, media_type: str) -> bytes:
        headers = self._headers | ({} if body is None else {"Content-Type": media_type})
        is_reused = self._connection.sock is not None
        try:
            response = self._exchange(method, self._prefix + path, body, headers)
            content = response.read()
        except (HTTPException, OSError) as error:
            self._connection.close()
            if is_reused and isinstance(error, ConnectionError):
                # The server closed the connection while it was idle. No request of the API changes anything.
                return self._send(method, path, body, media_type)
            raise APIError(f"no answer from the server: {str(error) or type(error).__name__}") from error
        if response.status != _OK:
            raise _api_error(response.status, content)
        return content

    def _exchange(self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]) -> HTTPResponse:
        try:
            self._connection.request(method, target, body, headers)
        except ConnectionError as error:
            if self._connection.sock is None:
                raise
            # The server may have refused the body before all of it was sent, and closed the connection.
            try:
                return self._connection.getresponse()
            except (HTTPException, OSError):
                raise error from None
        return self._connection.getresponse()


def _api_error(status: int, content: bytes) -> APIError:
    try:
        problem = json.loads(content)
    except ValueError:
        problem = {}
    detail = problem.get("detail") if isinstance(problem, dict) else None
    return APIError(f"status {status}: {detail or 'no details'}", status=status, problem=problem if detail else None)
