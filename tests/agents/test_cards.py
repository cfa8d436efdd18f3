"""Signature agent cards: what they say, what is wrong, and entries of the registry from them and as them."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.identity.test_signed_requests import vectors

from canfetch.agents import REGISTRY, Crawler, PublishedHeader, get_crawler, load_registry
from canfetch.agents.cards import MAX_CARD_BYTES, AgentCard, card_of, parse_card
from canfetch.agents.registry_file import parse_crawlers, with_entry
from canfetch.errors import InvalidOption

URL = "https://bot.example/card"
BOT = {
    "expected-user-agent": ["ExampleBot/1.0", "ExampleBot/*"],
    "rfc9309-product-token": "ExampleBot",
    "rfc9309-compliance": True,
    "trigger": "crawler",
    "purpose": "search",
    "targeted-content": "Fish",
    "rate-control": "429",
    "rate-expectation": "avg=1rps;max=9rps",
    "known-urls": ["/", "*.png"],
    "ips_uri": "https://bot.example/ips.json",
}
CARD = {
    "client_id": URL,
    "client_name": "Example Bot",
    "client_uri": "https://bot.example/about",
    "logo_uri": "https://bot.example/logo.png",
    "contacts": ["mailto:bot@bot.example"],
    "jwks_uri": "https://bot.example/keys",
    "web_bot_auth": BOT,
}
DAY = date(2026, 11, 27)


def parse(url: str | None = URL, bot: Any = None, **members: Any) -> AgentCard:
    document = {**CARD, **members, "web_bot_auth": BOT if bot is None else bot}
    return parse_card(json.dumps({name: value for name, value in document.items() if value is not None}).encode(), url)


def test_all_members_are_read() -> None:
    assert (
        parse()
        == parse(None)
        == AgentCard(
            client_id=URL,
            name="Example Bot",
            contacts=("mailto:bot@bot.example",),
            client_uri="https://bot.example/about",
            logo_uri="https://bot.example/logo.png",
            jwks_uri="https://bot.example/keys",
            user_agents=("ExampleBot/1.0", "ExampleBot/*"),
            token="ExampleBot",
            compliance=True,
            trigger="crawler",
            purpose="search",
            targeted_content="Fish",
            rate_control="429",
            rate_expectation="avg=1rps;max=9rps",
            known_urls=("/", "*.png"),
            ips_uri="https://bot.example/ips.json",
        )
    )


def test_unknown_members_are_listed_and_no_fault() -> None:
    found = parse(bot={**BOT, "new": {}}, redirect_uris=[])
    assert (found.unknown, found.faults) == (("redirect_uris", "web_bot_auth.new"), ())


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/keys",
        "http://bot.example/keys",
        "https://bot.example:8443/keys",
        "https://bot.example@evil.example/keys",
        "https://evil.example\\@bot.example/keys",
        "https://bot.example.evil.example/keys",
        "//bot.example/keys",
        "/keys",
        "data:,x",
    ],
)
@pytest.mark.parametrize("name", ["client_uri", "logo_uri", "jwks_uri", "ips_uri"])
def test_urls_of_other_origins_are_reported_and_not_used(name: str, url: str) -> None:
    found = parse(bot={**BOT, name: url}) if name == "ips_uri" else parse(**{name: url})
    assert getattr(found, name) is None
    (fault,) = found.faults
    assert fault.startswith(f"{name!r} is ")
    assert fault.endswith("which is not a URL of https://bot.example: it is not used")


@pytest.mark.parametrize(
    "changes, fault",
    [
        (
            {"client_id": "https://bot.example/other"},
            "'client_id' is 'https://bot.example/other', not the URL of the card",
        ),
        ({"client_id": None}, "'client_id' is missing, not the URL of the card"),
        ({"client_id": 5}, "'client_id' is not a text of 1 to 1000 characters"),
        ({"client_name": "a" * 1001}, "'client_name' is not a text of 1 to 1000 characters"),
        ({"client_name": "a\x1b[2J"}, "'client_name' is not a text"),
        ({"client_name": "\ud800"}, "'client_name' is not a text"),
        ({"contacts": "mailto:bot@bot.example"}, "'contacts' is not a list of at most 100 texts"),
        ({"contacts": ["a"] * 101}, "'contacts' is not a list of at most 100 texts"),
        ({"jwks": {"keys": []}}, "the card has both 'jwks' and 'jwks_uri'"),
        ({"jwks": {}, "jwks_uri": None}, "'jwks' is not a set of at most 100 keys"),
        ({"bot": []}, "'web_bot_auth' is not an object"),
        (
            {"bot": {**BOT, "rfc9309-product-token": "*"}},
            "'web_bot_auth.rfc9309-product-token' is '*', which is not a product",
        ),
        ({"bot": {**BOT, "rfc9309-product-token": "a b"}}, "'web_bot_auth.rfc9309-product-token' is 'a b'"),
        ({"bot": {**BOT, "rfc9309-compliance": "yes"}}, "'web_bot_auth.rfc9309-compliance' is not true or false"),
        ({"bot": {**BOT, "trigger": "cron"}}, "'web_bot_auth.trigger' is 'cron', not 'fetcher' or 'crawler'"),
        ({"purpose": "search"}, "'purpose' is outside of 'web_bot_auth', where it is not read"),
        ({"other": [[[[[[[[[[1]]]]]]]]]]}, "the card has more than 10 levels"),
    ],
)
def test_faults(changes: dict[str, Any], fault: str) -> None:
    found = parse(**changes)
    assert any(one.startswith(fault) for one in found.faults), found.faults


@pytest.mark.parametrize(
    "content, fault",
    [
        (b"", "the card is not valid JSON in UTF-8"),
        (b"\xff", "the card is not valid JSON in UTF-8"),
        (b'{"a": NaN}', "the card is not valid JSON in UTF-8"),
        (b"[" * MAX_CARD_BYTES, "the card is not valid JSON in UTF-8"),
        (b"9" * 5000, "the card is not valid JSON in UTF-8"),
        (b" " * (MAX_CARD_BYTES + 1), "the card is longer than 65,536 bytes"),
        (b"[]", "the card is not an object"),
        (b'{"client_name": "a", "client_name": "b"}', "an object of the card has two members with the same name"),
        (b"{}", "the card has no member that is known"),
    ],
)
def test_content_that_is_not_a_card(content: bytes, fault: str) -> None:
    assert parse_card(content).faults[0] == fault


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*CARD, *BOT, "x"]), inner),
    )
)
def test_no_content_raises(value: Any) -> None:
    found = parse_card(json.dumps(value).encode(), URL)
    assert found.faults
    assert all(fault.isprintable() for fault in found.faults)


@pytest.mark.parametrize("vector", vectors("web_bot_auth_signature_agent_card_v*.json"))
def test_vectors_of_another_implementation(vector: dict[str, Any]) -> None:
    found = parse_card(json.dumps(vector["card"]).encode(), vector["url"])
    assert (not found.faults) is vector["valid"], found.faults
    if not vector["valid"]:
        assert (found.jwks, found.jwks_uri, found.client_id) != (None, vector["card"].get("jwks_uri"), vector["url"])


def test_a_card_as_an_entry() -> None:
    crawler = parse().to_crawler(checked=DAY)
    assert (crawler.tokens, crawler.operator, crawler.purposes) == (("ExampleBot",), "bot.example", ("search-index",))
    assert (crawler.source, crawler.obeys, crawler.checked) == (URL, "yes", "2026-11-27")
    assert crawler.headers == (PublishedHeader("ExampleBot/1.0", URL),)
    assert crawler.verification.address_lists == ("https://bot.example/ips.json",)
    assert crawler.verification.key_directories == ("https://bot.example/keys",)
    # Only the token is a name, so that a card cannot claim the headers of another crawler.
    assert crawler.product_names == ("ExampleBot",)


@pytest.mark.parametrize(
    "bot, purposes, obeys",
    [
        ({"trigger": "fetcher", "rfc9309-compliance": False}, ("user-triggered",), "might-ignore"),
        ({"purpose": "Training"}, ("training",), "not-documented"),
        ({"purpose": "training", "rfc9309-compliance": ["Disallow"]}, ("training",), "yes"),
    ],
)
def test_purposes_and_compliance_of_an_entry(bot: dict[str, Any], purposes: tuple[str, ...], obeys: str) -> None:
    crawler = parse(bot={"rfc9309-product-token": "ExampleBot", **bot}).to_crawler(checked=DAY)
    assert (crawler.purposes, crawler.obeys) == (purposes, obeys)


@pytest.mark.parametrize(
    "card, message",
    [
        (parse(bot={"purpose": "search"}), "the card has no valid 'rfc9309-product-token'"),
        (parse(client_id=None), "the card has no valid 'client_id'"),
        (parse(bot={**BOT, "purpose": "tdm"}), "the purpose 'tdm' of the card is not one of the registry: choose from"),
    ],
)
def test_cards_that_are_no_entry(card: AgentCard, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        card.to_crawler(checked=DAY)


def test_differences_from_an_entry() -> None:
    crawler = parse().to_crawler(checked=DAY)
    assert parse().differences(crawler) == []
    other = Crawler(("ExampleBot",), "Example", ("training",), "https://example.com/")
    assert parse(bot={**BOT, "rfc9309-compliance": False}).differences(other) == [
        "purpose: the card has search-index, and the registry training",
        "compliance: the card has might-ignore, and the registry yes",
        "addresses: the card has https://bot.example/ips.json, and the registry nothing",
        "keys: the card has https://bot.example/keys, and the registry nothing",
        "header: the card has ExampleBot/1.0, and the registry nothing",
    ]


@pytest.mark.parametrize("crawler", [one for one in REGISTRY.crawlers if not one.token_only], ids=lambda one: one.name)
def test_each_crawler_has_a_card_without_differences(crawler: Crawler) -> None:
    url = next(iter(crawler.verification.address_lists), "https://bot.example/") + "card"
    found = parse_card(json.dumps(card_of(crawler, url=url)).encode(), url)
    assert found.faults == ()
    assert (found.client_id, found.token) == (url, crawler.name)
    assert [one for one in found.differences(crawler) if "might-ignore" not in one] == []


def test_a_file_keeps_its_other_entries(tmp_path: Path) -> None:
    mine = b'# mine\n[[crawler]]\ntokens = ["MyBot"]\noperator = "I"\npurposes = ["testing"]\nsource = "x"\n'
    crawler = parse().to_crawler(checked=DAY)
    first = with_entry(mine, crawler)
    assert first.startswith(mine)
    again = crawler._replace(operator='\x7f"\\é\n', obeys="no")
    file = tmp_path / "crawlers.toml"
    file.write_bytes(with_entry(first, again))
    assert file.read_bytes().startswith(mine)
    assert [one.name for one in parse_crawlers(file.read_bytes())] == ["MyBot", "ExampleBot"]
    registry = load_registry(file)
    assert registry.get_crawler("examplebot") == again
    assert registry.get_crawler("GPTBot") is get_crawler("GPTBot")


def test_entries_of_the_registry_survive_a_file() -> None:
    content = b""
    for crawler in REGISTRY.crawlers[::5]:
        content = with_entry(content, crawler)
    assert parse_crawlers(content) == list(REGISTRY.crawlers[::5])


def entry(name: str, operator: str = '"I"', header: str = "[[crawler]]") -> str:
    return f'{header}\ntokens = ["{name}"]\noperator = {operator}\npurposes = ["testing"]\nsource = "x"'


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "BOM"])
@pytest.mark.parametrize(
    "old",
    [
        entry("ExampleBot"),
        entry("EXAMPLEBOT", header='  [[ crawler ]] # "old"'),
        entry("ExampleBot") + " # a note",
        entry("ExampleBot", header='[[crawler]]\n# "inside"\n\n'),
        entry("ExampleBot") + '\ncomment = """\n# no comment\n\n# the end"""',
        entry("ExampleBot") + "\napp_names = [\n  # Old.\n  'ExampleBot',\n# New.\n]",
        entry("ExampleBot") + "\n\n# Keys.\n[crawler.verification]\nkey_directories = ['https://bot.example/keys']",
    ],
    ids=["plain", "header", "note", "comment inside", "string", "array", "table"],
)
def test_an_entry_is_replaced_where_it_is_and_no_other_line_changes(old: str, mark: str, line_end: str) -> None:
    before = f"# of the file\n\n{entry('MyBot', header='[[crawler]] # mine')}\n\n# of ExampleBot\n"
    after = f"\n# of OffBot\n# {entry('OffBot')[:11]}\n\n  # of the next\n{entry('NextBot')}\n# the end\n"
    crawler = parse().to_crawler(checked=DAY)
    expected = f"{mark}{before}{with_entry(b'', crawler).decode()}{after}".replace("\n", line_end).encode()
    content = f"{mark}{before}{old}\n{after}".replace("\n", line_end).encode()
    assert with_entry(content, crawler) == expected
    assert with_entry(expected, crawler) == expected
    assert [one.name for one in parse_crawlers(expected)] == ["MyBot", "ExampleBot", "NextBot"]


