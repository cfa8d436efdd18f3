"""OpenTelemetry spans: one for each fetch, if the client has a tracer."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence

import pytest
from tests.access.conftest import AnsweringOrigin, play_event
from tests.client.either import BOTH, decide_with_either, scripted

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.errors import InvalidOption

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode, Tracer

URL = "https://example.com/forbidden"


class Spans:
    """A tracer, and the spans that it ended."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer: Tracer = provider.get_tracer("tests")

    @property
    def ended(self) -> Sequence[ReadableSpan]:
        return self._exporter.get_finished_spans()


@pytest.fixture
def spans() -> Spans:
    return Spans()


@BOTH
def test_each_fetch_is_a_span(kind: str, spans: Spans) -> None:
    decide_with_either(kind, scripted(redirects=1), URL, URL, tracer=spans.tracer)
    (span,) = spans.ended
    assert (span.name, span.kind, span.status.status_code) == ("canfetch.fetch", SpanKind.CLIENT, StatusCode.UNSET)
    assert dict(span.attributes or {}) == {
        "http.request.method": "GET",
        "url.full": "https://example.com/robots.txt?***",
        "server.address": "example.com",
        "server.port": 443,
        "http.response.status_code": 200,
        "canfetch.policy": "rfc9309",
        "canfetch.outcome": "success",
        "canfetch.redirects": 1,
        "canfetch.body_bytes": 35,
    }


@BOTH
@pytest.mark.parametrize(
    "event, status, error",
    [
        ({"status": 404}, 404, None),
        ({"status": 503}, 503, "503"),
        ({"failure": "refused"}, None, "connect"),
        ({"failure": "never-answers"}, None, "timeout"),
    ],
)
def test_failure_is_an_error(
    kind: str, event: dict[str, object], status: int | None, error: str | None, spans: Spans
) -> None:
    decide_with_either(kind, scripted(**event), URL, tracer=spans.tracer)
    (span,) = spans.ended
    attributes = span.attributes or {}
    assert (attributes.get("http.response.status_code"), attributes.get("error.type")) == (status, error)
    assert span.status.status_code is (StatusCode.UNSET if error is None else StatusCode.ERROR)


@BOTH
def test_spans_are_nested(kind: str, spans: Spans) -> None:
    def answer(request: TransportRequest) -> Response | Failure:
        with spans.tracer.start_as_current_span("request"):
            return play_event({"redirects": 1}, request)

    with spans.tracer.start_as_current_span("crawl"):
        decide_with_either(kind, answer, URL, tracer=spans.tracer)
        with spans.tracer.start_as_current_span("after"):
            pass
    by_name = {span.name: span for span in spans.ended}
    assert [span.name for span in spans.ended] == ["request", "request", "canfetch.fetch", "after", "crawl"]
    parents = {name: span.parent and span.parent.span_id for name, span in by_name.items()}
    ids = {name: span.context.span_id for name, span in by_name.items() if span.context}
    assert parents == {
        "request": ids["canfetch.fetch"],
        "canfetch.fetch": ids["crawl"],
        "after": ids["crawl"],
        "crawl": None,
    }


def test_fetch_that_raises_ends_its_span(spans: Spans) -> None:
    def broken(_request: TransportRequest) -> Response:
        raise ZeroDivisionError

    client = Client(user_agent="ExampleBot/1.0", transport=AnsweringOrigin(broken), tracer=spans.tracer)
    with pytest.raises(ZeroDivisionError):
        client.decide(URL)
    client.close()
    (span,) = spans.ended
    assert (span.attributes or {})["error.type"] == "interrupted"
    assert span.status.status_code is StatusCode.ERROR


def test_cancelled_fetch_ends_its_span(spans: Spans, caplog: pytest.LogCaptureFixture) -> None:
    async def run() -> None:
        requested = asyncio.Event()

        class Silent:
            async def send(self, _request: TransportRequest) -> Response | Failure:
                requested.set()
                await asyncio.Event().wait()
                raise AssertionError

            async def close(self) -> None:
                """Do nothing."""

        client = AsyncClient(user_agent="ExampleBot/1.0", transport=Silent(), tracer=spans.tracer)
        task = asyncio.create_task(client.decide(URL))
        await requested.wait()
        task.cancel()
        await client.close()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    (span,) = spans.ended
    assert (span.attributes or {})["error.type"] == "interrupted"
    # The context of the task was left as it was entered.
    assert caplog.records == []


def test_ftp_has_no_http_method(spans: Spans) -> None:
    decide_with_either("sync", scripted(ftp="file"), "ftp://example.com/x", tracer=spans.tracer)
    (span,) = spans.ended
    assert "http.request.method" not in (span.attributes or {})


@pytest.mark.parametrize("tracer", [True, "tracer", object()], ids=["bool", "str", "object"])
def test_invalid_tracer_is_rejected(tracer: object) -> None:
    with pytest.raises(InvalidOption, match="expected an OpenTelemetry tracer"):
        Client(user_agent="ExampleBot/1.0", transport=AnsweringOrigin(scripted()), tracer=tracer)  # type: ignore[arg-type]


@pytest.mark.slow
def test_opentelemetry_is_imported_only_for_a_tracer() -> None:
    program = (
        "import sys, canfetch\n"
        "sys.modules['opentelemetry'] = None\n"
        "canfetch.Client(user_agent='ExampleBot/1.0').close()\n"
        "try:\n"
        "    canfetch.Client(user_agent='ExampleBot/1.0', tracer=object())\n"
        "except canfetch.errors.MissingExtra as error:\n"
        "    print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "canfetch[otel]" in ran.stdout
