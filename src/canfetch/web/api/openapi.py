"""The OpenAPI document."""

import asyncio
from functools import lru_cache
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from pydantic_core import to_json
from starlette.responses import Response

from canfetch.web.api import requests as models
from canfetch.web.api.errors import ProblemDetails
from canfetch.web.api.services import counted_response

_REFERENCE: Final = "#/components/schemas/{model}"
_REQUESTS: Final = (
    models.CompareRequest,
    models.DecideRequest,
    models.FactsRequest,
    models.FetchRequest,
    models.FileRequest,
    models.FixRequest,
    models.LintFileRequest,
    models.LivePageRequest,
    models.LiveUseRequest,
    models.PageRequest,
    models.ParseRequest,
    models.SitemapRequest,
    models.URLsRequest,
    models.UseRequest,
    models.VerifyRequest,
)
_DESCRIPTION: Final = """Whether crawlers may fetch URLs, and why.

Errors are problem details (RFC 9457). With a token, send it as `Authorization: Bearer TOKEN`."""


def document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of the API, computed once."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title, version=app.version, openapi_version="3.1.0", description=_DESCRIPTION, routes=app.routes
        )
        _, definitions = models_json_schema(
            [(model, "validation") for model in (*_REQUESTS, ProblemDetails)], ref_template=_REFERENCE
        )
        components = schema.setdefault("components", {})
        components.setdefault("schemas", {}).update(definitions["$defs"])
        for name in ("HTTPValidationError", "ValidationError"):
            components["schemas"].pop(name, None)
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{}, {"token": []}]
        app.openapi_schema = schema
    return app.openapi_schema


def document_router(app: FastAPI) -> APIRouter:
    """Return the route of the document, in place of that of FastAPI, which writes its JSON for each request."""
    router = APIRouter(include_in_schema=False)

    @lru_cache(maxsize=4)
    def text(root_path: str) -> bytes:
        servers = {"servers": [{"url": root_path}]} if root_path else {}
        return to_json({**app.openapi(), **servers})

    @router.get("/v1/openapi.json")
    async def openapi(request: Request) -> Response:
        """Return the OpenAPI document."""
        # The first request takes tenths of a second.
        body = await asyncio.to_thread(text, request.scope.get("root_path", "").rstrip("/"))
        return counted_response(request, body)

    return router
