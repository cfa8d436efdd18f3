"""OpenTelemetry spans: one for each fetch of a robots.txt, with its redirects."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Final

from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.redaction import loggable_url
from canfetch.errors import InvalidOption, MissingExtra

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Status, Tracer

SPAN_NAME: Final = "canfetch.fetch"


class FetchSpan:
    """The span of one fetch.

    Args:
        span: The span, started.
        activate: Returns a context manager that makes a span the current one.
        error: The status of a failed fetch.
    """

    def __init__(
        self, span: "Span", activate: Callable[["Span"], AbstractContextManager[object]], error: "Status"
    ) -> None:
        self._span = span
        self._activate = activate
        self._error = error

    def active(self) -> AbstractContextManager[object]:
        """Return a context in which the span is the current one, so that spans of transports are its children."""
        return self._activate(self._span)

    def end(
        self, *, url: str, status: int | None, redirects: int, body_bytes: int, outcome: str, error: str | None
    ) -> None:
        """End the span.

        Args:
            url: URL of the last request.
            status: Status of the last response, or None.
            redirects: Number of redirects that were followed.
            body_bytes: Bytes of the response bodies, after decoding.
            outcome: The kind of result.
            error: The reason of a failure, or None.
        """
        self._span.set_attributes(
            {
                "url.full": loggable_url(url),
                "canfetch.redirects": redirects,
                "canfetch.body_bytes": body_bytes,
                "canfetch.outcome": outcome,
            }
        )
        if status is not None:
            self._span.set_attribute("http.response.status_code", status)
        if error is not None:
            self._span.set_attribute("error.type", error)
            self._span.set_status(self._error)
        self._span.end()


class FetchTracer:
    """Starts a span for each fetch.

    Args: tracer: The tracer that the application passed to the client.
    Raises: InvalidOption: `tracer` is not a tracer. MissingExtra: OpenTelemetry is not installed.
    Source: OpenTelemetry semantic conventions for HTTP client spans. A 404 is not an error, because a site may have no
        robots.txt.
    """

    def __init__(self, tracer: "Tracer") -> None:
        try:
            from opentelemetry.trace import SpanKind, Status, StatusCode, use_span  # noqa: PLC0415 - optional dependency
        except ImportError:
            raise MissingExtra("tracer requires OpenTelemetry: pip install 'canfetch[otel]'") from None
        if not callable(getattr(tracer, "start_span", None)):
            raise InvalidOption(
                f"invalid tracer {quoted(tracer)}: expected an OpenTelemetry tracer, such as trace.get_tracer(__name__)"
            )
        # Exceptions are reported by `end`, and the context is only left because the client closes the fetch.
        self._activate = partial(use_span, record_exception=False, set_status_on_exception=False)
        self._start = partial(tracer.start_span, SPAN_NAME, kind=SpanKind.CLIENT)
        self._error = Status(StatusCode.ERROR)

    def start(self, origin: Origin, policy: str) -> FetchSpan:
        """Start the span of a fetch. Its parent is the current span of the caller."""
        attributes: dict[str, str | int] = {
            "url.full": origin.robots_url,
            "server.address": origin.host,
            "canfetch.policy": policy,
        }
        if origin.scheme in {"http", "https"}:
            attributes["http.request.method"] = "GET"
        if origin.port is not None:
            attributes["server.port"] = origin.port
        span = self._start(attributes=attributes)
        return FetchSpan(span, self._activate, self._error)
