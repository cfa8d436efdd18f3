"""Middleware for WSGI and ASGI. Put it first, so that no other middleware redirects or changes the response."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from canfetch.integrations.asgi import joined_field, scope_fields, scope_target
from canfetch.integrations.django.configuration import get_site
from canfetch.integrations.serving.requests import Reply, Request, environ_header, query_of_environ, target_of_environ

_Next = Callable[[HttpRequest], Any]


class RobotsMiddleware:
    """Answers requests for /robots.txt, and refuses those of crawlers if the site enforces its rules.

    Django creates it when the server starts, so that a robots.txt that cannot be served stops the start.

    Raises: ImproperlyConfigured: The setting `CANFETCH_SITE` is missing or invalid, or the robots.txt cannot be served.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: _Next) -> None:
        self._get_response = get_response
        self._site = get_site()
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        """Answer a request, or pass it on."""
        if self._is_async:
            return self._respond_async(request)
        reply = self._site.respond(_convert(request)) if self._concerns(request) else None
        response: HttpResponseBase = self._get_response(request) if reply is None else _response(reply)
        return response

    async def _respond_async(self, request: HttpRequest) -> HttpResponseBase:
        reply = await self._site.respond_async(_convert(request)) if self._concerns(request) else None
        response: HttpResponseBase = await self._get_response(request) if reply is None else _response(reply)
        return response

    def _concerns(self, request: HttpRequest) -> bool:
        return self._site.concerns(_whole_path(request))


def _whole_path(request: HttpRequest) -> str:
    """Return the path that Django routes, with the prefix of the server or of the setting FORCE_SCRIPT_NAME.

    On ASGI, `request.path` lacks the prefix if a proxy removed it.
    """
    path: str = request.path_info
    if path and not path.startswith("/"):
        path = f"/{path}"
    return _prefix(request) + path


def _prefix(request: HttpRequest) -> str:
    return str(request.META.get("SCRIPT_NAME") or "").rstrip("/")


def _convert(request: HttpRequest) -> Request:
    path = _whole_path(request)
    # Only ASGI requests have a scope.
    scope = getattr(request, "scope", None)
    return Request(
        method=request.method or "GET",
        path=path,
        target=target_of_environ(request.META) if scope is None else scope_target(scope, path),
        # Raises DisallowedHost, which Django answers with 400, for a host that ALLOWED_HOSTS does not contain.
        host=request.get_host(),
        peer=request.META.get("REMOTE_ADDR"),
        # Django joins repeated fields with a comma without a space.
        header=partial(environ_header, request.META) if scope is None else partial(joined_field, scope_fields(scope)),
        prefix=_prefix(request),
        scheme=request.scheme or "http",
        query=query_of_environ(request.META) if scope is None else None,
    )


def _response(reply: Reply) -> HttpResponse:
    response = HttpResponse(reply.body, status=reply.status)
    del response["Content-Type"]
    for name, value in reply.headers:
        response[name] = value
    return response
