"""Signatures of recorded requests: who signed them, and why not, with the keys of a scripted web."""

import json
from collections.abc import Iterator

import pytest
from tests.identity.signers import AGENT_URL, NOW, Signer
from tests.web.conftest import API, ScriptedWeb

from canfetch.access.responses import Failure, FailureKind
from canfetch.core.times import rfc3339
from canfetch.web.settings import Settings

SIGNER, OTHER = Signer(), Signer()
AT = rfc3339(NOW + 1)


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


@pytest.mark.parametrize(
    "body, detail",
    [({"request": "x"}, "invalid request line 'x'"), ({"request": "GET /", "at": "soon"}, "invalid at 'soon'")],
)
def test_invalid_questions(api: API, body: dict[str, str], detail: str) -> None:
    assert detail in api.problem("POST", "/v1/agents/verify", 422, json=body)["detail"]


def test_only_post_verifies(api: API) -> None:
    response = api.get("/v1/agents/verify")
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