def test_an_entry_at_the_end_without_a_line_break() -> None:
    crawler = parse().to_crawler(checked=DAY)
    new = with_entry(b"", crawler)
    assert with_entry(entry("ExampleBot").encode(), crawler) == new
    assert with_entry(f"{entry('ExampleBot')}\n# end".encode(), crawler) == new + b"# end"
    assert with_entry(f"{entry('MyBot')}\n# end".encode(), crawler) == f"{entry('MyBot')}\n# end\n\n".encode() + new


def test_one_of_several_entries_with_the_same_name_is_left() -> None:
    crawler = parse().to_crawler(checked=DAY)
    parts = [entry("ExampleBot"), "# a", entry("MyBot"), "# b", entry("examplebot"), "# c", ""]
    replaced = [with_entry(b"", crawler).decode().rstrip(), "# a", entry("MyBot"), "# b", "# c", ""]
    assert with_entry("\n".join(parts).encode(), crawler).decode() == "\n".join(replaced)


@pytest.mark.parametrize("name", ["A", "ExampleBot", None])
def test_an_array_of_entries_has_an_error_of_its_own(name: str | None) -> None:
    row = f'{{tokens = ["{name}"], operator = "I", purposes = ["testing"], source = "x"}}' if name else ""
    with pytest.raises(
        InvalidOption, match=r"^the entry cannot be added to the array crawler = \[\.\.\.\]: write each entry"
    ):
        with_entry(f"crawler = [{row}]\n".encode(), parse().to_crawler(checked=DAY))


