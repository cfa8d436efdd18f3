"""A stream of questions and verdicts, one JSON object a line."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from canfetch.agents.requested import requested_agent
from canfetch.answers.verdicts import Decider, error_json, verdict_json, with_agent_note
from canfetch.core.document import parse
from canfetch.core.text import content_bytes, printable_text
from canfetch.errors import CanfetchError
from canfetch.web.api.errors import invalid_request, problem_of
from canfetch.web.api.facts import Facts, MissingFact, StateNeeded
from canfetch.web.api.outcomes import AnswerTooLarge, encode_answer
from canfetch.web.api.requests import StreamLine
from canfetch.web.api.services import INLINE_BYTES, json_cost, services_of
from canfetch.web.server.clients import current_client
from canfetch.web.server.guard import HOLD_BYTES

NDJSON: Final = "application/x-ndjson"
MAX_LINE_BYTES: Final = 4 * 1024 * 1024
_TOO_LONG: Final = f"the line is longer than {MAX_LINE_BYTES >> 20} MiB"
_NO_FILE: Final = "the last line with a file is not valid, so there is no file for this question"
# The verdicts that are written at a time, and one more.
_BLOCK_BYTES: Final = 64 * 1024
# What is split into lines at a time, and the lines that are answered at a time.
_PART_BYTES: Final = 8 * 1024
_BLOCK_LINES: Final = 2000
_LINE_COST: Final = 128


class NoFileError(CanfetchError):
    """Raised for a question after a file that is not valid."""


class _DuplexResponse(StreamingResponse):
    """A stream that is written while the request is read. Its base class reads the request to find a disconnect."""

    def __init__(self, request: Request) -> None:
        super().__init__(_answers_and_end(request), media_type=NDJSON)
        self._streams = services_of(request).streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        client = current_client.get()
        if not self._streams.take(client):
            raise HTTPException(503, "too many streams at a time: try again later", {"Retry-After": "5"})
        try:
            await self.stream_response(send)
        finally:
            self._streams.give_back(client)


async def answer_stream(request: Request) -> Response:
    """Answer a stream.

    Raises: HTTPException: The body is not declared as NDJSON.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in {NDJSON, "application/ndjson", "application/jsonl"}:
        raise HTTPException(415, f"expected the header 'Content-Type: {NDJSON}'")
    return _DuplexResponse(request)


async def _answers_and_end(request: Request) -> AsyncIterator[bytes]:
    """Yield the answers, and after an error a last line with its problem: the status has been sent."""
    try:
        async for answer in _answers(request):
            yield answer
    except ClientDisconnect:
        return
    except Exception as error:  # noqa: BLE001 - it is logged if it is unexpected
        yield problem_of(request, error).last_line()


async def _answers(request: Request) -> AsyncIterator[bytes]:
    services = services_of(request)
    hold = request.scope[HOLD_BYTES]
    file = StreamFile(None, is_rejected=False)
    async for block, rest_bytes in _line_blocks(request):
        facts = services.facts()
        start = 0
        hold(rest_bytes + len(file.content or b""))
        while start < len(block):
            size = sum(map(_cost_of, block[start:])) + len(file.content or b"") + facts.size
            if size <= INLINE_BYTES:
                part = answer_lines(file, block[start:], facts)
            else:
                part = await services.queue.run(answer_lines, file, block[start:], facts, size=size)
            start += part.lines
            if part.file is not None:
                file = part.file
            hold(rest_bytes + len(file.content or b"") + len(part.answers))
            if part.answers:
                yield part.answers
            if part.need is not None:
                # One origin at a time, so that a stream with many does not keep all of their files.
                facts.states.clear()
                try:
                    await services.learn_state(part.need, facts, deadline=services.deadline())
                except CanfetchError as error:
                    # Only its message is needed, and it can be sent to a process.
                    facts.states[part.need.key] = CanfetchError(str(error))


async def _line_blocks(request: Request) -> AsyncIterator[tuple[list["bytes | _LongLine"], int]]:
    """Yield lines that have arrived, without empty ones, and the bytes that are kept of the line after them.

    Other requests continue after each part of a body. The memory for a line that is too long is limited.
    """
    rest = bytearray()
    long_line: _LongLine | None = None
    async for chunk in request.stream():
        for start in range(0, len(chunk), _PART_BYTES):
            await asyncio.sleep(0)
            first, *lines = chunk[start : start + _PART_BYTES].split(b"\n")
            if long_line is None:
                rest += first
            if lines:
                # A part can have 8,192 empty lines.
                ended = [rest if long_line is None else long_line, *filter(None, lines[:-1])]
                block = [
                    line if isinstance(line, _LongLine) else _limited(bytes(line))
                    for line in ended
                    if isinstance(line, _LongLine) or (line and not line.isspace())
                ]
                rest, long_line = bytearray(lines[-1]), None
                for begin in range(0, len(block), _BLOCK_LINES):
                    yield block[begin : begin + _BLOCK_LINES], len(rest)
            if long_line is None and len(rest) > MAX_LINE_BYTES:
                long_line, rest = _LongLine(_sets_file(rest)), bytearray()
        # A line may never end.
        yield [], len(rest)
    if long_line is not None:
        yield [long_line], 0
    elif rest.strip():
        yield [bytes(rest)], 0


