"""Verification of crawlers, with a real DNS server on loopback."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event
from typing import Any

import pytest
from tests.identity.clock import Clock
from tests.servers.dns import DNSServer

from canfetch.agents import REGISTRY, Crawler
from canfetch.agents.address_lists import AddressList, AddressLists, AddressRanges
from canfetch.agents.identity import Identity, has_suffix, parse_address
from canfetch.client.identity import IdentityVerifier
from canfetch.client.identity import verifier as verifier_module
from canfetch.client.identity.verifier import system_reverse
from canfetch.errors import InvalidOption

NOW = 1_790_000_000.0
REAL, FAKE, LIAR, NAMELESS, MANY = "66.249.66.1", "8.8.4.4", "8.8.8.8", "9.9.9.9", "9.9.9.10"
BROKEN, HALF, SILENT, IPV6 = "1.1.1.1", "1.0.0.1", "4.4.4.4", "2001:4860:4801:10::1"


def crawler(name: str) -> Crawler:
    found = REGISTRY.get_crawler(name)
    assert found is not None
    return found


GOOGLEBOT, GPTBOT, BINGBOT = crawler("Googlebot"), crawler("GPTBot"), crawler("bingbot")


@pytest.fixture(scope="module")
def dns() -> Iterator[DNSServer]:
    with DNSServer(
        {
            "crawl-1.googlebot.com": [REAL],
            "crawl-6.googlebot.com": [IPV6],
            "liar.googlebot.com": ["66.249.66.9"],
            "half.googlebot.com": [HALF],
        },
        pointers={
            REAL: ["crawl-1.googlebot.com"],
            IPV6: ["crawl-6.googlebot.com"],
            FAKE: ["host\x1b.example.net"],
            LIAR: ["liar.googlebot.com", "missing.googlebot.com"],
            MANY: [f"n{number}.googlebot.com" for number in range(40)],
            HALF: ["half.googlebot.com"],
        },
        broken=[BROKEN, "half.googlebot.com"],
        silent=[SILENT],
    ) as server:
        yield server


Verify = Callable[[Crawler, str | None], Identity]


def verifier(server: DNSServer, **options: Any) -> IdentityVerifier:
    # Long enough for a slow machine: nothing here waits for it.
    return IdentityVerifier(
        **{"reverse": server.reverse, "resolve": server.resolve, "clock": Clock(NOW), "timeout": 30.0, **options}
    )


@pytest.fixture(params=["sync", "async"])
def verify(request: pytest.FixtureRequest, dns: DNSServer) -> Verify:
    """Return the function of a verifier to which DNS has returned a name before."""
    used = verifier(dns)
    used.verify(GOOGLEBOT, REAL)
    if request.param == "sync":
        return used.verify
    return lambda crawler, address: asyncio.run(used.verify_async(crawler, address))


@pytest.mark.parametrize(
    "name, address, status, reason",
    [
        ("Googlebot", REAL, "verified", "66.249.66.1 is crawl-1.googlebot.com"),
        ("Googlebot", f"::ffff:{REAL}", "verified", "66.249.66.1 is crawl-1.googlebot.com"),
        ("Googlebot", IPV6, "verified", "2001:4860:4801:10::1 is crawl-6.googlebot.com"),
        ("bingbot", REAL, "impostor", "66.249.66.1 is crawl-1.googlebot.com"),
        ("Googlebot", FAKE, "impostor", "8.8.4.4 is host%1B.example.net"),
        (
            "Googlebot",
            LIAR,
            "impostor",
            "8.8.8.8 claims the name liar.googlebot.com, which does not",
        ),
        ("Googlebot", NAMELESS, "impostor", "9.9.9.9 has no name"),
        ("Googlebot", BROKEN, "undecided", "the name of 1.1.1.1 cannot be looked up"),
        ("Googlebot", HALF, "undecided", "half.googlebot.com cannot be looked up"),
        ("GPTBot", REAL, "undecided", "the addresses that OpenAI publishes are missing or too old"),
        ("ClaudeBot", REAL, "undecided", ""),
        ("Googlebot", "127.0.0.1", "undecided", "127.0.0.1 is not a public address"),
        ("Googlebot", "10.1.2.3", "undecided", "not a public address"),
        ("Googlebot", "fe80::1%eth0", "undecided", "not a public address"),
        ("Googlebot", None, "undecided", "the address of the client is unknown"),
        ("Googlebot", "unix:", "undecided", "the address of the client is unknown"),
        ("Googlebot", "66.249.66.1\0", "undecided", "the address of the client is unknown"),
    ],
)
def test_identity(verify: Verify, name: str, address: str | None, status: str, reason: str) -> None:
    identity = verify(crawler(name), address)
    assert str(identity.status) == status
    assert identity.is_impostor is (status == "impostor")
    assert reason in identity.reason


def test_missing_name_is_no_evidence_if_no_name_was_ever_found(dns: DNSServer) -> None:
    # Such as in a container without access to public DNS.
    used = verifier(dns)
    assert str(used.verify(GOOGLEBOT, NAMELESS).status) == "undecided"
    assert str(used.verify(GOOGLEBOT, REAL).status) == "verified"
    assert str(used.verify(GOOGLEBOT, NAMELESS).status) == "impostor"


def test_number_of_forward_lookups_is_limited(dns: DNSServer) -> None:
    before = len(dns.queries)
    assert verifier(dns).verify(GOOGLEBOT, MANY).is_impostor
    assert len(dns.queries) - before <= 1 + 2 * 4


def published(url: str, prefix: str, fetched_at: float = NOW) -> AddressLists:
    return AddressLists({url: AddressList(AddressRanges([prefix]), fetched_at)})


OPENAI = GPTBOT.verification.address_lists[0]
GOOGLE = GOOGLEBOT.verification.address_lists[0]


@pytest.mark.parametrize(
    "name, lists, address, status",
    [
        ("GPTBot", published(OPENAI, "20.15.240.0/24"), "20.15.240.1", "verified"),
        ("GPTBot", published(OPENAI, "20.15.240.0/24"), "20.15.241.1", "impostor"),
        ("GPTBot", published(OPENAI, "20.15.240.0/24", NOW - 15 * 86_400), "20.15.241.1", "undecided"),
        ("GPTBot", published(OPENAI, "20.15.240.0/24", NOW - 15 * 86_400), "20.15.240.1", "verified"),
        # Either method verifies, so a list that is a little behind does no harm.
        ("Googlebot", published(GOOGLE, "66.249.64.0/27"), REAL, "verified"),
        ("Googlebot", published(GOOGLE, "66.249.64.0/27"), "66.249.64.1", "verified"),
        ("Googlebot", published(GOOGLE, "66.249.64.0/27"), FAKE, "impostor"),
        ("Googlebot", published(GOOGLE, "66.249.64.0/27"), NAMELESS, "impostor"),
        # Impostors control the reverse zones of their own addresses.
        ("Googlebot", published(GOOGLE, "66.249.64.0/27"), BROKEN, "impostor"),
        ("Googlebot", published(GOOGLE, "66.249.64.0/27", NOW - 15 * 86_400), BROKEN, "undecided"),
    ],
    ids=str,
)
def test_published_addresses(dns: DNSServer, name: str, lists: AddressLists, address: str, status: str) -> None:
    assert str(verifier(dns, address_lists=lists).verify(crawler(name), address).status) == status


def test_without_dns_the_lists_decide(dns: DNSServer) -> None:
    before = len(dns.queries)
    used = verifier(dns, address_lists=published(GOOGLE, "66.249.64.0/27"), dns=False)
    assert used.verify(GOOGLEBOT, REAL).is_impostor
    assert str(used.verify(BINGBOT, REAL).status) == "undecided"
    assert used.verify(crawler("Baiduspider"), REAL).reason == "names are not looked up"
    assert len(dns.queries) == before


@pytest.mark.parametrize("address, seconds", [(REAL, 86_400), (FAKE, 3600), (BROKEN, 60)])
def test_results_are_cached_until_they_expire(dns: DNSServer, address: str, seconds: float) -> None:
    clock = Clock(NOW)
    used = verifier(dns, clock=clock)
    first = used.verify(GOOGLEBOT, address)
    queries = len(dns.queries)
    clock.now += seconds - 1
    assert used.verify(GOOGLEBOT, address) == first
    assert len(dns.queries) == queries
    clock.now += 1
    used.verify(GOOGLEBOT, address)
    assert len(dns.queries) > queries


def test_clock_that_was_set_back_does_not_keep_results(dns: DNSServer) -> None:
    clock = Clock(NOW)
    used = verifier(dns, clock=clock)
    used.verify(GOOGLEBOT, REAL)
    queries = len(dns.queries)
    clock.now -= 10
    used.verify(GOOGLEBOT, REAL)
    assert len(dns.queries) > queries


def test_flood_of_addresses_neither_fills_the_cache_nor_evicts_real_crawlers(dns: DNSServer) -> None:
    used = verifier(dns, max_entries=8)
    used.verify(GOOGLEBOT, REAL)
    for number in range(50):
        used.verify(GOOGLEBOT, f"5.5.{number}.1")
    assert len(used._others) == 8
    queries = len(dns.queries)
    assert str(used.verify(GOOGLEBOT, REAL).status) == "verified"
    assert len(dns.queries) == queries


class Hanging:
    """A resolver that does not return before it is released."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.called = Event()
        self.released = Event()

    def __call__(self, address: str) -> Sequence[str]:
        self.calls.append(address)
        self.called.set()
        assert self.released.wait(300)
        return ()