@pytest.mark.parametrize(
    "content",
    [
        entry("ExampleBot", header='[["crawler"]]'),
        entry("ExampleBot", operator='"""I\n[[crawler]]\n"""'),
        entry("ExampleBot", operator='"""I\n[[crawler]]\n"""') + "\n" + entry("MyBot", header='[["crawler"]]'),
    ],
    ids=["quoted", "in a string", "in a string, and quoted"],
)
def test_tables_that_cannot_be_told_apart(content: str) -> None:
    with pytest.raises(InvalidOption, match=r"cannot be replaced: write each \[\[crawler\]\] on a line of its own"):
        with_entry(content.encode(), parse().to_crawler(checked=DAY))


def test_an_invalid_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "crawlers.toml").write_bytes(b"[[crawler]]\n")
    with pytest.raises(InvalidOption, match=r"crawlers\.toml: \[\[crawler\]\] 1: missing key 'tokens'"):
        load_registry(tmp_path / "crawlers.toml")


def test_a_card_without_a_purpose_has_a_message_of_its_own() -> None:
    card = AgentCard(client_id="https://bot.example/card", token="ExampleBot")
    with pytest.raises(InvalidOption, match=r"^the card has no purpose: choose from "):
        card.to_crawler(checked=date(2026, 11, 27))
