"""What the endpoints share: the origins, the threads, and reading requests and writing responses."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import BaseModel
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from canfetch.errors import CanfetchError
from canfetch.web.origins import Origins
from canfetch.web.server.work_queue import WorkQueue
from canfetch.web.settings import MAX_ANSWER_BYTES, Settings

ModelT = TypeVar("ModelT", bound=BaseModel)
ResultT = TypeVar("ResultT")
_JSON: Final = "application/json"
# A file of this size is parsed in a fraction of a millisecond, which is less than a thread costs.
INLINE_BYTES: Final = 64 * 1024


class AnswerTooLarge(CanfetchError, RuntimeError):
    """Raised instead of building an answer that is larger than the limit."""


class Services(NamedTuple):
    """The parts of a running server."""

    settings: Settings
    origins: Origins
    queue: WorkQueue


def services_of(request: Request) -> Services:
    """Return the services of the application."""
    services: Services = request.app.state.services
    return services


async def in_thread(request: Request, compute: Callable[[], ResultT]) -> ResultT:
    """Run a computation in a thread.

    Raises: QueueFull.
    """
    return await services_of(request).queue.run(compute)


async def answer_in_thread(request: Request, compute: Callable[[], Mapping[str, Any]]) -> Response:
    """Compute an answer and write it as JSON, both in a thread.

    A member of the answer can be an iterator, which is written item by item, so that only their bytes are kept.

    Raises: QueueFull; AnswerTooLarge.
    """
    body = await in_thread(request, lambda: encode_answer(compute()))
    return Response(body, media_type=_JSON)


def encode_answer(answer: Mapping[str, Any], *, max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
    """Write an answer as JSON.

    Raises: AnswerTooLarge: No more than the limit and one item of a list were built.
    """
    out = bytearray()
    for part in _encode_members(answer):
        out += part
        if len(out) > max_bytes:
            raise AnswerTooLarge(
                f"the answer is larger than {max_bytes >> 20} MiB: ask about fewer URLs or agents at a time"
            )
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


async def read_request(request: Request, model: type[ModelT]) -> ModelT:
    """Read and validate the JSON body of a request.

    Raises: HTTPException: The body is not declared as JSON; ValidationError.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != _JSON and not (media_type.startswith("application/") and media_type.endswith("+json")):
        raise HTTPException(415, "expected the header 'Content-Type: application/json'")
    return model.model_validate_json(await request.body())


def json_response(value: Any, status: int = 200) -> Response:
    """Return a value as JSON."""
    return Response(to_json(value), status_code=status, media_type=_JSON)
