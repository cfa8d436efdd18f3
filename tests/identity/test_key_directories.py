"""Key directories: fetches from a real server on loopback, caches, failures and bounds."""

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Any

import pytest
from tests.identity.clock import Clock
from tests.identity.signers import Signer
from tests.servers.valid import respond
from tests.servers.web import Behaviour, Exchange, Site

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.identity.key_directories import KeyDirectories, KeyLookup
from canfetch.client.identity.keys import DIRECTORY_TYPE, MAX_KEY_SET_BYTES
from canfetch.client.transports import TransportRequest
from canfetch.errors import InvalidOption

FIRST, SECOND = Signer(), Signer()
UNKNOWN = "A" * 43


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as started:
        yield started


@pytest.fixture
def clock() -> Clock:
    return Clock(1_790_000_000.0)


def key_set(*signers: Signer, fields: Sequence[str] = ()) -> Behaviour:
    return respond(json.dumps({"keys": [signer.jwk for signer in signers]}).encode(), *fields)


def directories(clock: Clock, **options: Any) -> KeyDirectories:
    # Long enough for a slow machine: nothing here waits for it.
    return KeyDirectories(**{"allow_private": True, "timeout": 30.0, "clock": clock, "chance": lambda: 0.0, **options})


def find(found: KeyDirectories, url: str, signer: Signer | str, *, trusted: bool = False) -> str:
    """Return the result of a lookup in one word, after the fetch."""
    key_id = signer if isinstance(signer, str) else signer.key_id
    lookup = found.start(url, key_id, trusted=trusted)
    if isinstance(lookup, Future):
        lookup.result(30)
        lookup = found.finish(url, key_id)
    return word(lookup, key_id)


def word(lookup: KeyLookup | Future[None], key_id: str) -> str:
    assert isinstance(lookup, KeyLookup)
    if lookup.key is not None:
        assert lookup.key.thumbprint == key_id
        return "found"
    assert lookup.detail
    return str(lookup.reason)


def test_a_directory_is_fetched_once(site: Site, clock: Clock) -> None:
    site.serve("/keys", key_set(FIRST, SECOND, fields=["Cache-Control: max-age=600"]))
    found = directories(clock)
    assert [find(found, site.url("keys"), signer) for signer in (FIRST, SECOND, FIRST)] == ["found"] * 3
    clock.now += 599
    assert find(found, site.url("keys"), FIRST) == "found"
    (request,) = site.requests
    assert request.method == "GET"
    assert request.headers["user-agent"].startswith("canfetch/")
    assert request.headers["accept"].startswith(DIRECTORY_TYPE)


def test_a_removed_key_stops_verifying_when_the_copy_expires(site: Site, clock: Clock) -> None:
    site.serve("/keys", key_set(FIRST, fields=["Cache-Control: max-age=600"]), key_set(SECOND), key_set())
    found = directories(clock)
    assert find(found, site.url("keys"), FIRST) == "found"
    clock.now += 600
    assert find(found, site.url("keys"), FIRST) == "key-unknown"
    assert find(found, site.url("keys"), SECOND) == "found"
    # An empty set removes all keys.
    clock.now += 3600
    assert find(found, site.url("keys"), SECOND) == "key-unknown"
    assert site.count("/keys") == 3


def test_a_new_key_is_found_before_the_copy_expires(site: Site, clock: Clock) -> None:
    site.serve("/keys", key_set(FIRST), key_set(FIRST, SECOND))
    found = directories(clock)
    assert find(found, site.url("keys"), FIRST) == "found"
    for _ in range(50):
        assert find(found, site.url("keys"), SECOND) == "key-unknown"
    clock.now += 59
    assert find(found, site.url("keys"), SECOND) == "key-unknown"
    assert site.count("/keys") == 1
    clock.now += 1
    assert [find(found, site.url("keys"), SECOND), find(found, site.url("keys"), FIRST)] == ["found", "found"]
    assert site.count("/keys") == 2


