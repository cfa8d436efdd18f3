"""Requests that are generated from the OpenAPI document have no undeclared answer and find no server error."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.web.conftest import ScriptedWeb
from tests.web.servers import running_server

pytestmark = pytest.mark.service

schemathesis = pytest.importorskip("schemathesis")
from hypothesis import HealthCheck, Phase, given, settings  # noqa: E402 - after the skip
from schemathesis.checks import not_a_server_error  # noqa: E402 - after the skip
from schemathesis.generation import GenerationMode  # noqa: E402 - after the skip
from schemathesis.specs.openapi.checks import (  # noqa: E402 - after the skip
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from canfetch.web.app import create_app  # noqa: E402 - after the skip

DECLARED = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
SITEMAP = b"<urlset><url><loc>http://a.example/</loc></url></urlset>"


@schemathesis.serializer("application/x-ndjson")  # type: ignore[untyped-decorator]
def to_lines(_context: Any, value: Any) -> bytes:
    """Return the body of a stream."""
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "replace")


class AnyWeb(ScriptedWeb):
    """Every host has a robots.txt, and every other URL is a sitemap."""

    async def send(self, request: Any) -> Any:
        is_robots = request.url.endswith("/robots.txt")
        body = (
            b"User-agent: *\nDisallow: /private\n"
            if is_robots
            else b"<urlset><url><loc>http://a.example/</loc></url></urlset>"
        )
        self.add(request.url, body)
        return await super().send(request)


@pytest.fixture(scope="module")
def document() -> Iterator[Any]:
    with running_server(transport=AnyWeb()) as port:
        yield schemathesis.openapi.from_url(f"http://127.0.0.1:{port}/v1/openapi.json")


def operations() -> list[tuple[str, str]]:
    """Return method and path of each operation."""
    paths = create_app().app.openapi()["paths"]
    return sorted((method.upper(), path) for path, item in paths.items() for method in item)


@pytest.mark.parametrize("method, path", operations(), ids=lambda part: part.strip("/").replace("/", "-"))
def test_answers_are_declared(document: Any, method: str, path: str) -> None:
    case = document[path][method].as_strategy(generation_mode=GenerationMode.POSITIVE)
    wrong_case = document[path][method].as_strategy(generation_mode=GenerationMode.NEGATIVE)

    # Shrinking a failure can take hours.
    @settings(
        max_examples=10, deadline=None, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck)
    )
    @given(one=case | wrong_case)
    def check(one: Any) -> None:
        one.call_and_validate(checks=DECLARED)

    check()
