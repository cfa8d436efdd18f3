"""Answers about cached origins: a lookup in either table has the same results as a full lookup of a client."""

import asyncio
import gc
import math
import threading
import weakref
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from tests.access.conftest import Awaited, ScriptedOrigin
from tests.client.either import BOTH, EitherClient

from canfetch.access.effective_access import MAX_CLOCK_SKEW
from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.options import Options
from canfetch.client.origin_state import OriginState
from canfetch.client.origin_table import OriginTable, create_origin_table
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.core.origin import Origin
from canfetch.core.profiles import Profile
from canfetch.errors import CanfetchError

USER_AGENT = "ExampleBot/1.0"
BODY = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.php$\nDisallow: /q?x\nDisallow: /%C3%A9\n"
DAY = 86400.0
# Each host has another answer.
EVENTS: dict[str, dict[str, Any]] = {
    "rules.example": {"status": 200, "body": BODY},
    "rules.example:8080": {"status": 200, "body": "User-agent: ExampleBot\nDisallow: /\n"},
    "[::1]": {"status": 200, "body": BODY},
    "absent.example": {"status": 404},
    "closed.example": {"status": 401},
    "down.example": {"status": 503},
}
HEADS = [
    *(f"https://{host}" for host in EVENTS),
    "HTTPS://rules.example",
    "https://RULES.example",
    "https://rules.example:443",
    "https://user@rules.example",
    "https://rules.example.",
    "https://rules.exampl",
    "http://rules.example",
    "https://räksmörgås.example",
    "//rules.example",
    "https:/",
    "https:///",
    "htt",
    "",
]
PATHS = [
    "",
    "/",
    "/a",
    "/a/b?x#y",
    "/a/../c",
    "/x.php",
    "/x.php?",
    "/q?x",
    "?q",
    "#f",
    "/é",
    "/%c3%A9",
    "//a",
    "/\udcc3\udca9",
]
PATHS += ["/\ud800", "/robots.txt", "/a b", "/a\0b", "/*", "\\a", "@rules.example/a"]


class Hosts(ScriptedOrigin):
    """A transport with another event for each host."""

    def send(self, request: TransportRequest) -> Response | Failure:
        self.event = EVENTS.get(request.url.split("/")[2], {"status": 404})
        return super().send(request)


def options(**changes: Any) -> Options:
    return Options.validated(user_agent=USER_AGENT, **changes)


@pytest.fixture
def table(engine: str) -> OriginTable:
    """Return an empty table of each engine in turn."""
    return create_origin_table(options(engine=engine))


def make_state(name: str, body: str | None = BODY, **changes: Any) -> OriginState:
    transport = ScriptedOrigin({"status": 404} if body is None else {"status": 200, "body": body})
    with Client(user_agent=USER_AGENT, transport=transport, clock=lambda: 0.0, **changes) as client:
        entry = client.origin_state(f"{name}/").entry
        return OriginState(Origin.from_url(f"{name}/"), entry, client.options)


def outcome(call: Callable[[str | bytes], Any], url: str | bytes) -> bool | str:
    """Return whether a URL is allowed, or the error."""
    try:
        answer = call(url)
        return answer if isinstance(answer, bool) else bool(answer.allowed)
    except CanfetchError as error:
        return repr(error)


async def async_outcome(client: AsyncClient, url: str | bytes) -> bool | str:
    """As `outcome`, of an asynchronous client."""
    try:
        return await client.allows(url)
    except CanfetchError as error:
        return repr(error)


def test_each_engine_has_its_table(engine: str) -> None:
    assert (type(create_origin_table(options(engine=engine))) is OriginTable) is (engine == "python")


def test_answers_are_those_of_decide(engine: str, profile: Profile) -> None:
    arguments: dict[str, Any] = {"user_agent": USER_AGENT, "profile": profile.name, "clock": lambda: 0.0}
    arguments["engine"] = engine
    urls: list[str | bytes] = [head + path for head in HEADS for path in PATHS]
    urls += [url.encode() for url in map(str, urls) if url.isascii() and "rules.example/" in url]
    Random(9309).shuffle(urls)  # noqa: S311 - not used for security

    async def ask_twice() -> list[bool | str]:
        async with AsyncClient(transport=Awaited(Hosts()), **arguments) as client:
            return [await async_outcome(client, url) for _ in range(2) for url in urls]

    with Client(transport=Hosts(), **arguments) as client:
        expected = [outcome(client.decide, url) for url in urls]
        # The first question about an origin prepares its answers.
        assert [outcome(client.allows, url) for _ in range(2) for url in urls] == expected * 2
    assert asyncio.run(ask_twice()) == expected * 2


