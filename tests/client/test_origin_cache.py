"""What clients remember of origins: which URL belongs to which, what stays, and for how long an answer holds."""

import asyncio
import tracemalloc
from random import Random

import pytest
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin

from canfetch.access.responses import Failure, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.cached_file import CachedFile
from canfetch.client.origin_cache import OriginCache
from canfetch.client.origin_state import OriginState
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.core.origin import Origin
from canfetch.errors import InvalidProductToken, InvalidURL, OriginMismatch

USER_AGENT = "ExampleBot/1.0"
SPELLINGS = [
    "https://example.com/",
    "https://example.com",
    "https://example.com?q",
    "https://example.com#f",
    "HTTPS://Example.COM/",
    "https://example.com:443/",
    "https://example.com:/",
    "https://somebody@example.com/",
    b"https://example.com/",
]


class ByHost(ScriptedOrigin):
    """example.co is open, every other origin is closed."""

    def send(self, request: TransportRequest) -> Response | Failure:
        is_open = request.url == "https://example.co/robots.txt"
        self.event = {"status": 404} if is_open else {"status": 200, "body": "User-agent: *\nDisallow: /\n"}
        return super().send(request)


@pytest.mark.parametrize("url", SPELLINGS)
def test_rfc9309_2_3_one_origin_in_every_spelling(url: str | bytes) -> None:
    origin = ByHost()
    with Client(user_agent=USER_AGENT, transport=origin) as client:
        # A known origin whose name is the beginning of another's.
        assert client.allows("https://example.co/")
        assert not client.allows("https://example.com/")
        assert not client.allows(url)
        assert not client.decide(url).allowed
    assert [asked.url for asked in origin.asked] == ["https://example.co/robots.txt", "https://example.com/robots.txt"]


@pytest.mark.parametrize(
    "url", ["https://example.co", "https://example.com/", "https://example.co.uk/", "http://e.co/"]
)
def test_rfc9309_2_3_another_origin_is_no_spelling(url: str) -> None:
    class Scripted(AsyncScriptedOrigin):
        async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
            return ByHost().send(request)

    async def ask() -> tuple[bool, bool]:
        async with AsyncClient(user_agent=USER_AGENT, transport=Scripted()) as client:
            return await client.allows("https://example.co/"), await client.allows(url)

    assert asyncio.run(ask()) == (True, url == "https://example.co")


@pytest.mark.parametrize("url", ["", "/", "/a/b", "example.com/", "://", ":///", "https:///a", "https://a b/"])
def test_what_has_no_origin_is_told_whatever_is_known(url: str) -> None:
    with Client(user_agent=USER_AGENT, transport=ByHost()) as client:
        client.allows("https://example.co/")
        with pytest.raises(InvalidURL):
            client.allows(url)


@pytest.mark.parametrize("event", [{"status": 200}, {"status": 404}, {"status": 503}])
def test_agents_are_checked_whatever_is_known(event: dict[str, int]) -> None:
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(event)) as client:
        for _ in range(2):
            with pytest.raises(InvalidProductToken):
                client.allows("https://example.com/", agent="two words")
            client.allows("https://example.com/")


def test_each_agent_has_its_own_answer() -> None:
    body = "User-agent: ExampleBot\nDisallow: /\nUser-agent: OtherBot\nAllow: /\n"
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin({"status": 200, "body": body})) as client:
        for _ in range(2):
            assert not client.allows("https://example.com/")
            assert client.allows("https://example.com/", agent="OtherBot")
            assert not client.allows("https://example.com/", agent="ExampleBot")


def test_google_while_unreachable_time_decides_and_no_answer_is_remembered() -> None:
    class Busy(ScriptedOrigin):
        def send(self, request: TransportRequest) -> Response | Failure:
            self.asked.append(request)
            return Response(request.url, 503, (("Retry-After", "86400"),), b"")

    now = [0.0]
    origin = Busy()
    with Client(user_agent=USER_AGENT, policy="google", transport=origin, clock=lambda: now[0]) as client:
        assert not client.allows("https://example.com/")
        now[0] = 11 * 3600.0
        assert not client.allows("https://example.com/")
        now[0] = 13 * 3600.0
        assert client.allows("https://example.com/")
    assert len(origin.asked) == 1


def origin_state(host: str, body: str | None) -> OriginState:
    event = {"status": 404} if body is None else {"status": 200, "body": body}
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(event)) as client:
        entry = client.origin_state(f"https://{host}/").entry
    return OriginState(Origin.from_url(f"https://{host}/"), entry, client.options)


def test_what_was_used_stays_and_what_is_new_stays() -> None:
    known = [origin_state(f"host{number}.example", f"# {number}\n") for number in range(4)]
    files = [one.file.memory_bytes for one in known if one.file is not None]
    memory = OriginCache(3 * (known[0].memory_bytes + files[0]))
    for one in known[:3]:
        memory.put(one)
    assert memory.find("https://host0.example/a") is known[0]

    memory.put(known[3])

    assert len(memory) == 3
    assert memory.memory_bytes == sum(known[number].memory_bytes + files[number] for number in (0, 2, 3))
    assert memory.get("https://host1.example") is None


def test_what_is_new_stays_however_little_room_there_is() -> None:
    small = OriginCache(1)
    for number, body in enumerate(["# a\n", "# a\n", None, "# b\n"]):
        one = origin_state(f"host{number}.example", body)
        small.put(one)
        assert small.find(str(one.origin)) is one
        assert len(small) == 1
    small.remove("https://host3.example")
    small.remove("https://host3.example")
    assert (len(small), small.memory_bytes) == (0, 0)


