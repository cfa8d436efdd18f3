"""`POST /v1/use/fetch`: what a site does not deliver in time is a source that was not read."""

from typing import Any

import pytest
from tests.web.conftest import StuckWeb, running_api

ORIGIN = "https://example.com"
QUESTION: Any = {"url": f"{ORIGIN}/page", "agents": ["GPTBot", "CCBot"], "purpose": "training"}
ROBOTS = b"License: https://example.com/license.xml\nUser-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"


@pytest.mark.parametrize(
    "stuck, expected",
    [
        (["/page", "/.well-known/tdmrep.json"], {"headers", "html", "tdmrep.json", "license"}),
        (["/.well-known/tdmrep.json", "/license.xml"], {"tdmrep.json", "license"}),
        (["/robots.txt", "/page"], {"robots.txt", "headers", "html", "tdmrep.json"}),
    ],
)
def test_files_that_are_late_are_named(stuck: list[str], expected: set[str]) -> None:
    web = StuckWeb(*(ORIGIN + path for path in stuck))
    web.add(f"{ORIGIN}/robots.txt", ROBOTS, headers=(("Content-Type", "text/plain"),))
    web.add(f"{ORIGIN}/page", b"x", headers=(("Content-Type", "text/plain"),))
    with running_api(transport=web) as api:
        if "/robots.txt" not in stuck:
            # It is cached then, so that it is not late on a slow machine.
            api.answer("fetch", url=ORIGIN)
        api.limit_fetches(0.05)
        rows = api.answer("use/fetch", **QUESTION)["rows"]
    for row in rows:
        late = {source["name"] for source in row["sources"] if source["state"] == "unreachable"}
        assert late >= expected
        assert all("timeout" in source["detail"] for source in row["sources"] if source["state"] == "unreachable")
        assert row["allowed"] is False
    assert [request for request in web.requests if web.requests.count(request) > 1] == []


def test_times_are_those_of_the_requests_and_what_this_server_may_not_fetch_is_not_read() -> None:
    web = StuckWeb()
    web.add(
        f"{ORIGIN}/robots.txt", b"User-agent: canfetch\nDisallow: /closed\n", headers=(("Content-Type", "text/plain"),)
    )
    web.add(f"{ORIGIN}/page", b"x", headers=(("Content-Type", "text/plain"),))
    with running_api(transport=web) as api:
        (row, _) = api.answer("use/fetch", **QUESTION)["rows"]
        (closed, _) = api.answer("use/fetch", **{**QUESTION, "url": f"{ORIGIN}/closed"})["rows"]
    times = {source["name"]: source["requested_at"] for source in row["sources"]}
    # In this order.
    assert times["robots.txt"] <= times["headers"] == times["html"] <= times["tdmrep.json"]
    sources = {source["name"]: source for source in closed["sources"]}
    for name in ("headers", "html"):
        source = sources[name]
        assert (source["state"], source["requested_at"]) == ("not-read", None)
        assert source["detail"] == "robots.txt disallows it for canfetch, this server"
