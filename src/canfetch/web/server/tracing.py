"""OpenTelemetry: a span for each request, if the environment configures an exporter."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from canfetch.errors import MissingExtra

if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_SERVICE: Final = "canfetch"


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