@pytest.mark.parametrize(
    "fields, fresh",
    [
        ([], 3600),
        (["Cache-Control: max-age=0"], 60),
        (["Cache-Control: no-store"], 60),
        (["Cache-Control: max-age=999999999"], 86_400),
        (["Cache-Control: max-age=1000", "Age: 300"], 700),
    ],
)
def test_times_of_copies_are_bounded(site: Site, clock: Clock, fields: Sequence[str], fresh: int) -> None:
    site.serve("/keys", key_set(FIRST, fields=fields))
    found = directories(clock)
    for offset, count in ((0, 1), (fresh - 1, 1), (1, 2)):
        clock.now += offset
        assert find(found, site.url("keys"), FIRST) == "found"
        assert site.count("/keys") == count


@pytest.mark.parametrize(
    "stored, unchanged, count",
    [
        (['ETag: "1"'], ['ETag: "1"'], 2),
        (['ETag: W/"1"', "Cache-Control: max-age=600"], [], 2),
        (["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"], ['ETag: "1"'], 2),
        # A 304 that nothing asked for, and one for another copy, after which the next request has no condition.
        ([], [], 3),
        (['ETag: "1"'], ['ETag: "2"'], 3),
    ],
)
def test_an_old_copy_is_revalidated(
    site: Site, clock: Clock, stored: Sequence[str], unchanged: Sequence[str], count: int
) -> None:
    not_modified = respond(b"", *unchanged, status=304)
    site.serve("/keys", key_set(FIRST, fields=stored), not_modified, key_set(SECOND))
    found = directories(clock)
    assert find(found, site.url("keys"), FIRST) == "found"
    lifetime = 600 if len(stored) > 1 else 3600
    clock.now += lifetime
    assert find(found, site.url("keys"), FIRST) == "found"
    conditions = {name: site.requests[1].headers.get(name) for name in ("if-none-match", "if-modified-since")}
    assert list(filter(None, conditions.values())) == [line.partition(": ")[2] for line in stored[:1]]
    # The lifetime of a 304 is its own, or that of the copy. A directory that failed is fetched again in a minute.
    clock.now += 60 if count == 3 else lifetime - 1
    assert find(found, site.url("keys"), FIRST) == ("key-unknown" if count == 3 else "found")
    assert site.count("/keys") == count
    if count == 3:
        assert "if-none-match" not in site.requests[2].headers


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_processes_do_not_fetch_all_at_once(site: Site, clock: Clock, chance: float) -> None:
    site.serve("/keys", key_set(FIRST, fields=["Cache-Control: max-age=1000"]), respond(b"", status=503))
    found = directories(clock, chance=lambda: chance)
    assert find(found, site.url("keys"), FIRST) == "found"
    for lifetime in (1000, 60):
        count = site.count("/keys")
        for offset, fetches in ((lifetime * (1 - chance / 10) - 1, 0), (1, 1)):
            clock.now += offset
            assert find(found, site.url("keys"), FIRST) == "found"
            assert site.count("/keys") == count + fetches


def test_an_outage_does_not_remove_keys_for_a_while(site: Site, clock: Clock) -> None:
    site.serve("/keys", key_set(FIRST), respond(b"", status=503))
    found = directories(clock, max_stale=7200.0)
    assert find(found, site.url("keys"), FIRST) == "found"
    clock.now += 3600 + 7199
    assert find(found, site.url("keys"), FIRST) == "found"
    # Whether an old copy lacks the key or the operator has just added it is unknown.
    assert find(found, site.url("keys"), SECOND) == "directory-unavailable"
    clock.now += 1
    assert find(found, site.url("keys"), FIRST) == "directory-unavailable"
    assert site.count("/keys") == 2
    site.serve("/keys", key_set(FIRST))
    clock.now += 59
    assert find(found, site.url("keys"), FIRST) == "found"


