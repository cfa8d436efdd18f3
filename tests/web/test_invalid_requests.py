"""The errors about requests that do not have the declared form."""

from typing import Any

import pytest

pytest.importorskip("fastapi")

from tests.web.conftest import API

USE = {"content": "", "url": "/", "agents": ["GPTBot"]}


@pytest.mark.parametrize(
    "body, detail",
    [
        ({**USE, "agents": []}, "agents: expected at least 1 item"),
        ({**USE, "agents": [""]}, "agents.0: expected at least 1 character"),
        ({**USE, "agents": "GPTBot"}, "agents: expected an array, not 'GPTBot'"),
        ({**USE, "url": None}, "url: expected a string, not null"),
        ({**USE, "headers": {"X-Robots-Tag": "noai"}}, "headers: expected a string, not an object"),
        ({**USE, "headers": "noai"}, "invalid header 'noai' on line 1: expected 'NAME: VALUE', such as"),
        ({**USE, "exact": 1}, "exact: expected true or false, not 1"),
        ({**USE, "content_encoding": "gzip"}, "content_encoding: expected 'utf-8' or 'base64', not 'gzip'"),
        ({**USE, "agent": ["GPTBot"]}, "agent: unknown key: did you mean 'agents'?"),
        ({**USE, "purpose": "x"}, "purpose: unknown key: expected profile, edition, content, content_encoding, url,"),
        ([USE], "expected an object, not an array"),
        ({**USE, "content": False}, "content: expected a string, not false"),
        ({**USE, "tdm_file": int("9" * 4000)}, "tdm_file: expected a string, not 99999"),
    ],
)
def test_an_invalid_request_names_the_value_and_what_is_expected(api: API, body: Any, detail: str) -> None:
    found = api.problem("POST", "/v1/use", 422, json=body)["detail"]
    assert found.startswith(detail)
    assert len(found) < 300


@pytest.mark.parametrize("coding", ["gzip", "br", "unknown, gzip"])
def test_a_body_with_a_content_coding_is_refused(api: API, coding: str) -> None:
    problem = api.problem("POST", "/v1/use", 415, json=USE, headers={"Content-Encoding": coding})
    assert problem["detail"] == "the body has a Content-Encoding: send it without one"
    assert api.request("POST", "/v1/use", json=USE, headers={"Content-Encoding": "identity"}).status_code == 200
