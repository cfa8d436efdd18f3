"""The memory of clients: finding the origin of a URL, eviction, shared files, and memory accounting."""

import tracemalloc
from collections.abc import Callable
from functools import partial
from random import Random

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.client.either import BOTH, EitherClient

from canfetch.access.responses import Failure, Response
from canfetch.client.options import Options
from canfetch.client.origin_cache import OriginCache
from canfetch.client.origin_state import CachedFile, OriginState
from canfetch.client.origin_table import create_origin_table
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
    "https://user@example.com/",
    b"https://example.com/",
]


class OneOpenHost(ScriptedOrigin):
    """example.co allows everything, every other origin disallows everything."""

    def send(self, request: TransportRequest) -> Response | Failure:
        is_open = request.url == "https://example.co/robots.txt"
        self.event = {"status": 404} if is_open else {"status": 200, "body": "User-agent: *\nDisallow: /\n"}
        return super().send(request)


@pytest.mark.parametrize("url", SPELLINGS)
def test_rfc9309_2_3_equivalent_urls_have_one_origin(url: str | bytes) -> None:
    origin = OneOpenHost()
    with Client(user_agent=USER_AGENT, transport=origin) as client:
        # A cached origin whose name is a prefix of another.
        assert client.allows("https://example.co/")
        assert not client.allows("https://example.com/")
        assert not client.allows(url)
        assert not client.decide(url).allowed
    assert [request.url for request in origin.requests] == [
        "https://example.co/robots.txt",
        "https://example.com/robots.txt",
    ]


@pytest.mark.parametrize(
    "url", ["https://example.co", "https://example.com/", "https://example.co.uk/", "http://e.co/"]
)
@BOTH
def test_rfc9309_2_3_similar_urls_have_other_origins(url: str, kind: str) -> None:
    with EitherClient(kind, OneOpenHost()) as client:
        assert client.allows("https://example.co/")
        assert client.allows(url) is (url == "https://example.co")


@pytest.mark.parametrize("url", ["", "/", "/a/b", "example.com/", "://", ":///", "https:///a", "https://a b/"])
def test_url_without_an_origin_raises(url: str) -> None:
    with Client(user_agent=USER_AGENT, transport=OneOpenHost()) as client:
        client.allows("https://example.co/")
        with pytest.raises(InvalidURL):
            client.allows(url)


@pytest.mark.parametrize("event", [{"status": 200}, {"status": 404}, {"status": 503}])
def test_invalid_agent_raises_with_a_cached_origin(event: dict[str, int]) -> None:
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(event)) as client:
        for _ in range(2):
            with pytest.raises(InvalidProductToken):
                client.allows("https://example.com/", agent="two words")
            client.allows("https://example.com/")


def test_each_agent_has_its_own_result() -> None:
    body = "User-agent: ExampleBot\nDisallow: /\nUser-agent: OtherBot\nAllow: /\n"
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin({"status": 200, "body": body})) as client:
        for _ in range(2):
            assert not client.allows("https://example.com/")
            assert client.allows("https://example.com/", agent="OtherBot")
            assert not client.allows("https://example.com/", agent="ExampleBot")


def test_google_result_changes_while_the_origin_is_unreachable() -> None:
    now = [0.0]
    origin = ScriptedOrigin({"status": 503, "headers": {"Retry-After": "86400"}})
    with Client(user_agent=USER_AGENT, policy="google", transport=origin, clock=lambda: now[0]) as client:
        assert not client.allows("https://example.com/")
        now[0] = 11 * 3600.0
        assert not client.allows("https://example.com/")
        now[0] = 13 * 3600.0
        assert client.allows("https://example.com/")
    assert len(origin.requests) == 1


@pytest.fixture
def create_cache(engine: str) -> Callable[[int], OriginCache]:
    """Return a function that creates a cache of a size, for each engine in turn."""
    options = Options.validated(user_agent=USER_AGENT, engine=engine)
    return lambda max_bytes: OriginCache(max_bytes, partial(create_origin_table, options))


def origin_state(host: str, body: str | None) -> OriginState:
    event = {"status": 404} if body is None else {"status": 200, "body": body}
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(event)) as client:
        entry = client.origin_state(f"https://{host}/").entry
    return OriginState(Origin.from_url(f"https://{host}/"), entry, client.options)


def test_least_recently_used_origin_is_evicted(create_cache: Callable[[int], OriginCache]) -> None:
    states = [origin_state(f"host{number}.example", f"# {number}\n") for number in range(4)]
    files = [state.file.memory_bytes for state in states if state.file is not None]
    cache = create_cache(3 * (states[0].memory_bytes + files[0]))
    for state in states[:3]:
        cache.put(state)
    assert cache.find("https://host0.example/a") is states[0]

    cache.put(states[3])

    assert len(cache) == 3
    assert cache.memory_bytes == sum(states[number].memory_bytes + files[number] for number in (0, 2, 3))
    assert cache.get("https://host1.example") is None


def test_origins_expire_when_the_clock_is_set_back(create_cache: Callable[[int], OriginCache]) -> None:
    states = [origin_state(f"host{number}.example", body) for number, body in enumerate(["# a\n", "# a\n", None])]
    cache = create_cache(100_000)
    for state in states:
        cache.put(state)
    memory, file = cache.memory_bytes, states[0].file
    cache.set_back(1000.0)

    assert cache.hits == 0
    assert (len(cache), cache.memory_bytes) == (3, memory)
    for before in states:
        after = cache.get(str(before.origin))
        assert after is not None
        # The machine may have slept after that.
        assert after.entry.fetched_at == after.entry.next_fetch_at == before.entry.fetched_at - 1000.0 - 30 * 86_400.0
        assert after.entry.responded_at == after.entry.fetched_at
        assert after.entry.copy == before.entry.copy
        assert after.file is (None if before.file is None else file)
    assert cache.hits == 3


