"""Every endpoint answers a hostile request, which keeps all limits of requests, within the limit of answers."""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from tests.web.conftest import API, ScriptedWeb, running_api

from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.web.settings import MAX_ANSWER_BYTES

HOST: Final = "https://example.com"
# Answers repeat much of them. Where the work is slow, they are smaller than a robots.txt may be.
MANY_RULES: Final = ("User-agent: *\n" * 5_000 + "Disallow: /x\nAllow: /\n" * 19_000)[:DEFAULT_MAX_BYTES]
MANY_GROUPS: Final = "".join(f"User-agent: bot{number}\nDisallow: /{number}\n" for number in range(12_000))
MANY_FAULTS: Final = "User-agent *\nDisalow: x\nallow /ä\n" * 2_000
MANY_USES: Final = "User-agent: *\n" + "Content-Usage: /a train-ai=n\nContent-Signal: ai-train=no\n" * 1_000
MANY_SITEMAPS: Final = f"Sitemap: {HOST}/a\n" * 15_000
ELEMENTS: Final = '<meta name="robots" content="noindex">' * 3_000
LOCATIONS: Final = (
    "<urlset>" + "".join(f"<url><loc>{HOST}/{'x' * 900}{number}</loc></url>" for number in range(40_000)) + "</urlset>"
)
AGENTS: Final = [f"bot{number}" for number in range(25)]
PATHS: Final = [f"/x{number}" for number in range(10)]

# The requests of each path of the OpenAPI document.
REQUESTS: Final[dict[str, list[tuple[str, dict[str, Any]]]]] = {
    "/v1/decide": [
        ("POST", {"content": MANY_RULES, "url": "/x", "agent": "a"}),
        ("GET", {"url": f"{HOST}/x", "agent": "a"}),
    ],
    "/v1/decide/batch": [("POST", {"content": MANY_RULES, "urls": PATHS, "agents": ["a", "b"]})],
    "/v1/decide/stream": [("POST", {"content": MANY_RULES, "url": "/x", "agent": "a"})],
    "/v1/explain": [("POST", {"content": MANY_RULES, "url": "/x", "agent": "a"})],
    "/v1/matrix": [("POST", {"content": MANY_GROUPS, "urls": [f"/{n}" for n in range(1_000)], "agents": AGENTS})],
    "/v1/compare": [
        ("POST", {"old": MANY_RULES, "new": MANY_GROUPS, "urls": PATHS * 10, "agents": ["a", "bot1"]}),
    ],
    "/v1/parse": [("POST", {"content": MANY_RULES}), ("POST", {"content": MANY_GROUPS})],
    "/v1/lint": [("POST", {"content": MANY_FAULTS})],
    "/v1/fix": [("POST", {"content": MANY_FAULTS, "unsafe": True})],
    "/v1/format": [("POST", {"content": MANY_FAULTS})],
    "/v1/use": [
        ("POST", {"content": MANY_USES, "agents": AGENTS, "url": "/a"}),
        ("POST", {"content": "", "agents": AGENTS, "url": "/a", "headers": "X-Robots-Tag: noai, noarchive\n" * 2_000}),
    ],
    "/v1/use/fetch": [("POST", {"url": f"{HOST}/page", "agents": AGENTS[:50], "purpose": "training"})],
    "/v1/fetch": [("POST", {"url": HOST})],
    "/v1/facts": [("POST", {"content": MANY_GROUPS}), ("POST", {"content": MANY_USES + MANY_SITEMAPS})],
    "/v1/access": [("GET", {"url": f"{HOST}/"})],
    "/v1/sitemap": [("POST", {"url": f"{HOST}/sitemap.xml"})],
    "/v1/page": [("POST", {"html": ELEMENTS, "agents": AGENTS, "url": f"{HOST}/x", "robots": MANY_RULES})],
    "/v1/page/fetch": [("POST", {"url": f"{HOST}/page", "agents": AGENTS[:50], "resources": True})],
    "/v1/agents": [("GET", {})],
    "/v1/agents/find": [("GET", {"user_agent": "GPTBot " * 200})],
    "/v1/agents/verify": [("POST", {"request": "GET /\n" + "Signature-Input: a=();b\n" * 2_000})],
    "/v1/agents/{name}": [("GET", {"name": "x" * 200})],
}


def test_every_endpoint_has_a_hostile_request(api: API) -> None:
    assert set(REQUESTS) == set(api.get("/v1/openapi.json").json()["paths"])


@pytest.mark.service
@pytest.mark.parametrize("path", REQUESTS)
def test_hostile_requests_have_bounded_answers(path: str) -> None:
    web = ScriptedWeb()
    web.add(f"{HOST}/robots.txt", MANY_SITEMAPS.encode(), headers=(("Content-Type", "text/plain"),))
    web.add(f"{HOST}/page", ELEMENTS.encode(), headers=(("Content-Type", "text/html"),))
    web.add(f"{HOST}/sitemap.xml", LOCATIONS.encode())
    with running_api(transport=web) as api:
        for method, body in REQUESTS[path]:
            response = ask(api, method, path, body)
            assert len(response.content) <= MAX_ANSWER_BYTES
            if response.status_code != 200:
                assert response.json()["type"].startswith("urn:canfetch:problem:"), response.text[:500]
                assert response.status_code in {404, 413, 422, 503}, response.text[:500]


def ask(api: API, method: str, path: str, body: dict[str, Any]) -> Any:
    if path == "/v1/decide/stream":
        lines = "\n".join(map(json.dumps, [{"content": body["content"]}, {"url": body["url"], "agent": body["agent"]}]))
        return api.post(path, content=lines, headers={"Content-Type": "application/x-ndjson"})
    if method == "GET":
        name = body.get("name", "")
        return api.get(path.replace("{name}", name), params={key: body[key] for key in body if key != "name"})
    return api.post(path, json=body)


class CountingWorker:
    """A worker that runs computations in this process, and counts them."""

    def __init__(self) -> None:
        self.calls = 0

    def prepare(self) -> None:
        """Do nothing."""

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self.calls += 1
        return function(*arguments)

    def kill(self) -> None:
        """Do nothing."""


def test_requests_with_many_faults_are_answered_outside_of_the_event_loop() -> None:
    """The error of a key takes longer to describe than the key to read."""
    worker = CountingWorker()
    with running_api(workers=[worker]) as api:
        assert api.answer("decide", content="User-agent: *\nDisallow: /\n", url="/x", agent="a")["allowed"] is False
        assert worker.calls == 0
        api.problem("POST", "/v1/decide", 422, json={f"k{number}": 1 for number in range(700)})
        assert worker.calls == 1
        line = json.dumps({f"k{number}": 1 for number in range(20)})
        stream = {"content": f"{line}\n" * 25, "headers": {"Content-Type": "application/x-ndjson"}}
        assert api.post("/v1/decide/stream", **stream).text.count("unknown key") == 25
        assert worker.calls == 2