def test_only_fresh_origins_are_answered(table: OriginTable) -> None:
    state = make_state("https://example.com")
    assert (state.valid_from, state.next_fetch_at) == (-MAX_CLOCK_SKEW, DAY)
    table.put("https://example.com", state)
    table.allows("https://example.com/", 0.0)
    for now in (-MAX_CLOCK_SKEW, 0, 1.5, DAY - 1e-6):
        assert table.allows("https://example.com/", now) is True
        assert table.allows("https://example.com/a", now) is False
    for now in (-MAX_CLOCK_SKEW - 1e-6, DAY, DAY + 1, math.inf, -math.inf, math.nan):
        assert table.allows("https://example.com/", now) is None


@BOTH
def test_expired_file_is_fetched_again(engine: str, kind: str) -> None:
    now = [0.0]
    transport = ScriptedOrigin(EVENTS["rules.example"])

    def ask() -> tuple[bool, int]:
        return client.allows("https://example.com/a"), len(transport.requests)

    with EitherClient(kind, transport, engine=engine, clock=lambda: now[0]) as client:
        # A clock that is set back by less than the skew lets nothing expire.
        for time in (0.0, 1.0, 2.0 - MAX_CLOCK_SKEW, DAY - 0.001):
            now[0] = time
            assert ask() == (False, 1)
        transport.event = {"status": 404}
        for time in (DAY, DAY + 1, 2 * DAY - 1):
            now[0] = time
            assert ask() == (True, 2)
        # The clock was set back.
        now[0] = DAY - MAX_CLOCK_SKEW - 1
        transport.event = EVENTS["closed.example"]
        assert ask() == (True, 3)


def test_unreachable_origin_is_not_answered(table: OriginTable) -> None:
    transport = ScriptedOrigin({"status": 503})
    with Client(user_agent=USER_AGENT, transport=transport, clock=lambda: 0.0) as client:
        state = client.origin_state("https://example.com/")
    table.put("https://example.com", state)
    for _ in range(3):
        assert table.allows("https://example.com/", 0.0) is None
    assert table.hits == 0
    assert table.find("https://example.com/") is state
    assert table.hits == 1


def test_new_state_replaces_the_answers(table: OriginTable) -> None:
    url, name = "https://example.com/a", "https://example.com"
    states = [make_state(name), make_state(name, None), make_state(name, "user-agent: *\ndisallow:\n")]
    for number, state in enumerate([*states, states[0]]):
        assert table.put(name, state)[0] is (None if number == 0 else states[number - 1])
        # Rules are indexed after some decisions, and then decide without their file.
        for _ in range(40):
            assert table.allows(url, 0.0) in {None, state is not states[0]}
        assert table.allows(url, 0.0) is (state is not states[0])
    assert (len(table), name in table) == (1, True)
    assert table.pop(name) is states[0]
    assert table.pop(name) is None
    assert table.allows(url, 0.0) is None
    assert (len(table), name in table, table.last_used(name)) == (0, False, 0)


def test_each_use_marks_the_origin(table: OriginTable) -> None:
    one, other = "https://one.example", "https://other.example"
    numbers = [table.put(name, make_state(name))[1] for name in (one, other)]
    assert numbers == [table.last_used(one), table.last_used(other)] == [1, 2]
    for name in (one, other):
        # The first question prepares the answers.
        table.allows(name + "/", 0.0)
    # Rules are indexed after some decisions, and then decide without their file.
    for _ in range(40):
        for name in (one, other):
            assert table.allows(name + "/", 0.0) is True
        # An answer is as recent as the last lookup of a state.
        assert table.last_used(one) == table.last_used(other)
        before = table.last_used(one)
        assert table.find(one + "/") is table.get(one)
        assert table.last_used(one) > before == table.last_used(other)


def test_hits_are_the_answers_and_the_lookups(table: OriginTable) -> None:
    one, other = "https://one.example", "https://other.example"
    for name, body in ((one, BODY), (other, None)):
        table.put(name, make_state(name, body))
        table.allows(name + "/", 0.0)
    hits = table.hits
    for number in range(1, 41):
        assert table.allows(one + "/a", 0.0) is False
        assert table.allows(other + "/a", 0.0) is True
        assert table.hits == hits + 2 * number
    assert table.find(one + "/") is table.get(one)
    assert table.hits == hits + 82
    for url in (one + "/", other + "/"):
        assert table.allows(url, 2 * DAY) is None
        assert table.allows(url.upper(), 0.0) is None
    assert table.hits == hits + 82