def test_origins_with_the_same_file_share_it() -> None:
    first, second, other, without = (
        origin_state(f"host{number}.example", body) for number, body in enumerate(["# a\n", "# a\n", "# b\n", None])
    )
    memory = OriginCache(1_000_000)
    for one in (first, second, other, without):
        memory.put(one)
    assert first.file is second.file
    assert first.file is not other.file
    assert without.file is None
    assert first.file is not None
    assert other.file is not None
    assert second.entry.copy is not None
    assert second.entry.copy.content is first.file.content
    origins = first.memory_bytes + second.memory_bytes + other.memory_bytes + without.memory_bytes
    assert memory.memory_bytes == origins + first.file.memory_bytes + other.file.memory_bytes

    # The file counts until the last origin that has it is gone, whichever came first.
    shared = first.file.memory_bytes
    memory.remove(str(first.origin))
    assert memory.memory_bytes == origins - first.memory_bytes + shared + other.file.memory_bytes
    again = origin_state("host1.example", "# a\n")
    memory.put(again)
    assert again.file is second.file
    assert memory.memory_bytes == origins - first.memory_bytes + shared + other.file.memory_bytes
    memory.remove(str(again.origin))
    assert memory.memory_bytes == other.memory_bytes + without.memory_bytes + other.file.memory_bytes


def test_shared_files_rule_over_each_origin_alone() -> None:
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin) as client:
        for host in ("one.example", "two.example"):
            assert client.allows(f"https://{host}/open")
            assert not client.allows(f"https://{host}/forbidden")
            verdict = client.decide(f"https://{host}/forbidden")
            assert verdict.access is not None
            assert verdict.access.robots_url == f"https://{host}/robots.txt"
        known = client.origin_state("https://one.example/")
    for url in ("https://two.example/open", b"https://two.example/", "https://one.example.org/", "http://one.example/"):
        with pytest.raises(OriginMismatch):
            known.allows(url, None, 0.0)
        with pytest.raises(OriginMismatch):
            known.decide(url, client.options.agent, 0.0)
    for here in ("https://one.example/open", "HTTPS://ONE.example:443/open", "https://one.example", "/open"):
        assert known.allows(here, None, 0.0)
    assert len(origin.asked) == 2


def test_what_is_held_is_counted_by_engine() -> None:
    pytest.importorskip("canfetch._native")
    body = "User-agent: *\n" + "Disallow: /a\n" * 1000
    held = {}
    for engine in ("native", "python"):
        transport = ScriptedOrigin({"status": 200, "body": body})
        with Client(user_agent=USER_AGENT, transport=transport, engine=engine) as client:
            client.origin_state("https://example.com/")
            held[engine] = client._cache.memory_bytes
    assert 3 * 13_000 < held["native"] < 5 * 13_000
    assert 10 * 13_000 < held["python"] < 25 * 13_000


MANY_RECORDS = {
    "short": b"a:\n" * 3000,
    "sitemaps": b"sitemap:a\n" * 900,
    "agents": b"User-agent:*\n" * 692,
    "groups": b"".join(b"user-agent:%x\nallow:/\n" % number for number in range(450)),
    "paths": b"User-agent: *\n" + b"".join(b"Disallow: /%x\n" % (number * 7919) for number in range(450)),
    "wildcards": b"User-agent: *\n"
    + b"".join(b"Disallow: /%x/*%x$\n" % (number * 7919, number) for number in range(500)),
}


@pytest.mark.parametrize("name", MANY_RECORDS)
def test_a_file_of_many_records_counts_as_much_as_it_takes(name: str) -> None:
    body = MANY_RECORDS[name]
    transport = ScriptedOrigin({"status": 200, "body": ""})
    with Client(user_agent=USER_AGENT, transport=transport, engine="python") as client:
        CachedFile(body, client.options).parse().decide("/a", agent="ExampleBot")
        tracemalloc.start()
        try:
            file = CachedFile(b"# \n" + body, client.options)
            parsed = file.parse()
            for agent in ("ExampleBot", "OtherBot"):
                parsed.decide("/a", agent=agent)
            taken, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert taken < 1.5 * file.memory_bytes


@pytest.mark.parametrize("name, taken", [("short", 92_000), ("agents", 104_000), ("sitemaps", 45_000)])
def test_native_file_of_many_records_counts_about_what_was_measured(name: str, taken: int) -> None:
    pytest.importorskip("canfetch._native")
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), engine="native") as client:
        assert taken / 1.5 < CachedFile(MANY_RECORDS[name], client.options).memory_bytes < 1.5 * taken


def test_lines_that_are_no_records_count_by_their_octets() -> None:
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin()) as client:
        blank, long = (CachedFile(octets, client.options).memory_bytes for octets in (b"\n" * 9000, b"x" * 9000))
        assert blank == long
        assert CachedFile(b"a:b\n" * 2250, client.options).memory_bytes > 2 * blank


def test_the_least_recently_used_goes_first_whatever_was_asked_between() -> None:
    known = [origin_state(f"host{number}.example", None) for number in range(40)]
    memory = OriginCache(10 * max(one.memory_bytes for one in known))
    used: list[str] = []

    def use(name: str) -> None:
        if name in used:
            used.remove(name)
        used.append(name)

    dice = Random(9309)  # noqa: S311 - no secret
    for _ in range(2000):
        one = dice.choice(known)
        name = str(one.origin)
        action = dice.choice(["put", "find", "find", "forget"])
        if action == "put":
            memory.put(one)
            use(name)
            del used[: -len(memory)]
        elif action == "forget":
            memory.remove(name)
            used = [other for other in used if other != name]
        else:
            assert (memory.find(f"{name}/a") is one) is (name in used)
            if name in used:
                use(name)
        # Reading them all would be using them.
        assert set(memory._by_name) == set(used)
        assert len(memory._heap) <= 2 * len(memory) + 65
