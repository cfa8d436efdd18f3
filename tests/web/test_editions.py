"""The edition of a request: how a file is read, and how one that is fetched was obtained."""

import json
from typing import Any

import pytest
from tests.web.conftest import API, BASE, ScriptedWeb, running_api

from canfetch.access.editions import EDITIONS
from canfetch.web.settings import Settings

# google2019 does not read the misspelt key.
CONTENT = "User-agent: *\nDissallow: /x\n"
AGENTS = {"agents": ["GPTBot"]}
PATH = {"url": "/x", "agent": "GPTBot"}
FILE_REQUESTS: dict[str, dict[str, Any]] = {
    "decide": {**PATH, "content": CONTENT},
    "decide/batch": {"urls": ["/x"], **AGENTS, "content": CONTENT},
    "explain": {**PATH, "content": CONTENT},
    "matrix": {"urls": ["/x"], **AGENTS, "content": CONTENT},
    "parse": {"content": CONTENT},
    "compare": {"old": CONTENT, "new": "", "urls": ["/x"], **AGENTS},
    "facts": {"content": CONTENT, **AGENTS},
    "use": {"content": CONTENT, **AGENTS, "url": "/x"},
}


@pytest.mark.slow
@pytest.mark.parametrize("path", FILE_REQUESTS)
def test_an_edition_sets_the_profile_of_a_request(path: str, api: API) -> None:
    asked = FILE_REQUESTS[path]
    found = api.answer(path, **asked, edition="google2019")
    assert found == api.answer(path, **asked, profile="google2019")
    assert found != api.answer(path, **asked)
    problem = api.problem("POST", f"/v1/{path}", 422, json={**asked, "edition": "google2019", "profile": "google2019"})
    assert problem["detail"].startswith("edition and profile cannot be used together: ")
    problem = api.problem("POST", f"/v1/{path}", 422, json={**asked, "edition": "google2018"})
    assert "did you mean 'google2019'" in problem["detail"]


@pytest.mark.slow
def test_an_edition_sets_the_profile_of_a_page(api: API) -> None:
    asked = {**AGENTS, "robots": CONTENT, "url": "https://a.example/x", "headers": "X-Robots-Tag: noindex"}
    (row,) = api.answer("page", **asked, edition="google2019")["rows"]
    assert row["fetch_allowed"]
    (row,) = api.answer("page", **asked)["rows"]
    assert not row["fetch_allowed"]


@pytest.mark.slow
def test_an_edition_sets_the_profile_of_a_line(api: API) -> None:
    lines = [
        {**PATH, "content": CONTENT, "edition": "google2019"},
        {**PATH, "content": CONTENT},
        {**PATH, "content": CONTENT, "edition": "google2019", "profile": "google2019"},
    ]
    response = api.post(
        "/v1/decide/stream",
        content="".join(f"{json.dumps(line)}\n" for line in lines),
        headers={"Content-Type": "application/x-ndjson"},
    )
    first, second, third = map(json.loads, response.text.splitlines())
    assert (first["allowed"], second["allowed"], third["allowed"]) == (True, False, None)
    assert third["error"].startswith("edition and profile cannot be used together: ")


@pytest.mark.slow
def test_every_request_with_a_profile_has_an_edition(api: API) -> None:
    document = api.get("/v1/openapi.json").json()
    schemas = document["components"]["schemas"]
    requests = {name: schema["properties"] for name, schema in schemas.items() if name.endswith("Request")}
    with_profile = {name for name, keys in requests.items() if "profile" in keys}
    assert with_profile
    assert all("edition" in requests[name] for name in with_profile)
    assert requests["DecideRequest"]["edition"]["enum"] == [*EDITIONS, None]
    names = {one["name"] for one in document["paths"]["/v1/decide"]["get"]["parameters"]}
    assert names == {"url", "agent", "profile", "edition", "exact", "refresh"}


