"""Resources in `POST /v1/page/fetch`: the robots.txt files of many hosts, within the limits of the server."""

from typing import Any

import pytest
from tests.web.conftest import ScriptedWeb, StuckWeb, running_api

from canfetch.answers.resources import MAX_ORIGINS
from canfetch.web.settings import RateLimit, Settings

pytest.importorskip("lxml", reason="lxml is not installed")

HTML = (("Content-Type", "text/html"),)
QUESTION: Any = {"url": "https://page.example/", "agents": ["GPTBot", "Googlebot"]}


def page_with_hosts(web: ScriptedWeb, count: int) -> None:
    images = "".join(f"<img src=https://h{number}.example/a>" for number in range(count))
    web.add("https://page.example/", images.encode(), headers=HTML)


def test_the_robots_txt_of_each_host_decides(web: ScriptedWeb) -> None:
    page_with_hosts(web, 3)
    web.add("https://h1.example/robots.txt", b"User-agent: GPTBot\nDisallow: /\n")
    web.add("https://h2.example/robots.txt", status=503)
    with running_api(transport=web) as api:
        answer = api.answer("page/fetch", **QUESTION, resources=True)["resources"]
    verdicts = [[cell["allowed"] for cell in one["verdicts"].values()] for one in answer["resources"]]
    assert verdicts == [[True, True], [False, True], [False, False]]
    assert [origin["access"]["access"] for origin in answer["origins"]] == ["unavailable", "successful", "unreachable"]
    # No resource is fetched.
    assert not [url for url in web.requests if url.endswith("/a")]


def test_more_hosts_than_the_limit_have_no_verdict(web: ScriptedWeb) -> None:
    page_with_hosts(web, MAX_ORIGINS + 2)
    with running_api(transport=web) as api:
        answer = api.answer("page/fetch", **QUESTION, resources=True)["resources"]
    errors = [one["error"] for one in answer["resources"]]
    assert errors == [None] * MAX_ORIGINS + ["too-many-origins"] * 2
    assert answer["notes"] == ["too-many-origins"]
    assert len(answer["origins"]) == MAX_ORIGINS


@pytest.mark.slow
def test_hosts_that_take_too_long_have_an_error_and_few_are_asked_at_a_time() -> None:
    web = StuckWeb("https://h1.", "https://h2.")
    page_with_hosts(web, 12)
    with running_api(transport=web) as api:
        api.limit_fetches(2.0)
        answer = api.answer("page/fetch", **QUESTION, resources=True)["resources"]
    errors = {one["origin"]: one["error"] for one in answer["resources"] if one["error"]}
    assert {"https://h1.example", "https://h2.example"} <= set(errors)
    assert errors["https://h1.example"] == "the robots.txt of 'https://h1.example/a' took too long"
    assert web.most_waiting <= 4


def test_a_client_that_may_not_fetch_more_gets_429(web: ScriptedWeb) -> None:
    page_with_hosts(web, 10)
    with running_api(Settings(fetches=RateLimit(0.001, 5)), transport=web) as api:
        problem = api.problem("POST", "/v1/page/fetch", 429, json={**QUESTION, "resources": True})
    assert problem["detail"].startswith("too many fetches")


def test_a_page_is_requested_once_with_its_resources_by_the_token_of_the_server(web: ScriptedWeb) -> None:
    page_with_hosts(web, 1)
    with running_api(transport=web) as api:
        answer = api.answer("page/fetch", **QUESTION, resources=True)
        assert [one["url"] for one in answer["resources"]["resources"]] == ["https://h0.example/a"]
        assert web.requests.count("https://page.example/") == 1
        assert "resources" not in api.answer("page/fetch", **QUESTION)
    web.requests.clear()
    web.add("https://page.example/robots.txt", b"User-agent: GPTBot\nAllow: /\nUser-agent: *\nDisallow: /\n")
    with running_api(transport=web) as api:
        problem = api.problem("POST", "/v1/page/fetch", 424, json=QUESTION)
        assert problem["detail"] == "robots.txt disallows 'https://page.example/' for canfetch, this server"
        blocked = api.answer("page/fetch", url=QUESTION["url"], agents=["Googlebot"], resources=True)
    assert blocked["resources"] is None
    assert "https://page.example/" not in web.requests