def test_lookups_that_hang_stall_neither_their_network_nor_all_others() -> None:
    hanging = Hanging()
    used = IdentityVerifier(reverse=hanging, timeout=0.01, max_lookups=4, clock=Clock(NOW))
    reasons = [used.verify(GOOGLEBOT, f"5.5.5.{number}").reason for number in range(1, 6)]
    assert reasons[:2] == [f"no name of 5.5.5.{number} within 0.01 s" for number in (1, 2)]
    assert set(reasons[2:]) == {"too many lookups are in progress"}
    assert used.verify(GOOGLEBOT, "5.5.5.1").reason == "the lookup of 5.5.5.1 is in progress"
    used.verify(GOOGLEBOT, "2a00:1:2:3::1")
    used.verify(GOOGLEBOT, "2a00:1:3:4::1")
    assert used.verify(GOOGLEBOT, "7.7.7.7").reason == "too many lookups are in progress"
    hanging.released.set()
    wait_for_lookups(used)
    assert len(hanging.calls) == 4
    assert used._networks == {}
    assert used.verify(GOOGLEBOT, "7.7.7.7").reason == "7.7.7.7 has no name"


def wait_for_lookups(used: IdentityVerifier) -> None:
    for thread in threading.enumerate():
        if thread.name == "canfetch-identity":
            thread.join(300)
    assert not used._in_progress