def _limited(line: bytes) -> "bytes | _LongLine":
    return line if len(line) <= MAX_LINE_BYTES else _LongLine(_sets_file(line))


def _cost_of(line: "bytes | _LongLine") -> int:
    """Return the cost of a line in bytes: short ones cost more than their bytes."""
    return _LINE_COST + (json_cost(line) if isinstance(line, bytes) else 0)


class _LongLine(NamedTuple):
    """A line that is too long, and whether it should set the file."""

    sets_file: bool


class StreamFile(NamedTuple):
    """The file of the last line that set one, or None for the live files.

    After a line whose file is rejected, questions have errors, because neither the previous file nor the live one
    applies.
    """

    content: bytes | None
    is_rejected: bool


class AnsweredLines(NamedTuple):
    """The answers to the first lines of a block.

    Attributes:
        lines: How many lines were read.
        answers: Their answers, one JSON object a line.
        file: The file after these lines, or None if it did not change.
        need: What has to be fetched for the next line, or None.
    """

    lines: int
    answers: bytes
    file: StreamFile | None
    need: StateNeeded | None


def answer_lines(file: StreamFile, lines: Sequence["bytes | _LongLine"], facts: Facts) -> AnsweredLines:
    """Answer lines until one needs a fact, or the answers are large. This code runs in processes."""
    stream = _VerdictStream(file, facts)
    out = bytearray()
    need = None
    count = 0
    for line in lines:
        try:
            answer = stream.answer(line)
        except MissingFact as missing:
            # A decision needs nothing else.
            assert isinstance(missing.need, StateNeeded)  # noqa: PT017 - not a test
            need = missing.need
            break
        count += 1
        if answer is not None:
            out += answer + b"\n"
            if len(out) >= _BLOCK_BYTES:
                break
    return AnsweredLines(count, bytes(out), None if stream.file is file else stream.file, need)


# A process answers several parts of a stream about the same file.
_parse_again: Final = lru_cache(maxsize=4)(parse)


class _VerdictStream:
    """Answers lines.

    Attributes: file: The current file.
    """

    def __init__(self, file: StreamFile, facts: Facts) -> None:
        self.file = file
        self._facts = facts

    def answer(self, line: "bytes | _LongLine") -> bytes | None:
        """Return the verdict of a line or an object with `error`, as JSON, or None for a line that sets the file.

        Raises: MissingFact.
        """
        try:
            answer = self._answer(line)
            return None if answer is None else encode_answer(answer)
        except AnswerTooLarge as error:
            return to_json({"allowed": None, "error": str(error)})

    def _answer(self, line: "bytes | _LongLine") -> Mapping[str, Any] | None:
        if isinstance(line, _LongLine):
            return self._reject(_TOO_LONG, sets_file=line.sets_file)
        if not line.strip():
            return None
        try:
            asked = StreamLine.model_validate_json(line)
        except ValidationError as error:
            return self._reject(invalid_request(error).detail, sets_file=_sets_file(line))
        if asked.url is None:
            if asked.content is None:
                return self._reject("expected url and agent, or content", sets_file=_sets_file(line))
            return self._set_file(asked)
        if asked.agent is None:
            return {"url": printable_text(asked.url), "allowed": None, "error": "agent is missing"}
        try:
            return self._decide(asked, asked.url, asked.agent)
        except CanfetchError as error:
            return error_json(asked.url, asked.agent, str(error))

    def _reject(self, why: str, *, sets_file: bool) -> dict[str, Any]:
        """Return the answer to a line that is not valid. The answer to a file has no `allowed`."""
        if sets_file:
            self.file = self.file._replace(is_rejected=True)
            return {"error": why}
        return {"allowed": None, "error": why}

    def _set_file(self, asked: StreamLine) -> dict[str, Any] | None:
        try:
            self.file = StreamFile(content_bytes(asked.content or "", asked.content_encoding), is_rejected=False)
        except CanfetchError as error:
            return self._reject(str(error), sets_file=True)
        return None

    def _decide(self, asked: StreamLine, url: str, agent_name: str) -> dict[str, Any]:
        agent = requested_agent(agent_name, exact=asked.exact)
        verdict = self._decider(asked, url).decide(url, agent=agent.agent)
        return with_agent_note(verdict_json(url, agent, verdict), agent, verdict)

    def _decider(self, asked: StreamLine, url: str) -> Decider:
        profile = self._facts.profile(asked)
        if asked.content is not None:
            return parse(content_bytes(asked.content, asked.content_encoding), profile=profile)
        if self.file.is_rejected:
            raise NoFileError(_NO_FILE)
        if self.file.content is None:
            return self._facts.decider(url, asked)
        return _parse_again(self.file.content, profile=profile)


def _sets_file(line: bytes | bytearray) -> bool:
    """Return whether an invalid line should set the file."""
    return b'"content"' in line and b'"url"' not in line