def test_threads_do_not_lose_hits(table: OriginTable) -> None:
    names = ["https://one.example", "https://other.example"]
    for name in names:
        table.put(name, make_state(name))
        table.allows(name + "/", 0.0)
    hits = table.hits
    start = threading.Barrier(20)

    def ask() -> None:
        start.wait(300)
        for _ in range(100):
            for name in names:
                table.allows(name + "/", 0.0)

    # More than there are separate counters.
    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert table.hits == hits + 20 * 100 * 2


def test_text_that_is_no_origin_answers_nothing(table: OriginTable) -> None:
    state = make_state("https://example.com")
    for name in ("https://a b", "https://", "https://x:y", "https:///", "example.com", "/", ""):
        table.put(name, state)
        assert table.get(name) is state
    if type(table) is not OriginTable:
        for name in ("https://a b", "https://x:y"):
            for _ in range(2):
                assert table.allows(name + "/a", 0.0) is None


class ScriptedState:
    """A state with an answer of its own."""

    valid_from, next_fetch_at = 0.0, DAY

    def __init__(self, own_allows: Callable[[], Any], at_end: Callable[[], object] = object) -> None:
        self.own_allows = own_allows
        self.at_end = at_end
        self.table: object = None

    def __del__(self) -> None:
        self.at_end()


def test_table_may_be_used_while_an_answer_is_prepared(table: OriginTable) -> None:
    name, url = "https://example.com", "https://example.com/a"

    def replace() -> Callable[[str], bool]:
        table.put(name, make_state(name))
        return lambda _: True

    state: Any = ScriptedState(replace)
    table.put(name, state)
    table.allows(url, 0.0)
    # The answers of the replaced state are not those of the new one.
    for _ in range(2):
        assert table.allows(url, 0.0) in {None, False}
    assert table.allows(url, 0.0) is False


def test_table_may_be_used_while_a_state_ends(table: OriginTable) -> None:
    name = "https://example.com"
    ends: list[int] = []

    def scripted() -> Any:
        return ScriptedState(lambda: None, lambda: ends.append(len(table)))

    table.put(name, scripted())
    table.put(name, scripted())
    gc.collect()
    assert ends == [1]
    table.pop(name)
    gc.collect()
    assert ends == [1, 0]


def test_errors_of_answers_are_raised(table: OriginTable) -> None:
    def fail(*_: object) -> Any:
        raise RuntimeError("scripted failure")

    states: list[Any] = [ScriptedState(fail), ScriptedState(lambda: fail)]
    for state in states:
        table.put("https://example.com", state)
        with pytest.raises(RuntimeError, match="scripted"):  # noqa: PT012 - the first question may only prepare
            table.allows("https://example.com/", 0.0)
            table.allows("https://example.com/", 0.0)
        assert table.find("https://example.com/") is state


def test_table_in_a_cycle_is_collected(engine: str) -> None:
    table = create_origin_table(options(engine=engine))
    state: Any = ScriptedState(lambda: None)
    state.table = table
    table.put("https://example.com", state)
    end = weakref.ref(state)
    del table, state
    gc.collect()
    assert end() is None


def test_threads_get_the_answers_of_one_of_the_states(table: OriginTable) -> None:
    name = "https://example.com"
    states = [make_state(name), make_state(name, "user-agent: *\ndisallow: /b\n")]
    start = threading.Barrier(3)
    found: list[set[tuple[bool | None, ...]]] = [set(), set()]

    def ask(answers: set[tuple[bool | None, ...]]) -> None:
        start.wait(300)
        for _ in range(1000):
            answers.add((table.allows(name + "/a", 0.0), table.allows(name + "/", 0.0)))

    threads = [threading.Thread(target=ask, args=[answers]) for answers in found]
    for thread in threads:
        thread.start()
    start.wait(300)
    for number in range(1000):
        table.put(name, states[number % 2])
    for thread in threads:
        thread.join()
    assert found[0] | found[1] <= {(one, two) for one in (None, True, False) for two in (None, True)}
    table.allows(name + "/a", 0.0)
    assert table.allows(name + "/a", 0.0) is True
