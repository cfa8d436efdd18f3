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
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from canfetch.answers.problems import problem_code
from canfetch.client.documents import NotFetched
from canfetch.core.text import printable_text
from canfetch.errors import CanfetchError, ClientClosed, MissingExtra, RequestNotSent, WorkerKilled
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
    "extra_forbidden": "unknown key",
    "missing": "required, but missing",
    "string_too_long": "more than {max_length} characters",
    "too_long": "more than {max_length} items",
}
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
    """Return the problem of a request that does not have the declared form. It contains no input."""
    details = error.errors()
    parts = [{"location": ".".join(map(str, one["loc"])), "message": _message(one)} for one in details[:_MAX_ERRORS]]
    first = parts[0] if parts else {"location": "body", "message": "invalid request"}
    where = f"{first['location']}: " if first["location"] else ""
    return Problem(422, "invalid-request", f"{where}{first['message']}", parts)


def _message(error: Mapping[str, Any]) -> str:
    message = _MESSAGES.get(error["type"])
    if message is not None:
        return message.format_map(error.get("ctx", {}))
    text = printable_text(str(error["msg"]))[:300]
    return text[:1].lower() + text[1:]


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


def problem_of(request: Request, error: Exception) -> Problem:
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
    handlers: Mapping[Any, Callable[[Request, Any], Problem]] = {
        RequestValidationError: lambda _, error: invalid_request(error),
        ValidationError: lambda _, error: invalid_request(error),
        CanfetchError: lambda _, error: library_problem(error),
        ClientDisconnect: lambda *_: Problem(DISCONNECTED, "disconnected", "the client closed the connection"),
        Exception: _internal_error,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, _as_handler(handler))
    app.add_exception_handler(HTTPException, _http_error)


async def _http_error(request: Request, error: Any) -> Response:
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        # The methods of a path are those of the OpenAPI document, which takes tenths of a second to compute once.
        await asyncio.to_thread(request.app.openapi)
    return problem_response(_http_problem(request, error))


def _as_handler(handler: Callable[[Request, Any], Problem]) -> Callable[[Request, Any], Any]:
    async def handle(request: Request, error: Any) -> Response:
        return problem_response(handler(request, error))

    return handle


def _http_problem(request: Request, error: HTTPException) -> Problem:
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


def _allowed_methods(request: Request, error: HTTPException) -> str:
    # Each method has a route of its own, and the framework names only the method of the first.
    documented = request.app.openapi()["paths"].get(request.url.path, {})
    methods = {method.upper() for method in documented} or set((error.headers or {}).get("Allow", "").split(", "))
    # The guard answers HEAD as GET.
    return ", ".join(sorted(methods | {"HEAD"} if "GET" in methods else methods))


def _internal_error(request: Request, error: Exception) -> Problem:
    # The process of a computation has described its error.
    described = str(error) if isinstance(error, ComputationFailed) else describe_error(error)
    LOGGER.error("%s %s: %s", request.method, request.scope["path"], described)
    return Problem(500, "internal-error", "an error occurred, which was logged on the server")
