"""Signatures of recorded requests: who signed them, and why not, with the keys of a scripted web."""

import asyncio
import gc
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest
from tests.identity.signers import AGENT_URL, NOW, Signer
from tests.web.conftest import API, ScriptedWeb, StuckWeb, running_api

from canfetch.access.responses import Failure, FailureKind
from canfetch.agents.registry import Registry
from canfetch.client.transports import TransportRequest
from canfetch.core.times import rfc3339
from canfetch.web.settings import RateLimit, Settings
from canfetch.web.web_transport import ThreadTransport

SIGNER, OTHER = Signer(), Signer()
AT = rfc3339(NOW + 1)
STUCK = "https://stuck.example/"
BEHIND_PROXY = Settings(max_fetches=4, trusted_proxies=("127.0.0.1",))


@pytest.fixture
def web() -> ScriptedWeb:
    web = ScriptedWeb()
    web.add(AGENT_URL, json.dumps({"keys": [SIGNER.jwk]}).encode())
    return web


@pytest.fixture
def api(web: ScriptedWeb) -> Iterator[API]:
    api = API(Settings(max_fetches=4), transport=web)
    yield api
    api.close()


def head(*headers: tuple[str, str], path: str = "/a") -> str:
    fields = (("Host", "example.com"), ("User-Agent", "GPTBot/1.2"), *headers)
    return f"GET {path} HTTP/1.1\n" + "".join(f"{name}: {value}\n" for name, value in fields)


def test_a_signed_request(api: API, web: ScriptedWeb) -> None:
    answers = [api.answer("agents/verify", request=head(*SIGNER.headers()), at=AT) for _ in range(2)]
    assert (
        answers[0]
        == answers[1]
        == {
            "crawler": "GPTBot",
            "status": "undecided",
            "reason": "the address of the client is unknown",
            "signature": {
                "status": "valid",
                "reason": "verified",
                "detail": f"signed by the key {SIGNER.key_id} of {AGENT_URL}",
                "url": AGENT_URL,
                "key_id": SIGNER.key_id,
                "covers_body": False,
                "components": ["@authority", 'signature-agent;key="sig1"'],
            },
        }
    )
    assert web.requests == [AGENT_URL]


def test_requests_that_are_not_signed_well(api: API, web: ScriptedWeb) -> None:
    web.sites["https://inner.example/keys"] = lambda: Failure("", FailureKind.DNS, "no name")
    inner = "https://inner.example/keys"
    heads = {
        "absent": head(),
        "expired": head(*SIGNER.headers(created=1, expires=2)),
        "key-unknown": head(*OTHER.headers()),
        "bad-signature": head(*SIGNER.headers({'"@authority"': "x", '"signature-agent";key="sig1"': f'"{AGENT_URL}"'})),
        "other-host": head(*SIGNER.headers(), path="https://other.example/"),
        "directory-unavailable": head(*SIGNER.headers(agent=f'sig1="{inner}"')),
    }
    found = {
        name: api.answer("agents/verify", request=text, at=AT)["signature"]["reason"] for name, text in heads.items()
    }
    assert found == {name: name for name in heads}


def test_the_host_of_the_site(api: API, web: ScriptedWeb) -> None:
    def reason(host: str, *headers: tuple[str, str]) -> str:
        answer = api.answer("agents/verify", request=head(*headers), at=AT, host=host)
        assert answer["crawler"] == "GPTBot"
        return f"{answer['signature']['status']}: {answer['signature']['reason']}"

    # Nothing is fetched for a request to another host.
    assert reason("other.example", *SIGNER.headers()) == "invalid: other-host"
    assert reason("other.example") == "absent: absent"
    assert reason("other.example", *SIGNER.headers(tag="other")) == "absent: absent"
    assert reason("other.example", ("Signature-Input", 'x=();tag="web-bot-auth"')) == "invalid: signature-unreadable"
    assert web.requests == []
    assert reason("EXAMPLE.com", *SIGNER.headers()) == "valid: verified"


@pytest.mark.parametrize(
    "body, detail",
    [
        ({"request": "x"}, "invalid request line 'x'"),
        ({"request": "GET /", "at": "soon"}, "invalid at 'soon'"),
        ({"request": "GET /", "host": "a/b"}, "invalid host 'a/b'"),
        (
            {"request": "GET /\nUser-Agent: " + ")(" * 2048 + ")"},
            "the User-Agent field is longer than 4,096 characters",
        ),
    ],
)
def test_invalid_questions(api: API, body: dict[str, str], detail: str) -> None:
    assert detail in api.problem("POST", "/v1/agents/verify", 422, json=body)["detail"]


def signed_by(*directories: str) -> str:
    """Return the head of a request with a signature for each directory."""
    members = {f"s{number}": f'"{url}"' for number, url in enumerate(directories)}
    headers = [("Signature-Agent", ", ".join(f"{label}={url}" for label, url in members.items()))]
    for label, url in members.items():
        covered = {'"@authority"': "example.com", f'"signature-agent";key="{label}"': url}
        headers += SIGNER.headers(covered, label=label, agent=None)
    return head(*headers)


def signature_of(api: API, text: str) -> tuple[str, str]:
    signature = api.answer("agents/verify", request=text, at=AT)["signature"]
    return signature["reason"], signature["detail"]


