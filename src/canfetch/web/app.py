"""The application: the API, the page, and the guard around them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from pydantic_core import to_json
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.responses import Response

from canfetch import __version__
from canfetch.client.identity import IdentityVerifier, SignatureVerifier
from canfetch.client.stores.locations import open_store_at
from canfetch.client.transports import AsyncTransport
from canfetch.web.api import decisions, errors, files, live, registry, use
from canfetch.web.api import requests as models
from canfetch.web.api.errors import ProblemDetails, problem_response
from canfetch.web.api.preloading import preload
from canfetch.web.api.services import Services, counted_response, json_response, services_of
from canfetch.web.origins import Origins
from canfetch.web.server.guard import Guard
from canfetch.web.server.metrics import Metrics
from canfetch.web.server.problems import Problem
from canfetch.web.server.shares import CLIENT_PART, Shares
from canfetch.web.server.tracing import RequestTracer
from canfetch.web.server.work_queue import Worker, WorkQueue
from canfetch.web.server.worker_process import WorkerProcess
from canfetch.web.settings import Settings
from canfetch.web.site.assets import INDEX, Asset, Assets
from canfetch.web.web_transport import ThreadTransport

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

# Streams at a time, for each computation that may wait.
_STREAMS_OF_ALL: Final = 4
# For the keys of a signer.
_KEYS_SECONDS: Final = 10.0
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
_SCHEMA_REFERENCE: Final = "#/components/schemas/{model}"
_REQUEST_MODELS: Final = (
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
_API_DESCRIPTION: Final = """Whether crawlers may fetch URLs, and why.

Errors are problem details (RFC 9457). With a token, send it as `Authorization: Bearer TOKEN`."""


def create_app(
    settings: Settings | None = None,
    *,
    assets: Assets | None = None,
    transport: AsyncTransport | None = None,
    tracer_provider: "TracerProvider | None" = None,
    workers: Sequence[Worker] | None = None,
    starts_workers: bool = False,
) -> Guard:
    """Return the application for an ASGI server.

    Args:
        settings: The settings. By default those of a private server without limits on rates.
        assets: The files of the page.
        transport: The transport for fetches.
        tracer_provider: Where spans are sent, or None.
        workers: What runs computations. By default processes of the number in the settings.
        starts_workers: Whether to start the processes before the first request. Otherwise the first request of each
            takes longer.
    Raises: InvalidOption.
    """
    settings = Settings() if settings is None else settings
    tracer = None if tracer_provider is None else tracer_provider.get_tracer("canfetch.web", __version__)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store = None if settings.store is None else open_store_at(settings.store, max_bytes=settings.max_store_bytes)
        origins = Origins(
            store=store,
            allow_private=settings.allow_private,
            max_fetches=settings.max_fetches,
            user_agent=settings.user_agent,
            policy=settings.policy,
            profile=settings.profile,
            tracer=tracer,
            rules=settings.fetch_rules(),
            transport=transport,
        )
        own_workers = [WorkerProcess(preload) for _ in range(settings.processes)] if workers is None else []
        queue = WorkQueue(own_workers or workers or (), max_waiting=settings.max_waiting)
        if starts_workers:
            queue.start()
        verifier = cache(partial(_create_verifier, origins, asyncio.get_running_loop()))
        app.state.services = Services(settings, origins, queue, _places_of_streams(settings), verifier)
        try:
            yield
        finally:
            queue.close()
            for worker in own_workers:
                worker.close()
            await origins.close()

    api = FastAPI(
        title="canfetch",
        version=__version__,
        lifespan=lifespan,
        # Its pages load scripts from other sites.
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        # Its spans contain query strings.
        telemetry={"tracing": False, "metrics": False, "logs": False},
        redirect_slashes=False,
    )
    errors.install(api)
    for router in (decisions.ROUTER, files.ROUTER, use.ROUTER, live.ROUTER, registry.ROUTER):
        api.include_router(router)
    metrics = Metrics(lambda: _gauges(api, guard))
    api.include_router(_process_router(metrics))
    api.include_router(_document_router(api))
    api.include_router(_page_router(Assets() if assets is None else assets))
    api.openapi = lambda: _document(api)  # type: ignore[method-assign]
    request_tracer = None if tracer is None else RequestTracer(tracer)
    guard = Guard(api, settings, observe=metrics.observe, tracer=request_tracer)
    return guard


def _document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document of the API, computed once."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title,
            version=app.version,
            openapi_version="3.1.0",
            description=_API_DESCRIPTION,
            routes=app.routes,
        )
        _, definitions = models_json_schema(
            [(model, "validation") for model in (*_REQUEST_MODELS, ProblemDetails)], ref_template=_SCHEMA_REFERENCE
        )
        components = schema.setdefault("components", {})
        components.setdefault("schemas", {}).update(definitions["$defs"])
        for name in ("HTTPValidationError", "ValidationError"):
            components["schemas"].pop(name, None)
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{}, {"token": []}]
        app.openapi_schema = schema
    return app.openapi_schema


def _document_router(app: FastAPI) -> APIRouter:
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


class _AssetPath(Convertor[str]):
    """A path outside of the API, so that its unknown paths and methods are answered there."""

    regex = "(?!v1(?:/|$)).*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("asset", _AssetPath())


def _process_router(metrics: Metrics) -> APIRouter:
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


def _page_router(assets: Assets) -> APIRouter:
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


def _create_verifier(origins: Origins, loop: asyncio.AbstractEventLoop) -> IdentityVerifier:
    """Return what verifies the signatures of recorded requests. Addresses are not verified.

    Raises: MissingExtra.
    """

    def begin_fetch() -> Callable[[], None]:
        end = origins.begin_fetch()

        def end_in_loop() -> None:
            # RuntimeError: the loop is closed.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(end)

        return end_in_loop

    signatures = SignatureVerifier(
        hosts=None,
        timeout=_KEYS_SECONDS,
        fetch_timeout=_KEYS_SECONDS,
        transport=ThreadTransport(origins.transport, loop),
        user_agent=origins.user_agent,
        allow_private=origins.allow_private,
        begin_fetch=begin_fetch,
    )
    return IdentityVerifier(dns=False, signatures=signatures)


def _places_of_streams(settings: Settings) -> Shares:
    """Return the places of streams. Those of a client can all have a computation that waits."""
    waiting = settings.max_waiting
    return Shares(_STREAMS_OF_ALL * waiting, max(1, waiting // CLIENT_PART), waiting)


def _gauges(api: FastAPI, guard: Guard) -> dict[str, tuple[str, float]]:
    services: Services = api.state.services
    stats: dict[str, Any] = services.origins.clients.stats_json()
    failures = stats.pop("failures")
    return {
        "body_bytes": ("Bytes of the bodies of requests and responses in memory.", guard.kept.taken),
        "computations": ("Computations that run or wait for a process.", services.queue.count),
        "computations_stopped": ("Computations whose process was ended with their request.", services.queue.stopped),
        "fetch_failures": ("Failed fetches.", sum(failures.values())),
        **{f"client_{name}": (f"The counter {name} of the client.", value) for name, value in stats.items()},
    }
