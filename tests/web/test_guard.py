"""The guard: hosts, pages of other sites, tokens, rates, sizes and times."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from simulation.virtual_time import run_in_virtual_time
from starlette.types import Message, Receive, Scope, Send
from tests.web.conftest import API, ScriptedWeb, running_api

from canfetch.access.responses import Failure, Response
from canfetch.client.transports import TransportRequest
from canfetch.errors import InvalidOption
from canfetch.web.server.clients import ClientAddresses, RateLimiter
from canfetch.web.server.guard import BODY_LIMITS, CONTENT_SECURITY_POLICY, MAX_QUERY_FIELDS, Guard
from canfetch.web.settings import RateLimit, Settings

TOKEN = "correct-horse"  # noqa: S105 - a token of a test
QUESTIONS: dict[str, Any] = {"content": "User-agent: *\nDisallow: /x\n", "agents": ["GPTBot"]}
QUESTION = {"content": "User-agent: *\nDisallow: /x\n", "url": "/x", "agent": "GPTBot"}


@pytest.fixture(scope="module")
def private() -> Iterator[API]:
    """Return a server with a token and known host names, as on a loopback address."""
    settings = Settings(token=TOKEN, host_names=("localhost:8420",), cors_origins=("https://tools.example",))
    with running_api(settings, transport=ScriptedWeb()) as running:
        yield running


def authorized(**headers: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKEN}", **headers}


def test_every_answer_has_the_security_headers(api: API) -> None:
    for response in (api.get("/"), api.get("/v1/agents"), api.get("/missing"), api.post("/v1/lint", content=b"{")):
        assert response.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cross-origin-opener-policy"] == "same-origin"
        assert "access-control-allow-origin" not in response.headers


def test_token_is_required(private: API) -> None:
    problem = private.problem("POST", "/v1/decide", 401, json=QUESTION)
    assert "Bearer" in problem["detail"]
    for value in ("Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", ""):
        private.problem("POST", "/v1/decide", 401, json=QUESTION, headers={"Authorization": value})
    private.problem("GET", "/metrics", 401)
    for scheme in ("Bearer", "bearer", "BEARER"):
        response = private.post("/v1/decide", json=QUESTION, headers={"Authorization": f"{scheme} {TOKEN}"})
        assert response.status_code == 200


def test_page_and_health_need_no_token(private: API) -> None:
    assert [private.get(path).status_code for path in ("/", "/healthz", "/readyz")] == [200, 200, 200]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8420", "localhost:8420.evil.example", "127.0.0.1.evil.example", ""]
)
def test_unknown_host_names_are_refused(private: API, host: str) -> None:
    problem = private.problem("GET", "/", 421, headers={"Host": host})
    assert problem["type"] == "urn:canfetch:problem:unknown-host"


@pytest.mark.parametrize("name", ["Tools.example:443", "tools.example:80", "tools.example.", "tools.example"])
def test_default_port_and_final_dot_of_a_host_name_do_not_count(name: str) -> None:
    with running_api(Settings(host_names=(name, "other.example:8420"))) as api:
        for host in ("tools.example", "TOOLS.example.", "tools.example:8420", "tools.example.:443"):
            assert api.get("/", headers={"Host": host}).status_code == 200
        for host in ("other.example:8421", "other.example", "tools.example:x", "evil.example"):
            assert api.get("/", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize(
    "name", ["https://tools.example", "tools.example/", "*.example", "", "a b", ".a", "a:", "b@a", "a,b", "."]
)
def test_invalid_host_names(name: str) -> None:
    with pytest.raises(InvalidOption, match=r"invalid host name '.*': expected a name such as"):
        Settings(host_names=(name,))


def test_host_name_beyond_ascii_is_written_as_requests_have_it() -> None:
    with pytest.raises(InvalidOption, match=r"expected a name such as 'xn--mnchen-3ya\.example'$"):
        Settings(host_names=("münchen.example",))


@pytest.mark.parametrize("host", ["localhost:8420", "LOCALHOST", "127.0.0.1:8421", "[::1]:8420"])
def test_loopback_addresses_are_known_with_any_port(private: API, host: str) -> None:
    assert private.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/healthz", "/readyz", "/metrics", "/v1/openapi.json", "/v1/agents/gptbot", "/v1/agents/nobody"]
)
def test_rfc9110_9_3_2_head_is_answered_as_get(private: API, path: str) -> None:
    got, head = (private.request(method, path, headers=authorized()) for method in ("GET", "HEAD"))
    assert head.status_code == got.status_code
    assert head.headers["content-type"] == got.headers["content-type"]
    if path != "/metrics":
        assert head.headers["content-length"] == got.headers["content-length"]


def test_head_is_not_supported_where_get_is_not(private: API) -> None:
    response = private.request("HEAD", "/v1/lint", headers=authorized())
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


def test_head_counts_as_head_with_its_route() -> None:
    with running_api(transport=ScriptedWeb()) as fresh:
        fresh.request("HEAD", "/v1/agents/gptbot")
        metrics = fresh.get("/metrics").text
    assert 'canfetch_requests_total{method="HEAD",route="/v1/agents/{name}",status="200"}' in metrics


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:8421"},
        {"Origin": "https://localhost:8420"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=["origin", "null", "port", "scheme", "cross-site", "same-site"],
)
def test_pages_of_other_sites_are_refused(private: API, headers: dict[str, str]) -> None:
    private.problem("POST", "/v1/decide", 403, json=QUESTION, headers=authorized(**headers))
    for method, path in (("GET", "/metrics"), ("POST", "/metrics"), ("GET", "/%6Detrics")):
        private.problem(method, path, 403, headers=authorized(**headers))


@pytest.mark.parametrize(
    "name, other, own",
    [
        ("Origin", "http://evil.example", "http://localhost:8420"),
        ("Sec-Fetch-Site", "cross-site", "same-origin"),
    ],
)
def test_a_second_header_does_not_hide_another_site(private: API, name: str, other: str, own: str) -> None:
    for values in ((other, own), (own, other)):
        headers = [*authorized().items(), *((name, value) for value in values)]
        assert private.request("POST", "/v1/decide", json=QUESTION, headers=headers).status_code == 403


def test_metrics_are_refused_for_unknown_hosts(private: API) -> None:
    private.problem("GET", "/metrics", 421, headers=authorized(Host="evil.example:8420"))
    assert private.get("/metrics", headers=authorized()).status_code == 200


@pytest.mark.slow
def test_own_page_and_programs_are_accepted(private: API) -> None:
    for headers in (
        {"Origin": "http://localhost:8420", "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {},
    ):
        response = private.post("/v1/decide", json=QUESTION, headers=authorized(**headers))
        assert response.status_code == 200


def test_chosen_site_may_use_the_api(private: API) -> None:
    origin = {"Origin": "https://tools.example"}
    preflight = private.request("OPTIONS", "/v1/decide", headers={**origin, "Access-Control-Request-Method": "POST"})
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-origin"] == "https://tools.example"
    response = private.post("/v1/decide", json=QUESTION, headers=authorized(**origin))
    assert response.headers["access-control-allow-origin"] == "https://tools.example"
    assert response.headers["vary"] == "origin"


def test_requests_are_limited_by_client() -> None:
    settings = Settings(requests=RateLimit(0.001, 3), trusted_proxies=("127.0.0.1",))
    with running_api(settings, transport=ScriptedWeb()) as api:
        forwarded = {"X-Forwarded-For": "203.0.113.9"}
        assert [api.get("/v1/agents/find?user_agent=x", headers=forwarded).status_code for _ in range(3)] == [200] * 3
        response = api.get("/v1/agents/find?user_agent=x", headers=forwarded)
        assert response.status_code == 429
        assert int(response.headers["retry-after"]) > 1
        # A client cannot become another one, because only the last address is that of the proxy's client.
        spoofed = {"X-Forwarded-For": "198.51.100.1, 203.0.113.9"}
        assert api.get("/v1/agents/find?user_agent=x", headers=spoofed).status_code == 429
        other = {"X-Forwarded-For": "203.0.113.10"}
        assert api.get("/v1/agents/find?user_agent=x", headers=other).status_code == 200
        assert api.get("/healthz", headers=forwarded).status_code == 200


def test_fetches_have_a_limit_of_their_own() -> None:
    with running_api(Settings(fetches=RateLimit(0.001, 1)), transport=ScriptedWeb()) as api:
        assert api.post("/v1/fetch", json={"url": "http://a.example/"}).status_code == 200
        # A file that is cached is not fetched.
        assert api.get("/v1/decide?url=http://a.example/&agent=GPTBot").status_code == 200
        question = {"url": "http://b.example/", "agent": "GPTBot"}
        lists = {"urls": ["http://b.example/"], "agents": ["GPTBot"]}
        for path, body in (
            ("fetch", {"url": "http://a.example/", "refresh": True}),
            ("decide", question),
            ("explain", question),
            ("matrix", lists),
            ("decide/batch", lists),
            ("sitemap", {"url": "http://b.example/sitemap.xml"}),
            ("page/fetch", {"url": "http://b.example/", "agents": ["GPTBot"], "resources": True}),
        ):
            problem = api.problem("POST", f"/v1/{path}", 429, json=body)
            assert problem["detail"].startswith("too many fetches: try again in ")
        headers = {"Content-Type": "application/x-ndjson"}
        answer = api.post("/v1/decide/stream", content=json.dumps(question), headers=headers).json()
        assert answer["error"].startswith("too many fetches: ")
        assert api.post("/v1/decide", json=QUESTION).status_code == 200


def test_tokens_come_back_with_time_and_clients_are_bounded() -> None:
    now = 0.0
    limiter = RateLimiter(RateLimit(2, 1), lambda: now)
    assert limiter.take("a") == 0
    assert limiter.take("a") == 0.5
    now = 0.5
    assert limiter.take("a") == 0
    for number in range(30_000):
        limiter.take(str(number))
    assert len(limiter._buckets) == 20_000


@pytest.mark.parametrize(
    "pause, size, is_complete", [(1.0, 1, False), (29.0, 1024, False), (1.0, 1024, True), (29.0, 29 * 1024, True)]
)
def test_streams_have_a_minimum_rate(pause: float, size: int, is_complete: bool) -> None:  # noqa: FBT001
    received: list[int] = []
    parts = iter([True] * 119 + [False])

    async def receive() -> Message:
        await asyncio.sleep(pause)
        return {"type": "http.request", "body": b"x" * size, "more_body": next(parts)}

    async def app(_scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while (message := await receive())["more_body"]:
            received.append(len(message["body"]))
        await send({"type": "http.response.body", "body": b"end"})

    async def send(message: Message) -> None:
        sent.append(message.get("body", b""))

    sent: list[bytes] = []
    guard = Guard(app, Settings(), observe=lambda *_: None)  # type: ignore[arg-type]  # any application
    scope = {"type": "http", "method": "POST", "path": "/v1/decide/stream", "headers": [], "client": ("192.0.2.1", 1)}
    run_in_virtual_time(lambda: guard(scope, receive, send))
    assert (b"end" in sent) is is_complete
    assert is_complete or len(received) * pause < 61


def test_burst_follows_the_rate() -> None:
    assert RateLimit(20, 100).with_rate(2) == RateLimit(2, 10)
    assert RateLimit(20, 100).with_rate(0.001).burst == 1
    assert RateLimit(20, 100).with_rate(None) == RateLimit(20, 100)


def test_forwarded_addresses_count_only_from_trusted_proxies() -> None:
    headers = [(b"x-forwarded-for", b"203.0.113.9, 10.0.0.7")]
    scope: dict[str, Any] = {"client": ("10.0.0.1", 1), "headers": headers}
    assert ClientAddresses(()).find(scope) == "10.0.0.1"
    assert ClientAddresses(["10.0.0.0/24"]).find(scope) == "203.0.113.9"
    assert ClientAddresses(["192.0.2.1"]).find(scope) == "10.0.0.1"
    for with_port, client in ((b"203.0.113.9:8080", "203.0.113.9"), (b"[2001:db8::1]:8080", "2001:db8::/64")):
        scope["headers"] = [(b"x-forwarded-for", with_port)]
        assert ClientAddresses(["10.0.0.0/24"]).find(scope) == client
    # The client is unknown, so the proxy counts.
    for field in (b"spoofed", b"203.0.113.9, spoofed, 10.0.0.7", b"10.0.0.9, 10.0.0.7", b"10.0.0.7," * 6000):
        scope["headers"] = [(b"x-forwarded-for", field)]
        assert ClientAddresses(["10.0.0.0/24"]).find(scope) == "10.0.0.1"
    assert ClientAddresses(()).find({"client": ("2001:db8::1:2", 1), "headers": []}) == "2001:db8::/64"


def test_cookies_do_not_reach_the_application() -> None:
    seen: list[Scope] = []

    async def app(scope: Scope, _receive: Receive, send: Send) -> None:
        seen.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        pass

    guard = Guard(app, Settings(), observe=lambda *_: None)  # type: ignore[arg-type]  # any application
    fields = [(b"cookie", b'a="' + b"\\" * 60_000 + b'"'), (b"accept", b"*/*"), (b"cookie", b"b=c")]
    for method in ("GET", "HEAD", "POST"):
        scope = {"type": "http", "method": method, "path": "/healthz", "headers": fields, "client": ("192.0.2.1", 1)}
        asyncio.run(guard(scope, receive, send))
    assert [scope["headers"] for scope in seen] == [[(b"accept", b"*/*")]] * 3


@pytest.mark.parametrize("path", ["/healthz", "/v1/agents", "/v1/nothing", "/"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_query_strings_with_many_fields_are_refused_before_they_are_parsed(
    api: API, monkeypatch: pytest.MonkeyPatch, method: str, path: str
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError

    monkeypatch.setattr("starlette.datastructures.parse_qsl", refuse)
    for fields in (MAX_QUERY_FIELDS + 1, 28_000):
        response = api.request(method, f"{path}?{'&'.join(['a'] * fields)}")
        assert response.status_code == 400
        if method != "HEAD":
            assert response.json()["type"] == "urn:canfetch:problem:bad-request"
            assert "more than 256 fields" in response.json()["detail"]


def test_query_strings_with_256_fields_are_accepted(api: API) -> None:
    query = "&".join(["operator=a"] * 50 + ["a"] * (MAX_QUERY_FIELDS - 50))
    assert api.get(f"/v1/agents?{query}").status_code == 200


async def endless(size: int) -> AsyncIterator[bytes]:
    for _ in range(size // 65_536):
        yield b"x" * 65_536


def test_declared_body_that_is_too_large_is_refused_before_it_is_read(api: API) -> None:
    headers = {"Content-Type": "application/json", "Content-Length": str(100_000_000)}
    problem = api.problem("POST", "/v1/lint", 413, content=b"{", headers=headers)
    assert problem["detail"] == f"the body is larger than {BODY_LIMITS['lint']} bytes"


def test_streamed_body_that_is_too_large_is_refused(api: API) -> None:
    headers = {"Content-Type": "application/json"}
    problem = api.problem("POST", "/v1/lint", 413, content=endless(100_000_000), headers=headers)
    assert problem["type"] == "urn:canfetch:problem:too-large"
    assert api.guard.kept.taken == 0


@pytest.mark.slow
def test_bodies_of_requests_and_answers_are_bounded_together_and_for_each_client() -> None:
    with running_api(Settings(max_body_bytes=8_000), transport=ScriptedWeb()) as api:
        api.problem("POST", "/v1/lint", 503, json={"content": "x" * 2_001})
        # The request fits, and its answer does not.
        api.problem("POST", "/v1/decide/batch", 503, json={**QUESTIONS, "urls": ["/x"] * 20})
        assert api.post("/v1/decide/batch", json={**QUESTIONS, "urls": ["/x"]}).status_code == 200
        assert api.guard.kept.taken == 0


@pytest.mark.slow
def test_10_000_urls_are_accepted_and_more_are_not(api: API) -> None:
    body = {"content": QUESTION["content"], "urls": ["/x"] * 10_000, "agents": ["GPTBot"]}
    assert len(api.answer("matrix", **body)["rows"]) == 10_000
    body["urls"] = ["/x"] * 10_001
    for path in ("matrix", "decide/batch"):
        problem = api.problem("POST", f"/v1/{path}", 422, json=body)
        assert problem["detail"] == "urls: more than 10000 items"


def test_number_of_verdicts_is_bounded(api: API) -> None:
    body = {"content": "", "urls": ["/x"] * 1000, "agents": [f"Bot{number}" for number in range(201)]}
    problem = api.problem("POST", "/v1/matrix", 422, json=body)
    assert problem["detail"] == "201000 verdicts requested: expected at most 200000, URLs times agents"


def test_body_that_does_not_arrive_is_a_problem() -> None:
    async def slow() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    with running_api(Settings(body_timeout=0.2), transport=ScriptedWeb()) as api:
        headers = {"Content-Type": "application/json"}
        problem = api.problem("POST", "/v1/lint", 408, content=slow(), headers=headers)
    assert problem["detail"] == "the body of the request did not arrive in time"


def test_request_that_takes_too_long_is_a_problem() -> None:
    class SlowWeb(ScriptedWeb):
        async def send(self, _request: Any) -> Any:
            await asyncio.Event().wait()

    with running_api(Settings(timeout=0.2), transport=SlowWeb()) as api:
        late = api.problem("POST", "/v1/fetch", 424, json={"url": "http://a.example/"})
        problem = api.problem("GET", "/v1/access?url=http://a.example/", 503)
    assert late["detail"] == "the robots.txt of 'http://a.example/' took too long"
    assert problem["type"] == "urn:canfetch:problem:timeout"


@pytest.mark.slow
def test_fetches_at_a_time_are_bounded() -> None:
    class HeldWeb(ScriptedWeb):
        def __init__(self) -> None:
            super().__init__()
            self.is_requested, self.released = asyncio.Event(), asyncio.Event()

        async def send(self, request: TransportRequest) -> Response | Failure:
            self.is_requested.set()
            await self.released.wait()
            return await super().send(request)

    web = HeldWeb()

    async def race(api: API) -> list[str]:
        def fetch(number: int) -> Any:
            return api.client.post("/v1/fetch", json={"url": f"http://host-{number}.example/"})

        first = asyncio.create_task(fetch(0))
        await web.is_requested.wait()
        others = await asyncio.gather(fetch(1), fetch(2))
        web.released.set()
        assert (await first).status_code == 200
        return [response.json()["type"].rpartition(":")[2] for response in others]

    with running_api(Settings(max_fetches=1), transport=web) as api:
        assert api.run(race(api)) == ["overloaded", "overloaded"]


def test_fetches_of_clients_that_went_away_count_until_they_end() -> None:
    class SilentWeb(ScriptedWeb):
        def __init__(self) -> None:
            super().__init__()
            self.running = 0
            self.released = asyncio.Event()

        async def send(self, request: TransportRequest) -> Response | Failure:
            self.running += 1
            await self.released.wait()
            return await super().send(request)

    web = SilentWeb()

    async def leave_and_ask(api: API) -> list[int]:
        def fetch(number: int) -> Any:
            return api.client.post("/v1/fetch", json={"url": f"http://host-{number}.example/"})

        # A quarter of eight is for one client.
        gone = [asyncio.create_task(fetch(number)) for number in range(2)]
        async with asyncio.timeout(30):
            while web.running < 2:  # noqa: ASYNC110 - nothing signals it
                await asyncio.sleep(0.01)
        for task in gone:
            task.cancel()
        await asyncio.wait(gone)
        refused = (await fetch(2)).status_code
        web.released.set()
        async with asyncio.timeout(30):
            while (later := (await fetch(2)).status_code) == 503:  # noqa: ASYNC110 - nothing signals it
                await asyncio.sleep(0.01)
        return [refused, later]

    with running_api(Settings(max_fetches=8), transport=web) as api:
        assert api.run(leave_and_ask(api)) == [503, 200]


def test_the_bytes_of_documents_are_limited_for_each_client() -> None:
    class HeldSitemaps(ScriptedWeb):
        def __init__(self) -> None:
            super().__init__()
            self.held = 0
            self.released = asyncio.Event()

        async def send(self, request: TransportRequest) -> Response | Failure:
            if request.url.endswith("/sitemap.xml"):
                self.held += 1
                await self.released.wait()
            return await super().send(request)

    web = HeldSitemaps()

    async def race(api: API) -> list[int]:
        def fetch(number: int) -> Any:
            return api.client.post("/v1/sitemap", json={"url": f"http://host-{number}.example/sitemap.xml"})

        async def release() -> None:
            # A quarter of 512 MiB has room for two sitemaps.
            while web.held < 2:  # noqa: ASYNC110 - nothing signals it
                await asyncio.sleep(0.01)
            third = await fetch(2)
            statuses.append(third.status_code)
            web.released.set()

        statuses: list[int] = []
        await asyncio.gather(fetch(0), fetch(1), release())
        # What they took is free again.
        statuses.append((await fetch(3)).status_code)
        return statuses

    with running_api(Settings(), transport=web) as api:
        overloaded, later = api.run(race(api))
    assert overloaded == 503
    assert later != 503


def test_page_behind_a_proxy_that_decrypts_https_is_accepted(api: API) -> None:
    for origin, status in (("https://robots.example", 200), ("ftp://robots.example", 403)):
        headers = {"Host": "robots.example", "Origin": origin}
        assert api.post("/v1/decide", json=QUESTION, headers=headers).status_code == status


@pytest.mark.parametrize("path", ["/v1/lint", "/v1/decide/stream"])
def test_client_that_goes_away_is_no_error(live: API, path: str, caplog: pytest.LogCaptureFixture) -> None:
    messages: list[dict[str, Any]] = [
        {"type": "http.disconnect"},
        {"type": "http.request", "body": b"{", "more_body": True},
    ]
    media_type = b"application/x-ndjson" if path.endswith("stream") else b"application/json"
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"localhost:8420"), (b"content-type", media_type)],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8420),
    }

    async def receive() -> dict[str, Any]:
        return messages.pop()

    async def send(_message: Any) -> None:
        """Do nothing."""

    with caplog.at_level(logging.INFO):
        live.run(live.guard(scope, receive, send))
    assert f"POST {path} 499 " in caplog.text
    assert {record.levelno for record in caplog.records} == {logging.INFO}
    sample = f'canfetch_requests_total{{method="POST",route="{path}",status="499"}}'
    assert sample in live.get("/metrics").text


def test_nothing_of_a_draft_is_logged(api: API, caplog: pytest.LogCaptureFixture) -> None:
    draft = "unannounced-product"
    with caplog.at_level(logging.DEBUG):
        api.answer("lint", content=f"Disallow: /{draft}\n")
        api.answer("decide", content=f"Disallow: /{draft}\n", url=f"/{draft}", agent="GPTBot")
        api.get(f"/v1/decide?url=http://a.example/{draft}&agent=GPTBot")
        api.post("/v1/lint", json={"content": 1, "url": draft})
        api.post("/v1/decide", json={"content": draft, "url": draft, "agent": "GPTBot"})
    assert "POST /v1/lint 200" in caplog.text
    assert "GET /v1/decide 200" in caplog.text
    own = [record.getMessage() for record in caplog.records if record.name.startswith(("canfetch.web", "uvicorn"))]
    assert not [message for message in own if draft in message]


@pytest.mark.parametrize(
    "name, value",
    [("token", ""), ("token", "a b"), ("timeout", 0), ("processes", 0), ("trusted_proxies", ("x",))],
    ids=["token", "spaces", "timeout", "processes", "proxy"],
)
def test_invalid_settings_are_errors(name: str, value: Any) -> None:
    with pytest.raises(InvalidOption, match=name.replace("_prox", " prox").replace("ies", "y")):
        Settings(**{name: value})
