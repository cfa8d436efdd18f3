"""Names of agents in requests: those that no file can name are refused, and misspelt ones are noted."""

import json
from typing import Any

import pytest
from tests.web.conftest import API

FILE = "User-agent: *\nDisallow: /a\n"
ONE = {"content": FILE, "url": "/a", "agent": None}
SEVERAL = {"content": FILE, "urls": ["/a"], "agents": None}
BODIES: dict[str, dict[str, Any]] = {
    "decide": ONE,
    "explain": ONE,
    "decide/batch": SEVERAL,
    "matrix": SEVERAL,
    "compare": {"old": FILE, "new": "", "urls": ["/a"], "agents": None},
    "use": {"content": FILE, "agents": None},
    "page": {"headers": "X-Robots-Tag: noindex", "agents": None},
}


def body(path: str, name: str) -> dict[str, Any]:
    return {
        key: [name] if key == "agents" else name if key == "agent" else value for key, value in BODIES[path].items()
    }


@pytest.mark.parametrize("path", BODIES)
def test_name_of_several_agents_is_refused(api: API, path: str) -> None:
    problem = api.problem("POST", f"/v1/{path}", 422, json=body(path, "GPTBot,CCBot"))
    assert problem["type"] == "urn:canfetch:problem:invalid-product-token"
    assert problem["detail"] == (
        "invalid agent 'GPTBot,CCBot': expected one name without ',', '*' and '#', such as 'GPTBot'; "
        "pass several names separately"
    )


@pytest.mark.parametrize("path", ["page/fetch", "decide"])
def test_name_of_several_agents_is_refused_before_anything_is_fetched(api: API, path: str) -> None:
    url = "https://never-fetched.example/"
    if path == "decide":
        problem = api.problem("GET", "/v1/decide", 422, params={"url": url, "agent": "GPTBot,CCBot"})
    else:
        problem = api.problem("POST", f"/v1/{path}", 422, json={"url": url, "agents": ["GPTBot,CCBot"]})
    assert problem["type"] == "urn:canfetch:problem:invalid-product-token"


@pytest.mark.parametrize("path", BODIES)
def test_misspelt_name_is_noted(api: API, path: str) -> None:
    note = "unknown crawler 'GPTBto': did you mean 'GPTBot'?"
    assert api.answer(path, **body(path, "GPTBto"))["agent_notes"] == [note]
    assert "agent_notes" not in api.answer(path, **body(path, "GPTBot"))
    if path != "page":
        assert "agent_notes" not in api.answer(path, **body(path, "GPTBto"), exact=True)


@pytest.mark.parametrize("path", BODIES)
def test_name_in_the_file_is_not_noted(api: API, path: str) -> None:
    file = FILE + "\nUser-agent: gptbto\nDisallow: /b\n"
    keys = {"compare": "new", "page": "robots"}
    asked = {**body(path, "GPTBto"), keys.get(path, "content"): file, **({"url": "/a"} if path == "page" else {})}
    assert "agent_notes" not in api.answer(path, **asked)
    if path != "compare":
        assert api.answer(path, **{**asked, **({"agents": ["OpenAI"]} if "agents" in asked else {"agent": "OpenAI"})})[
            "agent_notes"
        ]


def test_each_line_of_a_stream_has_its_own_error_or_note(api: API) -> None:
    names = "GPTBot", "GPTBot,CCBot", "GPTBto"
    lines = [{"content": FILE}, *({"url": "/a", "agent": name} for name in names)]
    response = api.post(
        "/v1/decide/stream",
        content="".join(json.dumps(line) + "\n" for line in lines),
        headers={"Content-Type": "application/x-ndjson"},
    )
    known, several, misspelt = map(json.loads, response.text.splitlines())
    assert known["allowed"] is False
    assert "agent_notes" not in known
    assert several["allowed"] is None
    assert several["error"].startswith("invalid agent 'GPTBot,CCBot': expected one name")
    assert misspelt["agent_notes"] == ["unknown crawler 'GPTBto': did you mean 'GPTBot'?"]


@pytest.mark.slow
def test_a_line_of_a_stream_about_a_name_in_the_file_has_no_note(api: API) -> None:
    lines = [{"content": "User-agent: OpenAI\nDisallow: /a\n"}, {"url": "/a", "agent": "OpenAI"}]
    response = api.post(
        "/v1/decide/stream",
        content="".join(json.dumps(line) + "\n" for line in lines),
        headers={"Content-Type": "application/x-ndjson"},
    )
    (named,) = map(json.loads, response.text.splitlines())
    assert named["allowed"] is False
    assert "agent_notes" not in named
