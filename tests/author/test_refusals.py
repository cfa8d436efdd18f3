"""Crawlers get the status and the text of a policy from real servers."""

import html
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.author.policies import POLICIES
from tests.author.servers import SERVERS, TRAEFIK, render_rules, running

import canfetch
from canfetch.author import Refusal
from canfetch.author.refusal import MAX_TEXT_BYTES, STATUSES
from canfetch.errors import InvalidSitePolicy

# Every ASCII character that a text may contain, and texts in the languages of the documents.
PRINTABLE = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in "\\`$<>{}")
TEXTS = (
    PRINTABLE,
    "L'accesso è riservato: scrivi a press@example.com",
    "No está permitido (100%)",
    "수집할 수 없습니다",
)
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"


def policy_with(refusal: Refusal) -> canfetch.author.SitePolicy:
    policy = canfetch.author.parse_policy('[crawler.GPTBot]\nfetch = "none"\n[crawler.CCBot]\ndisallow = ["/x"]')
    return policy._replace(refusal=refusal)


# Wikipedia: a server may send an error, or other content, to a robot.
@pytest.mark.service
@pytest.mark.parametrize(
    "refusal",
    [Refusal(451, TEXTS[0]), Refusal(200, TEXTS[1]), Refusal(410, TEXTS[2]), Refusal(402, TEXTS[3]), Refusal(404)],
    ids=str,
)
@pytest.mark.parametrize("name", SERVERS)
def test_wikipedia_server_responds_with_the_chosen_status_and_text(name: str, refusal: Refusal, tmp_path: Path) -> None:
    if name in TRAEFIK:
        refusal = Refusal(404 if refusal.status == 200 else refusal.status)
    with running(name, render_rules(policy_with(refusal), name), tmp_path) as server:
        for target in ("/x", "/x.html?y", "/x.png"):
            assert server.get(target, "GPTBot/1.0").status == refusal.status
            assert server.headers["Cache-Control"] == "no-store"
            body = server.body.decode("utf-8")
            if refusal.text is not None:
                kind = server.headers["Content-Type"]
                is_html = kind.startswith("text/html")
                assert is_html or kind.lower() == "text/plain; charset=utf-8"
                assert (html.unescape(body) if is_html else body).strip() == refusal.text.strip()
        for target, crawler in (("/robots.txt", "GPTBot/1.0"), ("/y", "CCBot/1.0"), ("/x", BROWSER)):
            passed = server.get(target, crawler)
            assert passed.status in {200, 204, 404}
            assert "Cache-Control" not in server.headers
            assert refusal.text is None or refusal.text.encode() not in server.body


@pytest.mark.service
def test_page_of_nginx_for_the_text_is_internal(tmp_path: Path) -> None:
    rules = canfetch.author.render_policy(policy_with(Refusal(451, "no")), "nginx")
    with running("nginx", rules, tmp_path) as server:
        assert server.get("/canfetch-refusal", BROWSER).status == 404


def test_text_is_in_the_rules_for_iis() -> None:
    for text in TEXTS:
        rules = canfetch.author.render_policy(policy_with(Refusal(451, text)), "iis")
        action = ET.fromstring(rules.encode()).find(".//rules/rule/action")  # noqa: S314 - our own
        assert action is not None
        assert action.attrib == {
            "type": "CustomResponse",
            "statusCode": "451",
            "statusReason": "Unavailable For Legal Reasons",
            "statusDescription": text,
        }


def test_traefik_has_a_status_but_no_text() -> None:
    rules = canfetch.author.render_policy(policy_with(Refusal(451)), "traefik")
    assert "        rejectStatusCode: 451\n" in rules
    with pytest.raises(InvalidSitePolicy, match="refusal: Traefik cannot respond with a text"):
        canfetch.author.render_policy(policy_with(Refusal(451, "no")), "traefik")


@pytest.mark.parametrize("name", ["nginx", "apache", "htaccess", "caddy", "haproxy", "traefik", "iis"])
def test_default_is_403_without_a_text(name: str) -> None:
    policy = canfetch.author.parse_policy(POLICIES["training"] + "\n[refusal]\nstatus = 403\n")
    assert policy == canfetch.author.parse_policy(POLICIES["training"])
    rules = canfetch.author.render_policy(policy, name)
    assert "Responds with 403" in rules
    assert "no-store" not in rules


@pytest.mark.parametrize(
    "toml, expected",
    [
        ("status = 301", "refusal: invalid status 301: expected one of 200, 400"),
        ("status = 401", "invalid status 401"),
        ("status = true", "invalid status True"),
        ("status = '403'", "invalid status '403'"),
        ("status = 200", "a refusal with the status 200 requires a text"),
        ("text = ''", "invalid text ''"),
        ("text = ' '", "invalid text ' '"),
        ("text = 1", "invalid text 1"),
        ("text = 'a\\nb'", "has a special meaning"),
        ('text = "a\\nb"', "expected one line of printable characters"),
        ('text = "a\\u202eb"', "expected one line of printable characters"),
        ("text = '$uri'", "has a special meaning for some servers"),
        ("text = '<b>no</b>'", "has a special meaning for some servers"),
        ("text = '{path}'", "has a special meaning for some servers"),
        ("text = '`'", "has a special meaning for some servers"),
        (f"text = '{'è' * 251}'", "expected at most 500 bytes"),
        ("code = 403", "refusal: unknown key 'code'"),
    ],
)
def test_invalid_refusals(toml: str, expected: str) -> None:
    with pytest.raises(InvalidSitePolicy) as raised:
        canfetch.author.parse_policy(f"[refusal]\n{toml}\n")
    assert expected in str(raised.value)


def test_refusal_must_be_a_table() -> None:
    with pytest.raises(InvalidSitePolicy, match="invalid refusal 403: expected a table"):
        canfetch.author.parse_policy("refusal = 403")


def test_longest_text_and_all_statuses_are_valid() -> None:
    text = "è" * (MAX_TEXT_BYTES // 2)
    for status in STATUSES:
        assert Refusal(status, text).text == text
