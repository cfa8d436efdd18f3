"""Errors as problem details: those of the library, of validation, and of the framework."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HTTPRequest
from starlette.responses import Response

from canfetch.answers.problems import problem_code
from canfetch.client.documents import NotFetched
from canfetch.core.choices import nearest_choice
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import CanfetchError, ClientClosed, MissingExtra, RequestNotSent, WorkerKilled
from canfetch.web.api.requests import Request
from canfetch.web.origins import TooManyFetches
from canfetch.web.server.error_places import describe_error
from canfetch.web.server.guard import FetchRateExceeded
from canfetch.web.server.problems import DISCONNECTED, MEDIA_TYPE, Problem, phrase
from canfetch.web.server.work_queue import QueueFull
from canfetch.web.server.worker_process import ComputationFailed

LOGGER: Final = logging.getLogger("canfetch.web")
_MAX_ERRORS: Final = 20
# In place of pydantic's, which speak of inputs and fields.
_MESSAGES: Final = {
    "missing": "required, but missing",
    "string_too_long": "more than {max_length} characters",
    "too_long": "more than {max_length} items",
    "string_too_short": "expected at least {min_length} character",
    "too_short": "expected at least {min_length} item",
}
# Types of errors about the type of a value.
_EXPECTED: Final = {
    "model_type": "an object",
    "model_attributes_type": "an object",
    "string_type": "a string",
    "list_type": "an array",
    "bool_type": "true or false",
    "int_type": "an integer",
    "literal_error": "{expected}",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
}
_CONSTANTS: Final = {None: "null", True: "true", False: "false"}
_CODES: Final = {
    400: "bad-request",
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    408: "request-timeout",
    413: "too-large",
    415: "unsupported-media-type",
    422: "invalid-request",
    429: "rate-limited",
    500: "internal-error",
    424: "not-fetched",
    503: "overloaded",
}


class ErrorPart(BaseModel):
    """One invalid part of a request."""

    location: str
    message: str


class ProblemDetails(BaseModel):
    """An error (RFC 9457)."""

    type: str = Field(description="The kind of the problem, such as `urn:canfetch:problem:invalid-url`.")
    title: str
    status: int
    detail: str
    errors: list[ErrorPart] = Field(default=[], description="The invalid parts of the request.")


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI responses for statuses of errors."""
    return {
        status: {
            "description": phrase(status),
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}},
        }
        for status in statuses
    }


# Of every endpoint that reads a body.
BODY_ERRORS: Final = problem_responses(400, 401, 403, 408, 413, 415, 421, 422, 429, 500, 503)


def problem_response(problem: Problem) -> Response:
    """Return a problem as a response."""
    return Response(problem.body(), status_code=problem.status, media_type=MEDIA_TYPE, headers=dict(problem.headers))


def invalid_request(error: ValidationError | RequestValidationError) -> Problem:
    """Return the problem of a request that does not have the declared form."""
    details, keys = error.errors(), _keys(getattr(error, "title", ""))
    parts = [
        {"location": ".".join(map(str, one["loc"])), "message": _message(one, keys)} for one in details[:_MAX_ERRORS]
    ]
    first = parts[0] if parts else {"location": "body", "message": "invalid request"}
    where = f"{first['location']}: " if first["location"] else ""
    return Problem(422, "invalid-request", f"{where}{first['message']}", parts)


def _keys(title: str) -> list[str]:
    """Return the keys of the request with this title."""
    kinds: list[type[BaseModel]] = [Request]
    for kind in kinds:
        kinds += kind.__subclasses__()
    return next((list(kind.model_fields) for kind in kinds if kind.__name__ == title), [])


def _message(error: Mapping[str, Any], keys: list[str]) -> str:
    kind, context, location = error["type"], error.get("ctx", {}), error["loc"]
    if kind == "extra_forbidden":
        nearest = nearest_choice(location[-1], keys)
        advice = f": did you mean {nearest!r}?" if nearest else f": expected {', '.join(keys)}"
        # The keys are those of the request, and not of an object in it.
        return "unknown key" + (advice if keys and len(location) == 1 else "")
    if kind in _MESSAGES:
        return _MESSAGES[kind].format_map(context)
    if kind in _EXPECTED:
        return f"expected {_EXPECTED[kind].format_map(context)}, not {_shown(error['input'])}"
    text = printable_text(str(error["msg"]))[:300]
    return text[:1].lower() + text[1:]