def test_a_fresh_copy_answers_during_an_outage(site: Site, clock: Clock) -> None:
    site.serve("/keys", key_set(FIRST), respond(b"", status=503))
    found = directories(clock)
    assert find(found, site.url("keys"), FIRST) == "found"
    clock.now += 60
    assert find(found, site.url("keys"), SECOND) == "key-unknown"
    clock.now += 1000
    assert find(found, site.url("keys"), FIRST) == "found"
    assert site.count("/keys") == 2


def test_failures_are_cached_with_growing_pauses(site: Site, clock: Clock) -> None:
    site.serve("/keys", respond(b"", status=500))
    found = directories(clock)
    for pause in (60, 120, 240, 300, 300):
        count = site.count("/keys")
        for offset in (0, pause - 1):
            clock.now += offset
            assert find(found, site.url("keys"), FIRST) == "directory-unavailable"
        assert site.count("/keys") == count + 1
        clock.now += 1
    # As long as the server asks for, within the bounds.
    site.serve("/late", respond(b"", "Retry-After: 200", status=503), respond(b"", "Retry-After: 9999", status=503))
    for pause in (200, 300):
        count = site.count("/late")
        for offset in (0, pause - 1):
            clock.now += offset
            assert find(found, site.url("late"), FIRST) == "directory-unavailable"
        assert site.count("/late") == count + 1
        clock.now += 1


@pytest.mark.parametrize(
    "behaviour, detail",
    [
        (respond(b"", "Location: /other", status=302), "status 302"),
        (respond(b"", "Location: https://example.com/", status=308), "status 308"),
        (respond(b'{"keys": []}', status=203), "status 203"),
        (respond(b"", status=404), "status 404"),
        (respond(b"<html>"), "not valid JSON"),
        (respond(b"[]"), 'has no list "keys"'),
        (respond(b" " * (MAX_KEY_SET_BYTES + 1)), "longer than"),
    ],
)
def test_responses_without_keys(site: Site, clock: Clock, behaviour: Behaviour, detail: str) -> None:
    site.serve("/keys", behaviour)
    site.serve("/other", key_set(FIRST))
    found = directories(clock)
    assert find(found, site.url("keys"), FIRST) == "directory-unavailable"
    lookup = found.start(site.url("keys"), FIRST.key_id)
    assert isinstance(lookup, KeyLookup)
    assert detail in lookup.detail
    assert [request.target for request in site.requests] == ["/keys"]


def test_private_addresses_are_not_connected_to(site: Site, clock: Clock) -> None:
    found = KeyDirectories(clock=clock)
    for url in (site.url("keys"), f"http://localhost:{site.port}/keys", "https://[::1]/", "https://169.254.169.254/"):
        assert find(found, url, FIRST, trusted=True) == "directory-unavailable"
        lookup = found.start(url, FIRST.key_id)
        assert isinstance(lookup, KeyLookup)
        assert "not public" in lookup.detail
    assert not site.requests


def test_the_environment_does_not_choose_a_proxy(site: Site, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("http_proxy", "http://127.0.0.1:1"), ("no_proxy", ""), ("NO_PROXY", "")):
        monkeypatch.setenv(name, value)
    site.serve("/keys", key_set(FIRST))
    assert find(directories(clock), site.url("keys"), FIRST) == "found"


