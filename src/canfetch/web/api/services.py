"""What the endpoints share: the origins, the threads, and reading requests and writing responses."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import BaseModel
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from canfetch.web.origins import Origins
from canfetch.web.server.work_queue import WorkQueue
from canfetch.web.settings import Settings

ModelT = TypeVar("ModelT", bound=BaseModel)
ResultT = TypeVar("ResultT")
_JSON: Final = "application/json"


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
