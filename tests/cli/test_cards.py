"""`canfetch agents import` and `export`: cards are fetched, compared and added to files of crawlers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.test_cards import CARD
from tests.servers.certificates import Authority
from tests.servers.valid import respond
from tests.servers.web import Site

from canfetch.agents import PublishedHeader, load_registry, other_clients
from canfetch.agents.cards import CARD_PATH
from canfetch.agents.registry import RELEASE

Run = Any


def write(folder: Path, name: str = "card.json", **bot: Any) -> None:
    card = {**CARD, "web_bot_auth": {"rfc9309-product-token": "ExampleBot", "purpose": "search", **bot}}
    (folder / name).write_text(json.dumps(card), encoding="utf-8")


def test_a_file_is_shown_and_added(run: Run, folder: Path) -> None:
    write(folder, colour="red")
    shown = run("agents", "import", "card.json")
    assert shown.code == 0
    assert {"  token             ExampleBot", "note   unknown member web_bot_auth.colour"} <= set(shown.lines)
    assert "nothing proves that it comes from its client_id" in shown.err
    assert not (folder / "crawlers.toml").exists()
    for _ in range(2):
        added = run("agents", "import", "card.json", "--output", "crawlers.toml", "--format", "json")
        assert (added.code, json.loads(added.out)["written"]) == (0, True)
    crawler = load_registry(folder / "crawlers.toml").get_crawler("ExampleBot")
    assert crawler is not None
    assert crawler.source == CARD["client_id"]
    listed = run("check", "/", "--robots", "-", "--agents-registry", "crawlers.toml", "--agent", "ExampleBot", stdin="")
    assert listed.code == 0


@pytest.mark.parametrize(
    "bot, message",
    [
        ({"rfc9309-product-token": "gptbot"}, "the registry has GPTBot of OpenAI: pass --replace"),
        ({"rfc9309-product-token": "Mozilla"}, "have the token Mozilla as well: pass --replace"),
        ({"rfc9309-product-token": "Edg"}, "headers of browsers, apps or libraries have the token Edg as well: pass "),
        ({"rfc9309-product-token": "10_15_7"}, "have the token 10_15_7 as well: pass --replace"),
        ({"rfc9309-product-token": "Lumia"}, "headers of AdIdxBot have the token Lumia as well: pass --replace"),
        ({"rfc9309-product-token": "openai"}, "openai can be taken for GPTBot, OAI-SearchBot or ChatGPT-User: pass "),
        (
            {"rfc9309-product-token": "CrOS"},
            "headers of browsers, apps or libraries have the token CrOS as well: pass ",
        ),
        ({"rfc9309-product-token": "CC-Bot"}, "the token CC-Bot can be taken for CCBot: pass --replace to add it"),
        (
            {"rfc9309-product-token": "OpenAI-Bot"},
            "OpenAI-Bot can be taken for GPTBot, OAI-SearchBot or ChatGPT-User: ",
        ),
        ({"rfc9309-product-token": "open-ai"}, "open-ai can be taken for GPTBot, OAI-SearchBot or ChatGPT-User: pass "),
        ({"rfc9309-product-token": "AI-GPT_Bot2"}, "the token AI-GPT_Bot2 can be taken for GPTBot: pass --replace"),
        ({"rfc9309-product-token": "DeepSeek"}, "the token DeepSeek can be taken for DeepSeekBot: pass --replace"),
        ({"rfc9309-product-token": "Bright_Data-Bot"}, "the token Bright_Data-Bot can be taken for "),
        ({"rfc9309-product-token": "GTPBot"}, "the token GTPBot can be taken for GPTBot: pass --replace to add it"),
        ({"rfc9309-product-token": "GPTB\u043et"}, "is unchanged: the card has faults"),
        ({"purpose": "tdm"}, "the purpose 'tdm' of the card is not one of the registry"),
        ({"rfc9309-product-token": "a b"}, "the card has faults"),
        ({"ips_uri": "https://evil.example/"}, "the card has faults"),
    ],
)
def test_what_is_not_added(run: Run, folder: Path, bot: dict[str, Any], message: str) -> None:
    write(folder, **bot)
    ran = run("agents", "import", "card.json", "--output", "crawlers.toml")
    assert (ran.code, message in ran.err) == (1, True)
    assert not (folder / "crawlers.toml").exists()
    allowed = run("agents", "import", "card.json", "-o", "crawlers.toml", "--replace", "--purpose", "research")
    assert allowed.code == (1 if "faults" in message else 0)


def test_a_release_of_the_registry_adds_headers_of_browsers(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = PublishedHeader("Mozilla/5.0 (X11; Linux x86_64) NewBrowser/1.0", "https://browser.example/")
    monkeypatch.setattr(other_clients, "RELEASE", RELEASE._replace(other_headers=(header,)))
    monkeypatch.setattr(other_clients, "_names", other_clients._names.__wrapped__)
    for token, code in (("newbrowser", 1), ("OtherBrowser", 0)):
        write(folder, **{"rfc9309-product-token": token})
        assert run("agents", "import", "card.json", "-o", f"{token}.toml").code == code


def test_an_entry_with_another_source_is_not_replaced(run: Run, folder: Path) -> None:
    write(folder)
    own = '[[crawler]]\ntokens = ["examplebot"]\noperator = "I"\npurposes = ["testing"]\nsource = "mine"\n'
    (folder / "crawlers.toml").write_text(own, encoding="utf-8")
    ran = run("agents", "import", "card.json", "--output", "crawlers.toml")
    assert (ran.code, "it has examplebot with another source, mine: pass --replace" in ran.err) == (1, True)
    assert (folder / "crawlers.toml").read_text(encoding="utf-8") == own
    assert run("agents", "import", "card.json", "--output", "crawlers.toml", "--replace").code == 0
    (folder / "crawlers.toml").write_text("[[crawler", encoding="utf-8")
    broken = run("agents", "import", "card.json", "--output", "crawlers.toml")
    assert (broken.code, "--output 'crawlers.toml': the file is not valid TOML" in broken.err) == (2, True)


def test_differences_from_the_registry(run: Run, folder: Path) -> None:
    write(folder, **{"rfc9309-product-token": "GPTBot"})
    ran = run("agents", "import", "card.json")
    assert ran.code == 1
    assert "differs from GPTBot  purpose: the card has search-index, and the registry training" in ran.lines


@pytest.fixture
def site(folder: Path) -> Iterator[tuple[Site, list[str]]]:
    authority = Authority(folder)
    with Site(tls=authority.good()) as site:
        yield site, ["--ca-file", str(authority.file), "--allow-private", "--format", "json"]


def test_a_card_is_fetched_without_redirects(run: Run, site: tuple[Site, list[str]]) -> None:
    server, options = site
    url = f"{server.origin}{CARD_PATH}"
    body = json.dumps({"client_id": url, "jwks_uri": "https://evil.example/keys"}).encode()
    server.serve(CARD_PATH, respond(body, "Content-Type: application/json"))
    found = json.loads(run("agents", "import", server.origin, *options).out)
    assert (found["url"], found["status"], found["client_id"], found["jwks_uri"]) == (url, 200, url, None)
    assert len(found["faults"]) == 1
    server.serve("/other", respond(body, "Content-Type: text/html"))
    faults = json.loads(run("agents", "import", f"{server.origin}/other", *options).out)["faults"]
    assert "the media type is text/html, not application/json" in faults
    assert any(f"not the URL of the card, {server.origin}/other" in fault for fault in faults)
    server.serve("/moved", respond(b"", f"Location: {CARD_PATH}", status=302))
    moved = run("agents", "import", f"{server.origin}/moved", *options)
    assert (moved.code, "status 302, not 200 (verifiers follow no redirects)" in moved.err) == (2, True)


def test_private_addresses_are_refused_by_default(run: Run, site: tuple[Site, list[str]]) -> None:
    server, options = site
    ran = run("agents", "import", server.origin, *(one for one in options if one != "--allow-private"))
    assert "is not public" in ran.refusal, ran.err


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("import", "http://bot.example/card"), "expected https"),
        (("import", "nowhere.json"), "no such file"),
        (("export", "GPTBot", "--url", "ftp://bot.example"), "expected an https URL"),
    ],
)
def test_mistakes_are_one_line(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ran = run("agents", *arguments)
    assert (ran.code, ran.out, message in ran.err, ran.err.count("\n")) == (2, "", True, 1)


def test_export_omits_urls_of_other_origins(run: Run) -> None:
    card = json.loads(run("agents", "export", "gptbot", "--url", "https://openai.com/card").out)
    assert (card["client_id"], "client_uri" in card) == ("https://openai.com/card", False)
    assert card["web_bot_auth"]["rfc9309-product-token"] == "GPTBot"
    assert "client_uri" in json.loads(run("agents", "export", "GPTBot").out)
    assert [run("agents", "export", name).code for name in ("Google-Extended", "UnknownBot")] == [1, 1]
