"""`refresh` in requests about live files: the server of each robots.txt is asked again."""

from typing import Any

import pytest
from tests.web.conftest import ScriptedWeb, running_api

URL = "https://page.example/"
FILE = f"{URL}robots.txt"
OF_RESOURCES = "https://img.example/robots.txt"
ONE: Any = {"url": URL, "agent": "GPTBot"}
MANY: Any = {"urls": [URL], "agents": ["GPTBot"]}
LIVE: Any = {"url": URL, "agents": ["GPTBot"]}


@pytest.fixture
def web(web: ScriptedWeb) -> ScriptedWeb:
    web.add(URL, b"<img src=https://img.example/a>", headers=(("Content-Type", "text/html"),))
    web.add(FILE, b"User-agent: GPTBot\nDisallow: /a\n")
    return web


@pytest.mark.parametrize(
    "path, asked",
    [
        ("decide", ONE),
        ("explain", ONE),
        ("decide/batch", MANY),
        ("matrix", MANY),
        ("facts", LIVE),
        ("use/fetch", {**LIVE, "purpose": "training"}),
        ("sitemap", {"url": URL}),
        ("fetch", {"url": URL}),
    ],
)
def test_a_request_asks_again_for_a_fresh_file(web: ScriptedWeb, path: str, asked: Any) -> None:
    with running_api(transport=web) as api:
        for refresh, requests in ((False, 1), (False, 1), (True, 2)):
            api.answer(path, **asked, refresh=refresh)
            assert web.requests.count(FILE) == requests


def test_a_query_asks_again_for_a_fresh_file(web: ScriptedWeb) -> None:
    with running_api(transport=web) as api:
        assert api.get("/v1/decide", params=ONE).json()["allowed"]
        web.add(FILE, b"User-agent: GPTBot\nDisallow: /\n")
        assert api.get("/v1/decide", params=ONE).json()["allowed"]
        assert not api.get("/v1/decide", params={**ONE, "refresh": "true"}).json()["allowed"]


def test_a_page_asks_again_for_the_files_of_all_hosts(web: ScriptedWeb) -> None:
    pytest.importorskip("lxml", reason="lxml is not installed")
    with running_api(transport=web) as api:
        for refresh, requests in ((False, 1), (False, 1), (True, 2)):
            api.answer("page/fetch", **LIVE, resources=True, refresh=refresh)
            assert (web.requests.count(FILE), web.requests.count(OF_RESOURCES)) == (requests, requests)
