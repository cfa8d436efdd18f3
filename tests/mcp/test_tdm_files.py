"""TDM files: fetched once, as robots.txt allows, and kept in bounded memory."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from mcp.client.client import Client
from tests.mcp.asking import ask, state_of, to_reply, with_client
from tests.servers.valid import respond
from tests.servers.web import Behaviour, Site

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.answers.pages import FetchedTDMFile
from canfetch.client.origin_state import OriginState
from canfetch.client.transports import TransportRequest
from canfetch.core.agent import Agent
from canfetch.pages.tdm import TDM_FILE_PATH
from canfetch.web.mcp.tdm_files import TDMFileFetcher

RESERVED = json.dumps([{"location": "/*", "tdm-reservation": 1}]).encode()


class Responses:
    """A transport with one response for each URL. It counts requests."""

    def __init__(self, responses: dict[str, Response | Failure]) -> None:
        self.responses = responses
        self.requested: list[str] = []

    async def send(self, request: TransportRequest) -> Response | Failure:
        self.requested.append(request.url)
        await asyncio.sleep(0)
        return self.responses.get(request.url) or Response(request.url, 404, (), b"")

    async def close(self) -> None:
        """Do nothing."""


def fetch(
    responses: dict[str, Response | Failure],
    urls: Sequence[str],
    *,
    robots: bytes = b"",
    times: Sequence[float] = (0.0,),
) -> tuple[list[FetchedTDMFile], list[str]]:
    """Return the files for URLs, at several times, and the URLs that were requested."""
    transport = Responses(responses)
    now = [0.0]

    async def state(url: str) -> OriginState:
        return state_of(robots, origin="/".join(url.split("/")[:3]), now=0.0)

    async def run() -> list[FetchedTDMFile]:
        fetcher = TDMFileFetcher(
            transport=transport,
            state=state,
            agent=Agent("ExampleBot"),
            user_agent="ExampleBot/1.0",
            timeout=1.0,
            allow_private=False,
            clock=lambda: now[0],
        )
        files = []
        for time in times:
            now[0] = time
            files += await asyncio.gather(*(fetcher.get(url) for url in urls))
        await fetcher.close()
        return files

    return asyncio.run(run()), transport.requested


def file_url(origin: str) -> str:
    return origin + TDM_FILE_PATH


def test_training_asks_for_the_tdm_file_of_the_site() -> None:
    with Site() as site:
        site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /private\n"))
        site.serve(TDM_FILE_PATH, respond(RESERVED))
        search, training, who = ask(
            ("may_fetch", {"url": site.url("x"), "purpose": "search"}),
            ("may_fetch", {"url": site.url("x"), "purpose": "training"}),
            ("who_may_train", {"site": site.origin}),
        )
        assert site.count(TDM_FILE_PATH) == 1
    assert search.result["tdm"] is None
    assert training.result["tdm"] == {"reserved": True, "policy": None, "problem": None}
    assert training.result["use_allowed"] is False
    assert "TDMRep: rights reserved." in training.text
    assert "TDMRep: rights reserved." in who.text


def test_concurrent_questions_share_a_request() -> None:
    async def ask_all(client: Client) -> list[Any]:
        calls = [
            client.call_tool("may_fetch", {"url": site.url(f"{number}"), "purpose": "training"}) for number in range(20)
        ]
        return await asyncio.gather(*calls)

    with Site() as site:
        site.serve(TDM_FILE_PATH, respond(RESERVED))
        replies = [to_reply(one) for one in with_client(ask_all)]
        assert site.count(TDM_FILE_PATH) == 1
    assert all(reply.result["use_allowed"] is False for reply in replies)


@pytest.mark.parametrize(
    "behaviour, problem",
    [(respond(b"", status=503), "status 503"), (respond(b"", "Location: ://", status=302), "status 302")],
    ids=["unavailable", "invalid-redirect"],
)
def test_a_file_that_cannot_be_fetched_is_mentioned(behaviour: Behaviour, problem: str) -> None:
    with Site() as site:
        site.serve(TDM_FILE_PATH, behaviour)
        (reply,) = ask(("may_fetch", {"url": site.url("x"), "purpose": "training"}))
    assert f"tdmrep.json is unknown: {problem}." in reply.text


def test_robots_txt_can_disallow_the_file() -> None:
    files, requested = fetch({}, ["https://example.com/x"], robots=b"User-agent: ExampleBot\nDisallow: /.well-known/\n")
    assert files == [FetchedTDMFile(reason="robots.txt disallows it")]
    assert not requested


def test_redirects_are_followed_if_robots_txt_allows() -> None:
    moved = Response("", 301, (("Location", "https://www.example.com/tdm"),), b"")
    target = Response("", 200, (), RESERVED)
    responses: dict[str, Response | Failure] = {
        file_url("https://example.com"): moved,
        "https://www.example.com/tdm": target,
    }
    assert fetch(responses, ["https://example.com/"])[0] == [FetchedTDMFile(RESERVED)]
    files, requested = fetch(responses, ["https://example.com/"], robots=b"User-agent: *\nDisallow: /tdm\n")
    assert [file.reason for file in files] == ["robots.txt disallows it"]
    assert requested == [file_url("https://example.com")]


def test_a_loop_of_redirects_ends() -> None:
    url = file_url("https://example.com")
    files, requested = fetch({url: Response("", 302, (("Location", url),), b"")}, ["https://example.com/"])
    assert [file.reason for file in files] == ["too many redirects"]
    assert len(requested) == 11


def test_a_file_is_kept_for_a_day_and_a_failure_for_ten_minutes() -> None:
    times = (0.0, 599.0, 601.0, 86_399.0, 86_401.0)
    _, requested = fetch({}, ["https://example.com/a", "https://example.com/b"], times=times)
    assert len(requested) == 2
    failing = {file_url("https://example.com"): Failure("", FailureKind.FORBIDDEN_ADDRESS, "address 10.0.0.1")}
    files, requested = fetch(dict(failing), ["https://example.com/"], times=times[:3])
    assert files[0].reason == "forbidden-address"
    assert len(requested) == 2


@pytest.mark.slow
def test_memory_is_bounded() -> None:
    large = b"[" + b" " * 500_000 + b"]"
    origins = [f"https://site-{number}.example" for number in range(60)]
    responses: dict[str, Response | Failure] = {file_url(one): Response("", 200, (), large) for one in origins}
    _, requested = fetch(responses, [f"{one}/" for one in origins], times=(0.0, 1.0))
    # 16 MiB hold 33 of them.
    assert 60 < len(requested) <= 120
