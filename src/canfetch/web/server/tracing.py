"""OpenTelemetry: a span for each request, if the environment configures an exporter.

Spans contain the route, and neither query strings nor bodies. The fetches of a request are its children.
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from canfetch.errors import MissingExtra

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer, TracerProvider

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_SERVICE: Final = "canfetch"
_SERVER_ERROR: Final = 500


def tracer_provider(environment: Mapping[str, str]) -> "TracerProvider | None":
    """Return a provider that sends spans with OTLP over HTTP, or None if no endpoint is configured.

    Raises: MissingExtra: The SDK or the exporter is not installed.
    """
    if not any(environment.get(name) for name in _ENDPOINTS) or environment.get("OTEL_SDK_DISABLED") == "true":
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - optional
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource  # noqa: PLC0415 - optional
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - optional
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingExtra(
            "traces require OpenTelemetry: pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"
        ) from None
    name = environment.get("OTEL_SERVICE_NAME", _SERVICE)
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


class RequestTracer:
    """Starts a span for each request.

    Args: tracer: The tracer.
    Source: OpenTelemetry semantic conventions for HTTP server spans.
    """

    def __init__(self, tracer: "Tracer") -> None:
        from opentelemetry.propagate import extract  # noqa: PLC0415 - optional dependency
        from opentelemetry.trace import SpanKind, Status, StatusCode, use_span  # noqa: PLC0415 - optional dependency

        self._extract = extract
        self._kind = SpanKind.SERVER
        self._error = Status(StatusCode.ERROR)
        self._start = tracer.start_span
        self._use_span = use_span

    @contextmanager
    def span(self, scope: MutableMapping[str, Any]) -> Iterator[Callable[[str, int], None]]:
        """Make the span of a request the current one. Yield a function that sets its route and status."""
        # Propagators split values at regular expressions that take quadratic time for long runs of white space.
        carrier = {
            name.decode("latin-1"): " ".join(value.decode("latin-1").split()) for name, value in scope["headers"]
        }
        method: str = scope["method"]
        span = self._start(
            method,
            context=self._extract(carrier),
            kind=self._kind,
            attributes={"http.request.method": method, "url.scheme": scope["scheme"]},
        )

        def end(route: str, status: int) -> None:
            span.update_name(f"{method} {route}")
            span.set_attributes({"http.route": route, "http.response.status_code": status})
            if status >= _SERVER_ERROR:
                span.set_status(self._error)

        with self._use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            yield end
