"""Spans of requests, without what the requests are about."""

import pytest
from tests.web.conftest import ScriptedWeb, running_api

pytest.importorskip("opentelemetry.sdk")

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from canfetch.web.server.tracing import RequestTracer, tracer_provider

TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.mark.slow
def test_fetch_is_a_child_of_the_request() -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with running_api(transport=ScriptedWeb(), tracer_provider=provider) as api:
        headers = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}
        api.get("/v1/decide?url=http://a.example/secret&agent=GPTBot", headers=headers)
        api.post("/v1/nothing/secret")
    fetch, request, missing = exporter.get_finished_spans()
    assert (fetch.name, request.name, missing.name) == ("canfetch.fetch", "GET /v1/decide", "POST other")
    assert fetch.parent is not None
    assert fetch.parent.span_id == request.context.span_id
    assert f"{request.context.trace_id:032x}" == TRACE
    assert request.attributes is not None
    assert dict(request.attributes) == {
        "http.request.method": "GET",
        "url.scheme": "http",
        "http.route": "/v1/decide",
        "http.response.status_code": 200,
    }
    assert "secret" not in request.to_json() + missing.to_json()


def test_propagators_get_no_long_runs_of_white_space(monkeypatch: pytest.MonkeyPatch) -> None:
    carriers: list[dict[str, str]] = []
    monkeypatch.setattr("opentelemetry.propagate.extract", carriers.append)
    tracer = RequestTracer(TracerProvider().get_tracer("test"))
    headers = [(b"baggage", b"a=b" + b" \t" * 4_000 + b", c=d"), (b"tracestate", b"a=b,c=d")]
    with tracer.span({"method": "GET", "scheme": "http", "headers": headers}):
        pass
    assert carriers == [{"baggage": "a=b , c=d", "tracestate": "a=b,c=d"}]


@pytest.mark.slow
def test_spans_are_sent_only_if_an_endpoint_is_configured() -> None:
    assert tracer_provider({}) is None
    assert tracer_provider({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "true"}) is None