def test_new_origin_is_kept_even_if_it_exceeds_the_limit(create_cache: Callable[[int], OriginCache]) -> None:
    cache = create_cache(1)
    for number, body in enumerate(["# a\n", "# a\n", None, "# b\n"]):
        state = origin_state(f"host{number}.example", body)
        cache.put(state)
        assert cache.find(str(state.origin)) is state
        assert len(cache) == 1
    cache.remove("https://host3.example")
    cache.remove("https://host3.example")
    assert (len(cache), cache.memory_bytes) == (0, 0)


def test_origins_with_identical_files_share_one(create_cache: Callable[[int], OriginCache]) -> None:
    first, second, other, without = (
        origin_state(f"host{number}.example", body) for number, body in enumerate(["# a\n", "# a\n", "# b\n", None])
    )
    cache = create_cache(1_000_000)
    for state in (first, second, other, without):
        cache.put(state)
    assert first.file is second.file
    assert first.file is not other.file
    assert without.file is None
    assert first.file is not None
    assert other.file is not None
    assert second.entry.copy is not None
    assert second.entry.copy.content is first.file.content
    origins = first.memory_bytes + second.memory_bytes + other.memory_bytes + without.memory_bytes
    assert cache.memory_bytes == origins + first.file.memory_bytes + other.file.memory_bytes

    # The file is counted until the last of its origins is removed.
    shared = first.file.memory_bytes
    cache.remove(str(first.origin))
    assert cache.memory_bytes == origins - first.memory_bytes + shared + other.file.memory_bytes
    again = origin_state("host1.example", "# a\n")
    cache.put(again)
    assert again.file is second.file
    assert cache.memory_bytes == origins - first.memory_bytes + shared + other.file.memory_bytes
    cache.remove(str(again.origin))
    assert cache.memory_bytes == other.memory_bytes + without.memory_bytes + other.file.memory_bytes


def test_shared_file_keeps_origins_separate() -> None:
    origin = ScriptedOrigin()
    with Client(user_agent=USER_AGENT, transport=origin) as client:
        for host in ("one.example", "two.example"):
            assert client.allows(f"https://{host}/open")
            assert not client.allows(f"https://{host}/forbidden")
            verdict = client.decide(f"https://{host}/forbidden")
            assert verdict.access is not None
            assert verdict.access.robots_url == f"https://{host}/robots.txt"
        state = client.origin_state("https://one.example/")
    for url in ("https://two.example/open", b"https://two.example/", "https://one.example.org/", "http://one.example/"):
        with pytest.raises(OriginMismatch):
            state.allows(url, None, 0.0)
        with pytest.raises(OriginMismatch):
            state.decide(url, client.options.agent, 0.0)
    for here in ("https://one.example/open", "HTTPS://ONE.example:443/open", "https://one.example", "/open"):
        assert state.allows(here, None, 0.0)
    assert len(origin.requests) == 2


def test_memory_of_a_file_depends_on_the_engine() -> None:
    pytest.importorskip("canfetch._native")
    body = "User-agent: *\n" + "Disallow: /a\n" * 1000
    sizes = {}
    for engine in ("native", "python"):
        transport = ScriptedOrigin({"status": 200, "body": body})
        with Client(user_agent=USER_AGENT, transport=transport, engine=engine) as client:
            client.origin_state("https://example.com/")
            sizes[engine] = client._cache.memory_bytes
    assert 3 * 13_000 < sizes["native"] < 5 * 13_000
    assert 10 * 13_000 < sizes["python"] < 25 * 13_000


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
def test_estimated_memory_of_a_file_covers_the_measured_memory(name: str) -> None:
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
            measured, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert measured < 1.5 * file.memory_bytes


@pytest.mark.parametrize("name, measured", [("short", 92_000), ("agents", 104_000), ("sitemaps", 45_000)])
def test_estimated_memory_of_a_native_file_is_near_the_measured_memory(name: str, measured: int) -> None:
    pytest.importorskip("canfetch._native")
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin(), engine="native") as client:
        assert measured / 1.5 < CachedFile(MANY_RECORDS[name], client.options).memory_bytes < 1.5 * measured


def test_lines_without_records_count_only_their_bytes() -> None:
    with Client(user_agent=USER_AGENT, transport=ScriptedOrigin()) as client:
        blank, long = (CachedFile(content, client.options).memory_bytes for content in (b"\n" * 9000, b"x" * 9000))
        assert blank == long
        assert CachedFile(b"a:b\n" * 2250, client.options).memory_bytes > 2 * blank


def test_eviction_order_is_least_recently_used_after_random_operations(
    create_cache: Callable[[int], OriginCache],
) -> None:
    states = [origin_state(f"host{number}.example", None) for number in range(40)]
    cache = create_cache(10 * max(state.memory_bytes for state in states))
    used: list[str] = []

    def use(name: str) -> None:
        if name in used:
            used.remove(name)
        used.append(name)

    dice = Random(9309)  # noqa: S311 - not used for security
    for _ in range(2000):
        state = dice.choice(states)
        name = str(state.origin)
        action = dice.choice(["put", "find", "find", "remove"])
        if action == "put":
            cache.put(state)
            use(name)
            del used[: -len(cache)]
        elif action == "remove":
            cache.remove(name)
            used = [other for other in used if other != name]
        else:
            assert (cache.find(f"{name}/a") is state) is (name in used)
            if name in used:
                use(name)
        # Looking origins up would mark them as used.
        assert len(cache) == len(used)
        assert all(other in cache._table for other in used)
        assert len(cache._heap) <= 2 * len(cache) + 65
