"""The TDM files and RSL licenses of sites in answers about uses."""

import asyncio
import json
from typing import Any

import pytest
from mcp.client.client import Client
from tests.mcp.asking import ask, to_reply, with_client
from tests.servers.valid import respond
from tests.servers.web import Behaviour, Site

from canfetch.pages.tdm import TDM_FILE_PATH

RESERVED = json.dumps([{"location": "/*", "tdm-reservation": 1}]).encode()


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


TERMS = b"""<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>
<permits type="usage">ai-input</permits><payment type="crawl"><amount currency="EUR">1</amount></payment>
</license></content></rsl>"""


def test_licenses_are_read_for_a_purpose() -> None:
    with Site() as site:
        lines = "".join(f"License: {site.url(f'{number}.xml')}\n" for number in range(5))
        site.serve("/robots.txt", respond(f"{lines}User-agent: *\nAllow: /\n".encode()))
        site.serve("/0.xml", respond(TERMS))
        fetch, search, grounding = ask(
            ("may_fetch", {"url": site.url("x")}),
            ("may_fetch", {"url": site.url("x"), "purpose": "search"}),
            ("may_fetch", {"url": site.url("x"), "purpose": "ai-use"}),
        )
        assert [site.count(f"/{number}.xml") for number in range(5)] == [1, 1, 1, 0, 0]
    assert [one.result["use_allowed"] for one in (fetch, search, grounding)] == [None, False, None]
    assert "Use for search: no, license: `" in search.text
    assert "which does not include search" in search.text
    assert "which does not include search" in search.result["use_reasons"][0]
    assert search.result["use_conditions"] == []
    assert grounding.text.startswith("ALLOWED, but only on conditions for this purpose: ")
    assert "Use for input of AI models: only on conditions, license: `" in grounding.text
    assert "payment: crawl, 1 EUR" in grounding.text
    assert "payment: crawl, 1 EUR" in grounding.result["use_conditions"][0]


@pytest.mark.parametrize(
    "behaviour, problem",
    [(respond(b"", status=503), "status 503"), (respond(b"", "Location: ://", status=302), "status 302")],
    ids=["unavailable", "invalid-redirect"],
)
def test_a_file_that_cannot_be_fetched_is_mentioned(behaviour: Behaviour, problem: str) -> None:
    with Site() as site:
        site.serve(TDM_FILE_PATH, behaviour)
        reply, who = ask(
            ("may_fetch", {"url": site.url("x"), "purpose": "training"}), ("who_may_train", {"site": site.origin})
        )
    for one in (reply, who):
        # A failure is retried before robots.txt is fetched again.
        assert 0 < one.result["robots_txt"]["ask_again_in_seconds"] <= 600
        assert "Ask again in 10 min." in one.text
    assert f"Unknown terms: tdmrep.json (unreachable: `{problem}`)." in reply.text
