"""The page and its data, and the state of the process."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.responses import Response

from canfetch.web.api.errors import problem_response
from canfetch.web.api.services import counted_response, json_response, services_of
from canfetch.web.server.metrics import Metrics
from canfetch.web.server.problems import Problem
from canfetch.web.site.assets import INDEX, Asset, Assets

_NOT_BUILT: Final = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>canfetch</title></head>
<body>
<h1>canfetch</h1>
<p>The HTTP API is running. The page of this checkout is not built.</p>
<p>Run <code>make page</code>, which requires npm, and load this address again. Packages from PyPI contain the page.</p>
<p>The API is described in <a href="/v1/openapi.json">/v1/openapi.json</a>.</p>
</body>
</html>
"""
_HTML: Final = "text/html; charset=utf-8"


class _AssetPath(Convertor[str]):
    """A path outside of the API, so that its unknown paths and methods are answered there."""

    regex = "(?!v1(?:/|$)).*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("asset", _AssetPath())


def process_router(metrics: Metrics) -> APIRouter:
    """Return the routes that describe the state of the process."""
    router = APIRouter(include_in_schema=False)

    @router.get("/healthz")
    async def healthz() -> Response:
        """Report that the process runs."""
        return json_response({"status": "ok"})

    @router.get("/readyz")
    async def readyz(request: Request) -> Response:
        """Report whether the process can do its work."""
        if services_of(request).origins.is_ready:
            return json_response({"status": "ok"})
        return problem_response(Problem(503, "store-error", "the store of fetched files does not work"))

    @router.get("/metrics")
    async def render_metrics(request: Request) -> Response:
        """Return the metrics."""
        return counted_response(request, metrics.render(), "text/plain; version=1.0.0; charset=utf-8")

    return router


def page_router(assets: Assets) -> APIRouter:
    """Return the routes of the page, for all paths that no other route has."""
    router = APIRouter(include_in_schema=False)

    @router.get("/{path:asset}")
    async def asset(request: Request, path: str) -> Response:
        """Return a file of the page."""
        name = path or INDEX
        found = assets.find(name)
        if found is not None:
            return _asset_response(request, found)
        if name == INDEX:
            return Response(_NOT_BUILT, media_type=_HTML)
        raise HTTPException(404)

    return router


def _asset_response(request: Request, asset: Asset) -> Response:
    caching = "public, max-age=31536000, immutable" if asset.is_immutable else "no-cache"
    headers = {"Cache-Control": caching, "ETag": asset.etag, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == asset.etag:
        return Response(status_code=304, headers=headers)
    content, coding = asset.encoded(request.headers.get("accept-encoding", ""))
    if coding is not None:
        headers["Content-Encoding"] = coding
    return Response(content, media_type=asset.media_type, headers=headers)