class Gate:
    """A behaviour that responds when the test opens it."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.opened = threading.Event()
        self._behaviour = behaviour

    async def __call__(self, exchange: Exchange) -> None:
        await asyncio.to_thread(self.opened.wait)
        await self._behaviour(exchange)


@pytest.mark.parametrize("trusted", [True, False])
def test_requests_share_a_fetch_and_few_wait_for_it(site: Site, clock: Clock, trusted: bool) -> None:  # noqa: FBT001 - a parameter
    gate = Gate(key_set(FIRST))
    site.serve("/keys", gate)
    found = directories(clock)
    started = [found.start(site.url("keys"), FIRST.key_id, trusted=trusted) for _ in range(20)]
    waiting = [one for one in started if isinstance(one, Future)]
    assert len(waiting) == (8 if trusted else 1)
    rest = [one for one in started if isinstance(one, KeyLookup)]
    # A request whose time is over.
    late = found.finish(site.url("keys"), FIRST.key_id)
    gate.opened.set()
    assert {word(one, FIRST.key_id) for one in (*rest, late)} == {"directory-pending"}
    for one in waiting:
        one.result(30)
    assert word(found.finish(site.url("keys"), FIRST.key_id), FIRST.key_id) == "found"
    assert site.count("/keys") == 1


def test_an_old_copy_is_used_while_the_next_one_is_late(site: Site, clock: Clock) -> None:
    gate = Gate(key_set(SECOND))
    site.serve("/keys", key_set(FIRST), gate)
    found = directories(clock)
    assert find(found, site.url("keys"), FIRST) == "found"
    clock.now += 3600
    fetch = found.start(site.url("keys"), FIRST.key_id)
    assert isinstance(fetch, Future)
    # One request waits. Neither the next ones nor a late one does.
    lookups = [
        (look(site.url("keys"), key_id), key_id)
        for look in (found.start, found.finish)
        for key_id in (FIRST.key_id, SECOND.key_id)
    ]
    gate.opened.set()
    assert [word(lookup, key_id) for lookup, key_id in lookups] == ["found", "key-unknown"] * 2
    fetch.result(30)
    assert word(found.finish(site.url("keys"), FIRST.key_id), FIRST.key_id) == "key-unknown"
    assert word(found.finish(site.url("keys"), SECOND.key_id), SECOND.key_id) == "found"


@pytest.mark.parametrize("has_copy", [True, False])
def test_an_outage_continues_while_the_directory_is_fetched_again(site: Site, clock: Clock, has_copy: bool) -> None:  # noqa: FBT001 - a parameter
    gate = Gate(key_set(SECOND))
    site.serve("/keys", *([key_set(FIRST)] if has_copy else []), respond(b"", status=503), gate)
    found = directories(clock)
    for _ in range(has_copy + 1):
        find(found, site.url("keys"), SECOND)
        clock.now += 3600
    fetch = found.start(site.url("keys"), SECOND.key_id)
    assert isinstance(fetch, Future)
    waiting = found.start(site.url("keys"), SECOND.key_id)
    gate.opened.set()
    assert word(waiting, SECOND.key_id) == "directory-unavailable"
    assert isinstance(waiting, KeyLookup)
    assert "status 503" in waiting.detail
    fetch.result(30)
    assert word(found.finish(site.url("keys"), SECOND.key_id), SECOND.key_id) == "found"


def test_a_copy_that_is_too_old_decides_nothing(site: Site, clock: Clock) -> None:
    gate = Gate(key_set(FIRST))
    site.serve("/keys", key_set(FIRST), gate)
    found = directories(clock, max_stale=60.0)
    assert find(found, site.url("keys"), FIRST) == "found"
    clock.now += 3660
    fetch = found.start(site.url("keys"), FIRST.key_id)
    assert isinstance(fetch, Future)
    rest = [found.start(site.url("keys"), key_id) for key_id in (FIRST.key_id, UNKNOWN)]
    gate.opened.set()
    assert [word(one, "") for one in rest] == ["directory-pending"] * 2
    fetch.result(30)


def test_slow_directories_of_strangers_do_not_delay_trusted_ones(site: Site, clock: Clock) -> None:
    gate = Gate(key_set(FIRST))
    for number in range(10):
        site.serve(f"/slow{number}", gate)
    site.serve("/keys", key_set(FIRST))
    found = directories(clock, max_fetches=4)
    started = [found.start(site.url(f"slow{number}"), FIRST.key_id) for number in range(10)]
    assert sum(isinstance(one, Future) for one in started) == 4
    assert find(found, site.url("keys"), FIRST, trusted=True) == "found"
    gate.opened.set()
    for one in started:
        if isinstance(one, Future):
            one.result(30)
    assert find(found, site.url("slow9"), FIRST) == "found"


class Counting:
    """A transport without a network."""

    def __init__(self, response: Response | Failure | Exception) -> None:
        self.urls: list[str] = []
        self._response = response

    def send(self, request: TransportRequest) -> Response | Failure:
        self.urls.append(request.url)
        if isinstance(self._response, Exception):
            raise self._response
        return self._response

    def close(self) -> None:
        raise AssertionError


def test_junk_fetches_nothing_twice_and_little_in_all(clock: Clock) -> None:
    transport = Counting(Failure("https://junk.example/", FailureKind.DNS, "no such name"))
    found = directories(clock, transport=transport, max_fetches_per_minute=50)
    for number in range(2000):
        reason = find(found, f"https://junk{number % 500}.example/keys", UNKNOWN)
        assert reason == ("directory-unavailable" if number % 500 < 50 else "directory-not-requested")
    assert len(transport.urls) == len(set(transport.urls)) == 50
    clock.now += 60
    assert find(found, "https://junk499.example/keys", UNKNOWN) == "directory-unavailable"
    assert len(transport.urls) == 51
    # They do not use up what trusted directories need.
    assert find(found, "https://trusted.example/keys", UNKNOWN, trusted=True) == "directory-unavailable"
    assert transport.urls[-1] == "https://trusted.example/keys"


def test_the_number_of_copies_is_bounded(clock: Clock) -> None:
    keys = json.dumps({"keys": [FIRST.jwk]}).encode()
    transport = Counting(Response("https://a.example/", 200, (), keys))
    found = directories(clock, transport=transport, max_directories=10, max_fetches_per_minute=1000)
    assert find(found, "https://trusted.example/", FIRST, trusted=True) == "found"
    for number in range(30):
        assert find(found, f"https://a{number}.example/", FIRST) == "found"
    assert (len(found._known), len(found._failed), len(found._trusted)) == (10, 0, 1)
    assert find(found, "https://a29.example/", FIRST) == "found"
    assert find(found, "https://trusted.example/", FIRST, trusted=True) == "found"
    assert len(transport.urls) == 31
    assert find(found, "https://a0.example/", FIRST) == "found"
    assert len(transport.urls) == 32


def test_failures_do_not_evict_keys(clock: Clock) -> None:
    keys = json.dumps({"keys": [FIRST.jwk]}).encode()
    transport = Counting(Response("https://a.example/", 200, (), keys))
    found = directories(clock, transport=transport, max_directories=2, max_fetches_per_minute=1000)
    assert find(found, "https://good.example/", FIRST) == "found"
    transport._response = ValueError("any error of a transport")
    for number in range(10):
        assert find(found, f"https://junk{number}.example/", FIRST) == "directory-unavailable"
    assert find(found, "https://good.example/", FIRST) == "found"
    assert (len(found._known), len(found._failed)) == (1, 2)
    # One that works again moves to the others.
    transport._response = Response("https://a.example/", 200, (), keys)
    clock.now += 60
    assert find(found, "https://junk9.example/", FIRST) == "found"
    assert (len(found._known), len(found._failed)) == (2, 1)


def test_a_clock_that_is_set_back(site: Site, clock: Clock) -> None:
    site.serve("/keys", key_set(FIRST), key_set(SECOND))
    found = directories(clock)
    assert find(found, site.url("keys"), FIRST) == "found"
    clock.now -= 86_400
    assert find(found, site.url("keys"), SECOND) == "found"
    assert find(found, site.url("keys"), FIRST) == "key-unknown"


@pytest.mark.parametrize(
    "options",
    [{"timeout": 0}, {"max_stale": -1.0}, {"max_directories": 0}, {"max_fetches": True}, {"clock": None}],
)
def test_invalid_options(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption):
        KeyDirectories(**options)