@pytest.mark.slow
def test_an_edition_sets_the_policy_of_a_file_that_is_fetched(web: ScriptedWeb) -> None:
    web.add("https://a.example/robots.txt", b"", status=429)
    with running_api(Settings(), transport=web) as api:
        live = {"url": "https://a.example/x", "agent": "GPTBot"}
        verdicts = [api.answer("decide", **live, **edition) for edition in ({}, {"edition": "google2019"}, {})]
        assert [one["allowed"] for one in verdicts] == [False, True, False]
        assert [one["access"]["policy"] for one in verdicts] == ["rfc9309", "google2019", "rfc9309"]
        # Each policy has its own copy, which further requests share.
        assert web.requests == ["https://a.example/robots.txt"] * 2
        assert api.get("/v1/decide", params={**live, "edition": "google2019"}).json()["allowed"]
        assert api.answer("facts", url=live["url"], edition="google2019")["access"]["policy"] == "google2019"
        assert api.answer("fetch", url=live["url"], edition="google2019")["access"] == "unavailable"
        assert api.answer("fetch", url=live["url"])["access"] == "unreachable"
        lines = "".join(f"{json.dumps({**live, **edition})}\n" for edition in ({"edition": "google2019"}, {}))
        headers = {"Content-Type": "application/x-ndjson"}
        answers = api.post("/v1/decide/stream", content=lines, headers=headers).text.splitlines()
        assert [json.loads(one)["allowed"] for one in answers] == [True, False]
        assert len(web.requests) == 2
        assert "canfetch_client_fetches 2.0\n" in api.get(f"{BASE}/metrics").text


@pytest.mark.slow
def test_an_edition_sets_how_the_robots_txt_of_a_page_is_fetched_and_read(web: ScriptedWeb) -> None:
    web.add("https://busy.example/robots.txt", b"", status=429)
    web.add("https://img.example/robots.txt", CONTENT.encode())
    web.add("https://home.example/robots.txt", b"User-agent: GPTBot\nDissallow: /x\n")
    images = b"<img src=https://img.example/x><img src=https://busy.example/i>"
    for page in ("https://busy.example/x", "https://home.example/x"):
        web.add(page, images, headers=(("Content-Type", "text/html"),))
    busy: dict[str, Any] = {"url": "https://busy.example/x", **AGENTS}
    home: dict[str, Any] = {"url": "https://home.example/x", **AGENTS}
    google: dict[str, Any] = {"edition": "google2019"}
    with running_api(Settings(), transport=web) as api:
        states = [api.get("/v1/access", params={"url": busy["url"], **one}).json() for one in ({}, google)]
        assert [one["access"] for one in states] == ["unreachable", "unavailable"]
        rows = [api.answer("page/fetch", **home, **one)["rows"] for one in ({}, google)]
        assert [row["fetch_allowed"] for (row,) in rows] == [False, True]
        found = api.answer("page/fetch", **home, **google, resources=True)["resources"]["resources"]
        assert [one["verdicts"]["GPTBot"]["allowed"] for one in found] == [True, True]
        # The server's own request for the page follows the reading of the server.
        assert api.problem("POST", "/v1/page/fetch", 424, json={**busy, **google})
        problem = api.get("/v1/access", params={"url": busy["url"], "edition": "google2018"})
        assert problem.status_code == 422
        assert "did you mean 'google2019'" in problem.json()["detail"]


@pytest.mark.slow
def test_clients_of_all_policies_share_a_store(web: ScriptedWeb, tmp_path: Any) -> None:
    web.add("https://a.example/robots.txt", CONTENT.encode())
    asked = {"url": "https://a.example/x", "agent": "GPTBot"}
    for _ in range(2):
        with running_api(Settings(store=str(tmp_path / "robots.sqlite3")), transport=web) as api:
            assert not api.answer("decide", **asked)["allowed"]
            assert api.answer("decide", **asked, edition="google2019")["allowed"]
    assert len(web.requests) == 2
