"""The table of docs/serving.md, line by line: which requests pass, are counted, or are refused with each setting."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.integrations.serving.conftest import NOW, RULES, make_site
from tests.integrations.serving.test_enforcement import GOOGLEBOT, GPTBOT
from tests.integrations.serving.test_site import request
from tests.servers.dns import DNSServer

from canfetch.agents import REGISTRY
from canfetch.agents.address_lists import AddressList, AddressLists, AddressRanges
from canfetch.client.identity import IdentityVerifier
from canfetch.integrations.serving import Enforcement

PAGE = (Path(__file__).parents[3] / "docs" / "serving.md").read_text(encoding="utf-8")
_DAY = 86_400.0
REAL, FAKE, NAMELESS, BROKEN, SILENT = "66.249.66.1", "8.8.4.4", "9.9.9.9", "1.1.1.1", "1.0.0.1"
CLAUDEBOT = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)"
SETTINGS: list[dict[str, Any]] = [{}, {"block_impostors": True}, {"block_impostors": True, "block_undecided": True}]


class Visit(NamedTuple):
    """A request of a crawler, what the verifier knows, and the address of an earlier request."""

    address: str | None = REAL
    user_agent: str = GOOGLEBOT
    path: str = "/"
    list_age: float | None = None
    options: dict[str, Any] | None = None
    robots: Any = RULES
    earlier: str | None = None
    exempt: tuple[str, ...] = ()


OTHER_HOST = {"www.example.net": RULES}


def fail(_host: str) -> bytes:
    raise OSError("down")


NO_LOOKUPS = {"timeout": 0.05}
EXEMPT = ("Googlebot", "ClaudeBot")
VISITS = {
    "a published list has the address, or names confirm it": [
        Visit(),
        Visit("66.249.64.1", list_age=0),
        Visit("66.249.64.1", list_age=15 * _DAY),
        Visit(path="/private/x", exempt=EXEMPT),
    ],
    "names show another owner, the address has no name and others have one, or a fresh list (14 days) lacks the "
    "address and no name confirms it, whether DNS answers or not": [
        Visit(FAKE),
        Visit(NAMELESS, earlier=REAL),
        Visit(FAKE, list_age=0),
        Visit(NAMELESS, list_age=0),
        Visit(BROKEN, list_age=0),
        Visit(BROKEN, list_age=13 * _DAY),
        Visit(SILENT, list_age=0, options=NO_LOOKUPS),
        Visit(FAKE, list_age=0, options={"dns": False}),
        Visit(FAKE, exempt=EXEMPT),
    ],
    "no list, or one that is too old, and DNS fails, is late, or is still asked about the address for an earlier "
    "request, or too many lookups are in progress": [
        Visit(SILENT, options=NO_LOOKUPS, earlier=SILENT),
        Visit(BROKEN),
        Visit(BROKEN, list_age=15 * _DAY),
        Visit(SILENT, options=NO_LOOKUPS),
        Visit(NAMELESS),
        Visit(FAKE, options={"dns": False}),
        Visit(BROKEN, exempt=EXEMPT),
    ],
    "the address is unknown or private: mostly a proxy that `trusted_proxies` lacks": [
        Visit(None),
        Visit("nonsense"),
        Visit("10.0.0.1"),
        Visit("10.0.0.1", list_age=0),
    ],
    "the operator documents no method that can be checked": [Visit(FAKE, CLAUDEBOT)],
    "the crawler is not in the registry, but has a group in the robots.txt": [Visit(FAKE, "OwnBot/1.0")],
    "a disallowed URL, under the name of an exempt crawler, by an impostor": [
        Visit(FAKE, path="/private/x", exempt=EXEMPT),
        Visit(BROKEN, path="/private/x", list_age=0, exempt=EXEMPT),
    ],
    "a disallowed URL, under the name of an exempt crawler, undecided": [
        Visit(BROKEN, path="/private/x", exempt=EXEMPT),
        Visit(None, path="/private/x", exempt=EXEMPT),
        Visit(FAKE, CLAUDEBOT, "/private/x", exempt=EXEMPT),
    ],
    "a disallowed URL, under the name of any other crawler": [
        Visit(path="/private/x"),
        Visit(FAKE, path="/private/x"),
        Visit(None, GPTBOT),
        Visit(FAKE, "OwnBot/1.0", "/own/x"),
        Visit(None, GPTBOT, exempt=EXEMPT),
    ],
    "the robots.txt cannot be read: `/robots.txt` itself is a 503": [
        Visit(robots=fail),
        Visit(FAKE, robots=fail),
        Visit(path="/private/x", robots=fail),
    ],
    "a host without an entry in the mapping of hosts: use the key `*`, or let the server refuse unknown hosts": [
        Visit(path="/private/x", robots=OTHER_HOST),
        Visit(FAKE, path="/private/x", robots=OTHER_HOST),
    ],
}


def table() -> list[list[str]]:
    rows = re.findall(r"^\| (.*) \|$", PAGE.partition("### Impostors")[2].partition("\n## ")[0], re.MULTILINE)
    return [row.split(" | ") for row in rows[2:]]


@pytest.fixture(scope="module")
def dns() -> Iterator[DNSServer]:
    with DNSServer(
        {"crawl-1.googlebot.com": [REAL]},
        pointers={REAL: ["crawl-1.googlebot.com"], FAKE: ["host.example.net"]},
        broken=[BROKEN],
        silent=[SILENT],
    ) as server:
        yield server


def outcome(dns: DNSServer, visit: Visit, setting: dict[str, Any]) -> str:
    googlebot = REGISTRY.get_crawler("Googlebot")
    assert googlebot is not None
    lists: Any = None
    if visit.list_age is not None:
        ranges = AddressRanges(["66.249.64.0/27"])
        lists = AddressLists({googlebot.verification.address_lists[0]: AddressList(ranges, NOW - visit.list_age)})
    options = {"timeout": 30.0, **(visit.options or {})}
    clock: Callable[[], float] = lambda: NOW  # noqa: E731 - typed
    identity = IdentityVerifier(address_lists=lists, reverse=dns.reverse, resolve=dns.resolve, clock=clock, **options)
    if visit.earlier is not None:
        identity.verify(googlebot, visit.earlier)
    robots = visit.robots
    if robots == RULES:
        robots = RULES + b"\nUser-agent: OwnBot\nDisallow: /own/\n"
    site = make_site(robots, enforcement=Enforcement(identity=identity, exempt=visit.exempt, **setting))
    headers = {"user-agent": visit.user_agent}
    reply = site.respond(request(visit.path, headers=headers, peer=visit.address))
    # The file itself is never refused. Without a file for the host, the application responds.
    file = site.respond(request("/robots.txt", headers=headers, peer=visit.address))
    assert (file and file.status) == (None if visit.robots is OTHER_HOST else 503 if visit.robots is fail else 200)
    if reply is not None:
        assert reply.status == 403
        return "**refused**"
    return "counted" if site.stats.impostors else "passes"


def test_every_line_of_the_table_has_a_visit() -> None:
    assert [row[0] for row in table()] == list(VISITS)


@pytest.mark.parametrize("line", table(), ids=lambda row: str(row[0][:40]))
def test_line_of_the_table(dns: DNSServer, line: list[str]) -> None:
    situation, *expected = line
    assert len(expected) == len(SETTINGS)
    for visit in VISITS[situation]:
        assert [outcome(dns, visit, setting) for setting in SETTINGS] == expected, visit