def test_late_result_answers_later_requests(dns: DNSServer) -> None:
    used = verifier(dns, timeout=0.01)
    assert str(used.verify(GOOGLEBOT, SILENT).status) == "undecided"
    assert dns.arrived.wait(300)
    assert used.verify(GOOGLEBOT, SILENT).reason == f"the lookup of {SILENT} is in progress"
    dns.release()
    wait_for_lookups(used)
    assert used.verify(GOOGLEBOT, SILENT).reason == f"{SILENT} has no name"


def test_event_loop_runs_while_a_lookup_hangs() -> None:
    hanging = Hanging()
    used = IdentityVerifier(reverse=hanging, timeout=60.0, clock=Clock(NOW))

    async def main() -> Identity:
        lookup = asyncio.create_task(used.verify_async(GOOGLEBOT, REAL))
        await asyncio.to_thread(hanging.called.wait, 300)
        second = await used.verify_async(GOOGLEBOT, REAL)
        assert second.reason == f"the lookup of {REAL} is in progress"
        hanging.released.set()
        return await lookup

    assert asyncio.run(main()).reason == f"{REAL} has no name"


def test_cancelled_request_leaves_the_lookup_running() -> None:
    hanging = Hanging()
    used = IdentityVerifier(reverse=hanging, timeout=60.0, clock=Clock(NOW))

    async def main() -> None:
        lookup = asyncio.create_task(used.verify_async(GOOGLEBOT, REAL))
        await asyncio.to_thread(hanging.called.wait, 300)
        lookup.cancel()
        with pytest.raises(asyncio.CancelledError):
            await lookup

    asyncio.run(main())
    hanging.released.set()
    wait_for_lookups(used)
    assert used.verify(GOOGLEBOT, REAL).reason == f"{REAL} has no name"