def _shown(value: object) -> str:
    """Return a value of JSON in an error message. Arrays and objects can be large."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    return _CONSTANTS[value] if value is None or isinstance(value, bool) else quoted(value)


def library_problem(error: CanfetchError) -> Problem:
    """Return the problem of an exception of the library."""
    message = printable_text(str(error))
    match error:
        case FetchRateExceeded():
            return Problem(429, "rate-limited", message, headers=(("Retry-After", str(error.seconds)),))
        case TooManyFetches() | ClientClosed():
            return Problem(503, "overloaded", message, headers=(("Retry-After", "5"),))
        case RequestNotSent():
            return Problem(503, "request-not-sent", message, headers=(("Retry-After", "5"),))
        case QueueFull() | WorkerKilled():
            return Problem(503, "overloaded", message, headers=(("Retry-After", "1"),))
        case NotFetched():
            return Problem(424, "not-fetched", message)
        case MissingExtra():
            return Problem(501, "missing-extra", message)
        case _:
            return Problem(422, problem_code(error), message)


def problem_of(request: HTTPRequest, error: Exception) -> Problem:
    """Return the problem of an error, and log it if it is unexpected."""
    match error:
        case CanfetchError():
            return library_problem(error)
        case HTTPException():
            return _http_problem(request, error)
        case _:
            return _internal_error(request, error)


def install(app: FastAPI) -> None:
    """Make an application return problem details for every error."""
    handlers: Mapping[Any, Callable[[HTTPRequest, Any], Problem]] = {
        RequestValidationError: lambda _, error: invalid_request(error),
        ValidationError: lambda _, error: invalid_request(error),
        CanfetchError: lambda _, error: library_problem(error),
        ClientDisconnect: lambda *_: Problem(DISCONNECTED, "disconnected", "the client closed the connection"),
        Exception: _internal_error,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, _as_handler(handler))
    app.add_exception_handler(HTTPException, _http_error)


async def _http_error(request: HTTPRequest, error: Any) -> Response:
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        # The methods of a path are those of the OpenAPI document, which takes tenths of a second to compute once.
        await asyncio.to_thread(request.app.openapi)
    return problem_response(_http_problem(request, error))


def _as_handler(handler: Callable[[HTTPRequest, Any], Problem]) -> Callable[[HTTPRequest, Any], Any]:
    async def handle(request: HTTPRequest, error: Any) -> Response:
        return problem_response(handler(request, error))

    return handle


def _http_problem(request: HTTPRequest, error: HTTPException) -> Problem:
    if error.status_code == HTTPStatus.NOT_FOUND:
        return status_problem(404, f"no such resource: {printable_text(request.url.path)[:200]}")
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = _allowed_methods(request, error)
        detail = f"{printable_text(request.method)} is not supported here: use {allowed}"
        return Problem(405, "method-not-allowed", detail, headers=(("Allow", allowed),))
    return status_problem(error.status_code, error.detail, tuple((error.headers or {}).items()))


def status_problem(status: int, detail: object, headers: tuple[tuple[str, str], ...] = ()) -> Problem:
    """Return the problem of a status."""
    text = printable_text(str(detail))
    return Problem(status, _CODES.get(status, "error"), text[:1].lower() + text[1:], headers=headers)


def _allowed_methods(request: HTTPRequest, error: HTTPException) -> str:
    # Each method has a route of its own, and the framework names only the method of the first.
    documented = request.app.openapi()["paths"].get(request.url.path, {})
    methods = {method.upper() for method in documented} or set((error.headers or {}).get("Allow", "").split(", "))
    # The guard answers HEAD as GET.
    return ", ".join(sorted(methods | {"HEAD"} if "GET" in methods else methods))


def _internal_error(request: HTTPRequest, error: Exception) -> Problem:
    # The process of a computation has described its error.
    described = str(error) if isinstance(error, ComputationFailed) else describe_error(error)
    LOGGER.error("%s %s: %s", request.method, request.scope["path"], described)
    return Problem(500, "internal-error", "an error occurred, which was logged on the server")
