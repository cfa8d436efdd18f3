"""Read questions from standard input, and write the answers to standard output: one line of JSON each."""

import base64
import json
import re
import sys
import time
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

Client = TypeVar("Client")


class Question(NamedTuple):
    """What an adapter asks its library. `text` and `url` are decoded as UTF-8; `robots` holds the bytes.

    Questions with the same `client` are for one client, which is `hours` old. A question without is for a new one.
    """

    robots: bytes
    agent: str
    url: str
    profile: str
    client: int | None = None
    hours: float = 0.0

    @property
    def text(self) -> str:
        """The file as a string, for libraries that take no bytes."""
        return self.robots.decode("utf-8", "replace")

    @property
    def path(self) -> str:
        """The URL without scheme, authority and fragment, for libraries that take no URLs."""
        # urlsplit would drop an empty query, and control characters.
        rest = re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*:)?//[^/?]*", "", self.url.partition("#")[0])
        return rest if rest.startswith("/") else f"/{rest}"


class KeptClient(Generic[Client]):
    """The client of the last question, which the next question may be for too."""

    def __init__(self, create: Callable[[Question], Client], close: Callable[[Client], object]) -> None:
        self._create, self._close = create, close
        self._number: int | None = None
        self._client: Client | None = None

    def for_question(self, question: Question) -> Client:
        """Return the client for a question."""
        if self._client is None or question.client is None or question.client != self._number:
            if self._client is not None:
                self._close(self._client)
            self._client = self._create(question)
            self._number = question.client
        return self._client


class Clock:
    """The time of day for a client that is some hours old."""

    def __init__(self) -> None:
        self.hours = 0.0
        self._real_time = time.time

    def __call__(self) -> float:
        """Return the time."""
        return self._real_time() + 3600 * self.hours

    def replace_time(self) -> None:
        """Let `time.time` return the time of this clock, for libraries that take no clock."""
        time.time = self


def answer_questions(decide: Callable[[Question], bool]) -> None:
    """Answer questions with `decide` until standard input ends."""
    for line in sys.stdin:
        fields = json.loads(line)
        one_agent = len(fields["agents"]) == 1
        answer = _answer(fields, decide) if one_agent else {"skip": "only one product token is supported"}
        print(json.dumps(answer), flush=True)


def _answer(fields: dict[str, Any], decide: Callable[[Question], bool]) -> dict[str, Any]:
    question = Question(
        base64.b64decode(fields["robots"]),
        fields["agents"][0],
        base64.b64decode(fields["url"]).decode(),
        fields["profile"],
        fields.get("client"),
        fields.get("hours", 0.0),
    )
    try:
        return {"allowed": bool(decide(question))}
    except Exception as error:  # noqa: BLE001 - whatever the library raises is its answer
        return {"exception": f"{type(error).__name__}: {error}"[:200]}
