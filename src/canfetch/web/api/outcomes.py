"""Answers as JSON, bounded before they are built, and the other results of a request. This code runs in processes."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_json
from starlette.exceptions import HTTPException

from canfetch.errors import CanfetchError
from canfetch.web.api.errors import invalid_request, status_problem
from canfetch.web.api.facts import Facts, MissingFact, Need
from canfetch.web.server.problems import Problem
from canfetch.web.settings import MAX_ANSWER_BYTES

Answer = Callable[[bytes, Facts], Mapping[str, Any]]


class AnswerTooLarge(CanfetchError, RuntimeError):
    """Raised instead of building an answer that is larger than the limit.

    Args: max_bytes: The limit.
    """

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"the answer is larger than {max_bytes >> 20} MiB: ask about fewer URLs or agents at a time")
        self.max_bytes = max_bytes

    def __reduce__(self) -> tuple[object, ...]:
        """Support pickle, for the way out of a process."""
        return type(self), (self.max_bytes,)


def outcome_of(answer: Answer, body: bytes, facts: Facts) -> bytes | Problem | Need:
    """Return the JSON of an answer, the problem of an invalid request, or what has to be fetched first.

    Raises: CanfetchError.
    """
    try:
        return encode_answer(answer(body, facts))
    except MissingFact as missing:
        return missing.need
    except ValidationError as error:
        return invalid_request(error)
    except HTTPException as error:
        return status_problem(error.status_code, error.detail)


def encode_answer(answer: Mapping[str, Any], *, max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
    """Write an answer as JSON. A member can be an iterator, so that only the bytes of its items are kept.

    Raises: AnswerTooLarge: No more than the limit and one item of a list were built.
    """
    out = bytearray()
    for part in _encode_members(answer):
        out += part
        if len(out) > max_bytes:
            raise AnswerTooLarge(max_bytes)
    return bytes(out)


def _encode_members(answer: Mapping[str, Any]) -> Iterator[bytes]:
    before = b"{"
    for name, value in answer.items():
        yield before + to_json(name) + b":"
        if isinstance(value, list | Iterator):
            yield from _encode_items(value)
        else:
            yield to_json(value)
        before = b","
    yield b"{}" if before == b"{" else b"}"


def _encode_items(items: Iterable[Any]) -> Iterator[bytes]:
    before = b"["
    for item in items:
        yield before + to_json(item)
        before = b","
    yield b"[]" if before == b"[" else b"]"
