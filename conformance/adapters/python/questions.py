"""Read questions from standard input, and write the answers to standard output: one line of JSON each."""

import base64
import json
import re
import sys
from collections.abc import Callable
from typing import Any, NamedTuple


class Question(NamedTuple):
    """What an adapter asks its library. `text` and `url` are decoded as UTF-8; `robots` holds the bytes."""

    robots: bytes
    agent: str
    url: str
    profile: str

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
    )
    try:
        return {"allowed": bool(decide(question))}
    except Exception as error:  # noqa: BLE001 - whatever the library raises is its answer
        return {"exception": f"{type(error).__name__}: {error}"[:200]}