def test_many_threads_start_one_lookup(dns: DNSServer) -> None:
    used = verifier(dns)
    before = len(dns.queries)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: used.verify(GOOGLEBOT, REAL), range(32)))
    assert len(dns.queries) - before == 3
    assert {str(identity.status) for identity in found} <= {"verified", "undecided"}
    assert str(used.verify(GOOGLEBOT, REAL).status) == "verified"


def _raise(error: BaseException) -> Callable[[str], Sequence[str]]:
    def function(_: str) -> Sequence[str]:
        raise error

    return function


@pytest.mark.parametrize("error", [OSError("down"), ValueError("label too long"), KeyError("bug"), TimeoutError()])
def test_resolver_that_raises_leaves_the_identity_undecided(error: Exception) -> None:
    for functions in ({"reverse": _raise(error)}, {"reverse": lambda _: ["a.googlebot.com"], "resolve": _raise(error)}):
        used = IdentityVerifier(**functions, clock=Clock(NOW))  # type: ignore[arg-type]  # the names are those of arguments
        assert str(used.verify(GOOGLEBOT, REAL).status) == "undecided"
        assert str(asyncio.run(used.verify_async(GOOGLEBOT, "66.249.67.1")).status) == "undecided"


def test_name_that_does_not_exist_is_not_confirmed() -> None:
    missing = _raise(socket.gaierror(socket.EAI_NONAME, "Name or service not known"))
    used = IdentityVerifier(reverse=lambda _: ["a.googlebot.com"], resolve=missing, clock=Clock(NOW))
    assert used.verify(GOOGLEBOT, REAL).is_impostor


@pytest.mark.parametrize("code, expected", [(1, ()), (4, ()), (2, None), (3, None)])
def test_results_of_the_system(code: int, expected: tuple[str, ...] | None) -> None:
    # RFC 3493: 1 and 4 mean that there is no name, 2 and 3 that the lookup failed.
    assert (code in verifier_module._NO_SUCH_ADDRESS) is (expected is not None)


def test_system_knows_loopback_or_fails_as_documented() -> None:
    # Without a resolver, the lookup fails.
    with suppress(OSError):
        assert all(isinstance(name, str) for name in system_reverse("127.0.0.1"))


@pytest.mark.parametrize(
    "options, message",
    [
        ({"timeout": 0}, "invalid timeout 0"),
        ({"max_age": -1}, "invalid max_age -1"),
        ({"max_lookups": 0}, "invalid max_lookups 0"),
        ({"max_entries": True}, "invalid max_entries True"),
        ({"reverse": "dns"}, "invalid reverse 'dns': expected a function"),
        ({"address_lists": "file.json"}, "invalid address_lists 'file.json'"),
    ],
    ids=str,
)
def test_invalid_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        IdentityVerifier(**options)


@pytest.mark.parametrize(
    "name, suffix, expected",
    [
        ("crawl-1.googlebot.com", ".googlebot.com", True),
        ("CRAWL-1.GoogleBot.com.", ".googlebot.com", True),
        ("crawl-1.googlebot.com", "googlebot.com", True),
        ("googlebot.com", "googlebot.com", True),
        ("evilgooglebot.com", "googlebot.com", False),
        ("evilgooglebot.com", ".googlebot.com", False),
        ("googlebot.com.example.net", ".googlebot.com", False),
    ],
)
def test_suffix(name: str, suffix: str, *, expected: bool) -> None:
    assert has_suffix(name, [suffix]) is expected


@pytest.mark.slow
def test_parse_address() -> None:
    assert str(parse_address("::ffff:192.0.2.1")) == "192.0.2.1"
    assert parse_address("127.1") is None
