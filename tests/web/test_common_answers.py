"""Answers that are the same for all clients: computed once, and counted among the bytes of their clients."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from tests.web.conftest import API, ScriptedWeb, running_api

from canfetch.answers.crawlers import find_crawlers
from canfetch.web import app
from canfetch.web.api import registry
from canfetch.web.server.metrics import Metrics
from canfetch.web.settings import Settings


@pytest.fixture(scope="module")
def document() -> Iterator[Any]:
    with running_api(transport=ScriptedWeb()) as running:
        yield running.get("/v1/openapi.json").json()


def references(value: Any) -> Iterator[str]:
    """Yield all references of a document."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key == "$ref":
                yield member
            else:
                yield from references(member)
    elif isinstance(value, list):
        for member in value:
            yield from references(member)


def test_every_reference_of_the_document_resolves(document: Any) -> None:
    found = set(references(document))
    assert "#/components/schemas/FactsRequest" in found
    for reference in found:
        target = document
        for name in reference.removeprefix("#/").split("/"):
            assert name in target, reference
            target = target[name]


def test_every_schema_of_the_document_is_referenced(document: Any) -> None:
    prefix = "#/components/schemas/"
    assert {f"{prefix}{name}" for name in document["components"]["schemas"]} <= set(references(document))


def test_documents_of_all_crawlers_and_of_the_api_are_computed_once(api: API, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()

    def count(module: Any) -> None:
        write = module.to_json

        def counted(value: Any) -> bytes:
            calls[module.__name__] += 1
            written: bytes = write(value)
            return written

        monkeypatch.setattr(module, "to_json", counted)

    # What other tests have caused is computed again.
    registry._crawler_texts.cache_clear()
    for module in (registry, app):
        count(module)
    with running_api(transport=ScriptedWeb()) as fresh:
        crawlers = [fresh.get("/v1/agents").json()["crawlers"] for _ in range(3)]
        documents = [fresh.get("/v1/openapi.json").json() for _ in range(3)]
    assert calls == {registry.__name__: len(find_crawlers()), app.__name__: 1}
    assert crawlers == [[crawler.to_json() for crawler in find_crawlers()]] * 3
    assert documents == [documents[0]] * 3
    training = api.get("/v1/agents?purpose=training").json()["crawlers"]
    assert training == [crawler.to_json() for crawler in find_crawlers(["training"])]


def test_document_of_an_application_below_a_prefix_names_the_prefix(api: API) -> None:
    async def ask() -> dict[str, Any]:
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/tools/v1/openapi.json",
            "raw_path": b"/tools/v1/openapi.json",
            "root_path": "/tools",
            "query_string": b"",
            "headers": [(b"host", b"localhost")],
            "client": ("127.0.0.1", 1),
        }
        await api.guard(scope, receive, send)
        found: dict[str, Any] = json.loads(b"".join(message.get("body", b"") for message in sent))
        return found

    assert api.run(ask())["servers"] == [{"url": "/tools"}]
    assert "servers" not in api.get("/v1/openapi.json").json()


@pytest.mark.parametrize("path", ["/v1/agents", "/v1/openapi.json", "/metrics"])
def test_common_answers_count_among_the_bytes_of_their_clients(path: str) -> None:
    settings = Settings(max_body_bytes=400, refusal_seconds=0)
    with running_api(settings, transport=ScriptedWeb()) as small:
        assert small.problem("GET", path, 503)["type"] == "urn:canfetch:problem:overloaded"
        assert small.guard.kept.taken == 0


def test_metrics_are_written_at_most_once_a_second() -> None:
    now = 0.0
    written = 0

    def gauges() -> dict[str, tuple[str, float]]:
        nonlocal written
        written += 1
        return {"written": ("How often the metrics were written.", written)}

    metrics = Metrics(gauges, clock=lambda: now)
    first = metrics.render()
    written_before = written
    now = 0.9
    metrics.observe("GET", "/healthz", 200, 0.001)
    assert (metrics.render(), written) == (first, written_before)
    now = 1.0
    assert b'route="/healthz"' in metrics.render()