def verify_from(api: API, client: str, text: str) -> tuple[int, str]:
    """Return the status and the answer to a client behind a proxy."""
    response = api.post("/v1/agents/verify", json={"request": text, "at": AT}, headers={"X-Forwarded-For": client})
    return response.status_code, response.text


def test_the_event_loop_does_not_read_large_heads(api: API, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    find_crawler = Registry.find_crawler

    def find(registry: Registry, user_agent: str) -> Any:
        found.append(user_agent)
        return find_crawler(registry, user_agent)

    monkeypatch.setattr(Registry, "find_crawler", find)
    small = api.answer("agents/verify", request=head(*SIGNER.headers()), at=AT)
    assert found == ["GPTBot/1.2"]
    large = api.answer("agents/verify", request=head(*SIGNER.headers(), ("X", "x" * 20_000)), at=AT)
    assert found == ["GPTBot/1.2"]
    assert large == small


def test_each_directory_is_charged() -> None:
    web = ScriptedWeb()
    web.add(AGENT_URL, json.dumps({"keys": [SIGNER.jwk]}).encode())
    with running_api(Settings(fetches=RateLimit(0.001, 2)), transport=web) as api:
        # Keys in memory are not charged.
        for _ in range(5):
            assert signature_of(api, signed_by(AGENT_URL))[0] == "verified"
        others = [f"https://{name}.example/keys" for name in "ab"]
        body = {"request": signed_by(*others), "at": AT}
        problem = api.problem("POST", "/v1/agents/verify", 429, json=body)
        assert "too many fetches: try again in" in problem["detail"]
        assert web.requests == [AGENT_URL, others[0]]


def test_a_client_has_a_part_of_the_fetches(web: ScriptedWeb) -> None:
    stuck = StuckWeb(STUCK)
    stuck.sites = web.sites
    with running_api(BEHIND_PROXY, transport=stuck) as api:
        api.limit_fetches(1)
        status, text = verify_from(api, "192.0.2.1", signed_by(STUCK))
        assert status == 200
        assert "the directory with the key is still being fetched" in text
        # The fetch runs on, and counts until it ends.
        api.limit_fetches(30)
        status, text = verify_from(api, "192.0.2.1", signed_by(AGENT_URL))
        assert status == 503, text
        assert "too many fetches are running" in text
        status, text = verify_from(api, "198.51.100.1", signed_by(AGENT_URL))
        assert status == 200
        assert '"verified"' in text


def test_directories_of_one_client_leave_those_of_others(api: API) -> None:
    for number in range(32):
        names = [f"https://{number}-{name}.example/" for name in "ab"]
        assert signature_of(api, signed_by(*names))[1] == "the directory is not available: status 404"
    assert signature_of(api, signed_by(AGENT_URL))[0] == "verified"


def test_no_directory_is_fetched_after_the_time_of_the_request(web: ScriptedWeb) -> None:
    stuck = StuckWeb(STUCK)
    stuck.sites = web.sites
    with running_api(transport=stuck) as api:
        api.limit_fetches(1)
        started = time.monotonic()
        assert signature_of(api, signed_by(STUCK, "https://b.example/")) == (
            "directory-pending",
            "the directory with the key is still being fetched",
        )
        # Without the deadline of the request, the wait takes 10 s.
        assert time.monotonic() - started < 8
        api.run(asyncio.sleep(0.1))
        assert stuck.requests == []
        api.limit_fetches(30)
        assert signature_of(api, signed_by(AGENT_URL))[0] == "verified"


def request_for(url: str, timeout: float) -> TransportRequest:
    return TransportRequest(
        url=url,
        headers=(),
        max_bytes=1,
        connect_timeout=timeout,
        read_timeout=timeout,
        timeout=timeout,
        allow_private=False,
    )


def test_a_late_request_of_a_thread_is_cancelled() -> None:
    web = StuckWeb(STUCK)

    async def run() -> None:
        transport = ThreadTransport(web, asyncio.get_running_loop())
        with pytest.raises(TimeoutError):
            await asyncio.to_thread(transport.send, request_for(STUCK, -0.5))
        await asyncio.sleep(0.05)
        assert (web.most_waiting, web.waiting) == (1, 0)

    asyncio.run(run())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("is_scheduled", [False, True])
def test_a_request_of_a_thread_on_a_closed_loop(*, is_scheduled: bool) -> None:
    loop = asyncio.new_event_loop()
    transport = ThreadTransport(ScriptedWeb(), loop)
    result: Future[Any] = Future()

    def send() -> None:
        try:
            transport.send(request_for(STUCK, 0.0))
        except Exception as error:  # noqa: BLE001 - the result of the test
            result.set_result(error)

    if not is_scheduled:
        loop.close()
    thread = threading.Thread(target=send)
    thread.start()
    if is_scheduled:
        # The loop does not run, so that the request waits for its timeout.
        thread.join(0.1)
        loop.close()
    thread.join()
    # A slow thread finds the loop closed.
    assert isinstance(result.result(0), TimeoutError | RuntimeError)
    # A coroutine that is not closed warns here.
    gc.collect()


def test_only_post_verifies(api: API) -> None:
    response = api.get("/v1/agents/verify")
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
