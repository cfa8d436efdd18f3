"""The OpenAPI document."""

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from canfetch.web.api import requests as models
from canfetch.web.api.errors import ProblemDetails

_REFERENCE: Final = "#/components/schemas/{model}"
_REQUESTS: Final = (
    models.CompareRequest,
    models.DecideRequest,
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
