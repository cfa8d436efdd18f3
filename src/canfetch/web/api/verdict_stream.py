"""A stream of questions and verdicts, one JSON object a line."""

from collections.abc import AsyncIterator
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from canfetch.agents.requested import requested_agent
from canfetch.answers.verdicts import error_json, verdict_json, with_agent_note
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.text import printable_text
from canfetch.errors import CanfetchError
from canfetch.web.api.errors import invalid_request
from canfetch.web.api.requests import StreamLine, decode_content
from canfetch.web.api.services import INLINE_BYTES, AnswerTooLarge, Services, encode_answer, in_thread, services_of

NDJSON: Final = "application/x-ndjson"
MAX_LINE_BYTES: Final = 4 * 1024 * 1024
_TOO_LONG: Final = f"the line is longer than {MAX_LINE_BYTES >> 20} MiB"
_NO_FILE: Final = "the last line with a file is not valid, so there is no file for this question"
# The verdicts that are written at a time.
_BLOCK_BYTES: Final = 64 * 1024


class NoFileError(CanfetchError):
    """Raised for a question after a file that is not valid."""


class _DuplexResponse(StreamingResponse):
    """A stream that is written while the request is read. Its base class reads the request to find a disconnect."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        await self.stream_response(send)


async def answer_stream(request: Request) -> Response:
    """Answer a stream.

    Raises: HTTPException: The body is not declared as NDJSON.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in {NDJSON, "application/ndjson", "application/jsonl"}:
        raise HTTPException(415, f"expected the header 'Content-Type: {NDJSON}'")
    return _DuplexResponse(_until_disconnect(_answers(request)), media_type=NDJSON)


async def _until_disconnect(answers: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    try:
        async for answer in answers:
            yield answer
    except ClientDisconnect:
        return


async def _answers(request: Request) -> AsyncIterator[bytes]:
    stream = _VerdictStream(request, services_of(request))
    async for block in _line_blocks(request):
        out = bytearray()
        for line in block:
            answer = await stream.answer(line)
            if answer is not None:
                out += answer + b"\n"
                if len(out) >= _BLOCK_BYTES:
                    yield bytes(out)
                    out.clear()
        if out:
            yield bytes(out)


async def _line_blocks(request: Request) -> AsyncIterator[list["bytes | _LongLine"]]:
    """Yield the lines that have arrived. The memory for a line that is too long is limited."""
    rest = b""
    long_line: _LongLine | None = None
    async for chunk in request.stream():
        *lines, rest = (rest + chunk).split(b"\n")
        block = [line if len(line) <= MAX_LINE_BYTES else _LongLine(_sets_file(line)) for line in lines]
        if long_line is not None and block:
            block[0] = long_line
            long_line = None
        if long_line is None and len(rest) > MAX_LINE_BYTES:
            long_line = _LongLine(_sets_file(rest))
        if long_line is not None:
            rest = b""
        if block:
            yield block
    if long_line is not None:
        yield [long_line]
    elif rest.strip():
        yield [rest]


class _LongLine(NamedTuple):
    """A line that is too long, and whether it should set the file."""

    sets_file: bool


class _VerdictStream:
    """Answers lines. It remembers the file of the last line that set one.

    After a line whose file is rejected, questions have errors, because neither the previous file nor the live one
    applies.
    """

    def __init__(self, request: Request, services: Services) -> None:
        self._request = request
        self._services = services
        self._content: bytes | None = None
        self._is_rejected = False
        self._robots: dict[str, RobotsTxt] = {}

    async def answer(self, line: "bytes | _LongLine") -> bytes | None:
        """Return the verdict of a line or an object with `error`, as JSON, or None for a line that sets the file."""
        try:
            answer = await self._answer(line)
        except AnswerTooLarge as error:
            answer = {"allowed": None, "error": str(error)}
        return to_json(answer) if isinstance(answer, dict) else answer

    async def _answer(self, line: "bytes | _LongLine") -> dict[str, Any] | bytes | None:
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
            return await self._decide(asked, asked.url, asked.agent)
        except CanfetchError as error:
            return error_json(asked.url, asked.agent, str(error))

    def _reject(self, why: str, *, sets_file: bool) -> dict[str, Any]:
        """Return the answer to a line that is not valid. The answer to a file has no `allowed`."""
        if sets_file:
            self._is_rejected = True
            return {"error": why}
        return {"allowed": None, "error": why}

    def _set_file(self, asked: StreamLine) -> dict[str, Any] | None:
        try:
            self._content = decode_content(asked.content or "", asked.content_encoding)
        except CanfetchError as error:
            return self._reject(str(error), sets_file=True)
        self._is_rejected = False
        self._robots.clear()
        return None

    async def _decide(self, asked: StreamLine, url: str, agent_name: str) -> dict[str, Any] | bytes:
        agent = requested_agent(agent_name, exact=asked.exact)
        if self._is_rejected and asked.content is None:
            raise NoFileError(_NO_FILE)
        if self._content is None and asked.content is None:
            verdict = await self._services.origins.verdict(url, agent.agent, profile=asked.profile)
            return with_agent_note(verdict_json(url, agent, verdict), agent, verdict)
        robots = await self._file(asked)

        def compute() -> dict[str, Any]:
            verdict = robots.decide(url, agent=agent.agent)
            return with_agent_note(verdict_json(url, agent, verdict), agent, verdict)

        if len(robots.content) <= INLINE_BYTES:
            return compute()
        return await in_thread(self._request, lambda: encode_answer(compute()))

    async def _file(self, asked: StreamLine) -> RobotsTxt:
        if asked.content is not None:
            content = decode_content(asked.content, asked.content_encoding)
            return await in_thread(self._request, lambda: parse(content, profile=asked.profile))
        robots = self._robots.get(asked.profile)
        if robots is None:
            kept = self._content or b""
            robots = await in_thread(self._request, lambda: parse(kept, profile=asked.profile))
            self._robots[asked.profile] = robots
        return robots


def _sets_file(line: bytes) -> bool:
    """Return whether an invalid line should set the file."""
    return b'"content"' in line and b'"url"' not in line
