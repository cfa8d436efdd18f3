"""`may_use` of both clients: what is fetched, how often, and what the answer says about it."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.async_client import AsyncClient
from canfetch.client.site_files import FileKey, FileStep, SiteFile, SiteFileCache
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.consent import MissingSource, PageResponse, SourceState, UseVerdict, may_use
from canfetch.core.document import parse
from canfetch.errors import ClientClosed, InvalidOption, InvalidProductToken, InvalidURL, RequestNotSent

ORIGIN = "https://example.com"
ROBOTS_URL = f"{ORIGIN}/robots.txt"
TDM_URL = f"{ORIGIN}/.well-known/tdmrep.json"
RESERVED = json.dumps([{"location": "/paid/*", "tdm-reservation": 1}]).encode()
NOW = 1_000_000.0
Answers = dict[str, Response | Failure]


def ok(body: bytes) -> Response:
    return Response("", 200, (), body)


def moved(target: str) -> Response:
    return Response("", 301, (("Location", target),), b"")


class Web:
    """A transport with one response for each URL, and the clock of its client."""

    def __init__(self, answers: Answers | None = None) -> None:
        self.answers = answers or {}
        self.requested: list[str] = []
        self.now = NOW

    def send(self, request: TransportRequest) -> Response | Failure:
        self.requested.append(request.url)
        return self.answers.get(request.url) or Response(request.url, 404, (), b"")

    def close(self) -> None:
        """Do nothing."""

    def clock(self) -> float:
        return self.now


class AsyncWeb(Web):
    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        await asyncio.sleep(0)
        return super().send(request)

    async def close(self) -> None:  # type: ignore[override]  # the async protocol
        """Do nothing."""


Question = tuple[str, dict[str, Any]]
Ask = Callable[[Web, Sequence[Question]], list[UseVerdict]]


def ask_client(web: Web, questions: Sequence[Question]) -> list[UseVerdict]:
    with Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock) as client:
        return [client.may_use(url, **options) for url, options in questions]


def ask_async_client(web: Web, questions: Sequence[Question]) -> list[UseVerdict]:
    transport = AsyncWeb(web.answers)

    async def run() -> list[UseVerdict]:
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=transport, clock=web.clock) as client:
            return await asyncio.gather(*(client.may_use(url, **options) for url, options in questions))

    try:
        return asyncio.run(run())
    finally:
        web.requested += transport.requested


both_clients = pytest.mark.parametrize("ask", [ask_client, ask_async_client])
TRAINING = {"purpose": "training"}


@both_clients
@pytest.mark.parametrize("count", [50, pytest.param(5_000, marks=pytest.mark.slow)])
def test_many_urls_of_an_origin_cause_two_fetches(ask: Ask, count: int) -> None:
    web = Web({ROBOTS_URL: ok(b"User-agent: *\nDisallow: /private\n"), TDM_URL: ok(RESERVED)})
    verdicts = ask(web, [(f"{ORIGIN}/{part}/{number}", TRAINING) for number in range(count) for part in ("a", "paid")])
    assert sorted(web.requested) == sorted([ROBOTS_URL, TDM_URL])
    assert [verdict.allowed for verdict in verdicts] == [None, False] * count


@both_clients
def test_the_answer_is_that_of_the_function_on_the_same_sources(ask: Ask) -> None:
    robots = b"User-agent: *\nAllow: /\nContent-Signal: ai-train=yes, search=no\n\n"
    robots += b"User-agent: Google-Extended\nDisallow: /\n"
    page = PageResponse(200, {"X-Robots-Tag": "noai", "Content-Type": "text/html"}, "<p>x")
    web = Web({ROBOTS_URL: ok(robots), TDM_URL: ok(RESERVED)})
    questions: list[Question] = [
        (url, {"purpose": purpose, "agent": agent, "response": response})
        for url in (f"{ORIGIN}/x", f"{ORIGIN}/paid/x")
        for purpose in ("training", "search", "ai-use")
        for agent in ("ExampleBot", "Googlebot")
        for response in (None, page)
    ]
    for (url, options), verdict in zip(questions, ask(web, questions), strict=True):
        response = options["response"] or MissingSource(SourceState.NOT_READ)
        expected = may_use(
            url, **{**options, "response": response}, robots=parse(robots, url=ROBOTS_URL), tdm=RESERVED, now=NOW
        )
        sources = tuple(source._replace(fetched_at=None, requested_at=None) for source in verdict.sources)
        assert verdict._replace(expires_at=None, sources=sources) == expected._replace(expires_at=None)


@both_clients
@pytest.mark.parametrize(
    "answers, robots, tdm, allowed",
    [
        ({}, "absent", "absent", None),
        ({ROBOTS_URL: Response("", 503, (), b"")}, "unreachable", "unreachable", False),
        ({ROBOTS_URL: ok(b"User-agent: *\nDisallow: /.well-known/\n")}, "read", "not-read", None),
        ({TDM_URL: Response("", 503, (), b"")}, "absent", "unreachable", None),
        ({TDM_URL: Failure("", FailureKind.TIMEOUT, "30 s")}, "absent", "unreachable", None),
        ({TDM_URL: moved("://")}, "absent", "unreachable", None),
        ({TDM_URL: ok(b"{")}, "absent", "unreadable", None),
        ({TDM_URL: moved(f"{ORIGIN}/t"), f"{ORIGIN}/t": ok(RESERVED)}, "absent", "read", False),
        ({TDM_URL: moved(f"{ORIGIN}/t"), ROBOTS_URL: ok(b"User-agent: *\nDisallow: /t\n")}, "read", "not-read", None),
    ],
)
def test_what_cannot_be_fetched_is_a_source_that_was_not_read(
    ask: Ask, answers: Answers, robots: str, tdm: str, *, allowed: bool | None
) -> None:
    (verdict,) = ask(Web(answers), [(f"{ORIGIN}/paid/x", {**TRAINING, "response": PageResponse(200, (), "<p>")})])
    states = {source.name: str(source.state) for source in verdict.sources}
    assert (states["robots.txt"], states["tdmrep.json"], verdict.allowed) == (robots, tdm, allowed)


RSL = b"""<rsl xmlns="https://rslstandard.org/rsl"><content url="/">
<license><prohibits type="usage">ai-train</prohibits></license></content></rsl>"""
RSL_URL = f"{ORIGIN}/license.xml"


@both_clients
def test_files_are_named_with_the_host_that_they_come_from_and_their_time(ask: Ask) -> None:
    other = "https://other.example"
    web = Web(
        {
            ROBOTS_URL: moved(f"{other}/robots.txt"),
            f"{other}/robots.txt": Response(
                f"{other}/robots.txt", 200, (), b"User-agent: *\nContent-Signal: ai-train=no\n"
            ),
            TDM_URL: moved(f"{other}/tdm.json"),
            f"{other}/tdm.json": ok(RESERVED),
        }
    )
    (verdict,) = ask(web, [(f"{ORIGIN}/paid/x", TRAINING)])
    assert [one.place for one in verdict.decided_by] == [
        f"line 2 of {other}/robots.txt", f"tdmrep.json entry 1 of {other}/tdm.json"
    ]  # fmt: skip
    assert [(one.name, one.url, one.fetched_at) for one in verdict.sources if one.state == "read"] == [
        ("robots.txt", f"{other}/robots.txt", NOW), ("tdmrep.json", f"{other}/tdm.json", NOW)
    ]  # fmt: skip
    # The time is that of the request, and not of the question.
    plain = Web({ROBOTS_URL: moved(f"{ORIGIN}/r.txt"), f"{ORIGIN}/r.txt": ok(b"License: https://l.example/a\n")})
    with Client(user_agent="ExampleBot/1.0", transport=plain, clock=plain.clock) as client:
        client.may_use(f"{ORIGIN}/x", purpose="training")
        plain.now += 60
        verdict = client.may_use(f"{ORIGIN}/x", purpose="training")
    assert [(one.name, one.url, one.fetched_at) for one in verdict.sources] == [
        ("robots.txt", None, NOW),
        ("headers", None, None),
        ("html", None, None),
        ("tdmrep.json", None, None),
        ("license", "https://l.example/a", None),
    ]
    assert [one.requested_at for one in verdict.sources] == [NOW, None, None, NOW, NOW]
    assert verdict.to_json()["sources"][0]["fetched_at"] == "1970-01-12T13:46:40Z"


@pytest.mark.parametrize(
    "robots, tdm, requested",
    [
        (Response("", 503, (), b""), ok(b"[]"), [NOW, None]),
        (Failure("", FailureKind.TIMEOUT, "30 s"), ok(b"[]"), [NOW, None]),
        (ok(b"User-agent: *\nDisallow: /.well-known/\n"), ok(b"[]"), [NOW, None]),
        (Response("", 404, (), b""), Failure("", FailureKind.RESET, ""), [NOW, NOW]),
        (Response("", 404, (), b""), moved("https://[/x"), [NOW, NOW]),
    ],
)
def test_only_content_was_fetched_and_only_what_was_sent_was_requested(
    robots: Response | Failure, tdm: Response | Failure, requested: list[float | None]
) -> None:
    (verdict,) = ask_client(Web({ROBOTS_URL: robots, TDM_URL: tdm}), [(f"{ORIGIN}/x", TRAINING)])
    files = [one for one in verdict.sources if one.name in {"robots.txt", "tdmrep.json"}]
    assert [one.requested_at for one in files] == requested
    assert [one.fetched_at is None for one in files] == [str(one.state) != "read" for one in files]


def test_the_last_good_copy_is_named_with_both_times_and_the_failure() -> None:
    web = Web({ROBOTS_URL: ok(b"User-agent: *\nContent-Signal: ai-train=no\n")})
    store = MemoryStore()
    with Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock, store=store) as client:
        client.allows(f"{ORIGIN}/x")
    web.now += 2 * 86_400
    web.answers = {ROBOTS_URL: Response("", 503, (), b"")}
    with Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock, store=store) as client:
        verdict = client.may_use(f"{ORIGIN}/x", purpose="training")
    assert str(verdict.sources[0]) == "robots.txt: read (status 503; using the last good copy)"
    assert (verdict.sources[0].fetched_at, verdict.sources[0].requested_at) == (NOW, NOW + 2 * 86_400)
    assert verdict.allowed is False


@both_clients
def test_a_web_page_in_place_of_robots_txt_is_mentioned(ask: Ask) -> None:
    web = Web({ROBOTS_URL: ok(b"<html>")})
    (verdict,) = ask(web, [(f"{ORIGIN}/x", TRAINING)])
    words = "the content is HTML or XML without any record"
    assert str(verdict.sources[0]) == f"robots.txt: read ({words})"
    with Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock, edition="yandex") as client:
        verdict = client.may_use(f"{ORIGIN}/x", purpose="training")
    assert str(verdict.sources[0]) == f"robots.txt: absent (status 200, but {words})"


@both_clients
def test_licenses_that_the_site_names_are_read_once(ask: Ask) -> None:
    robots = ok(f"License: {RSL_URL}\nUser-agent: *\nAllow: /\n".encode())
    web = Web({ROBOTS_URL: robots, RSL_URL: ok(RSL)})
    training, other, search = ask(
        web, [(f"{ORIGIN}/x", TRAINING), (f"{ORIGIN}/y", TRAINING), (f"{ORIGIN}/x", {"purpose": "search"})]
    )
    assert web.requested.count(RSL_URL) == 1
    assert [one.allowed for one in (training, other, search)] == [False, False, None]
    assert training.license_urls == (RSL_URL,)
    assert "license: read (https://example.com/license.xml)" in map(str, training.sources)
    link = PageResponse(200, {"Link": '</license.xml>; rel="license"; type="application/rsl+xml"'})
    (verdict,) = ask(Web({RSL_URL: Response("", 503, (), b"")}), [(f"{ORIGIN}/x", {**TRAINING, "response": link})])
    assert "license: unreachable (https://example.com/license.xml: status 503)" in map(str, verdict.sources)
    assert (verdict.allowed, verdict.is_final, verdict.expires_at) == (None, False, NOW + 600)


@both_clients
def test_few_licenses_are_fetched_and_nothing_that_they_refer_to(ask: Ask) -> None:
    lines = "".join(f"License: {ORIGIN}/{number}.xml\n" for number in range(50))
    chained = RSL.replace(b"<license>", f'<license><legal type="proof">{ORIGIN}/next.xml</legal>'.encode())
    web = Web({ROBOTS_URL: ok(lines.encode() + b"User-agent: *\nAllow: /\n"), f"{ORIGIN}/0.xml": ok(chained)})
    (verdict,) = ask(web, [(f"{ORIGIN}/x", TRAINING)])
    assert len(web.requested) == 5
    assert verdict.allowed is False
    unread = [source for source in verdict.unread if source.name == "license"]
    assert len(unread) == 47


@both_clients
def test_a_loop_of_redirects_ends(ask: Ask) -> None:
    web = Web({TDM_URL: moved(TDM_URL)})
    (verdict,) = ask(web, [(f"{ORIGIN}/x", TRAINING)])
    assert "tdmrep.json: unreachable (too many redirects)" in map(str, verdict.sources)
    assert web.requested.count(TDM_URL) == 11


@both_clients
def test_the_answer_holds_until_a_file_has_to_be_fetched_again(ask: Ask) -> None:
    (verdict,) = ask(Web(), [(f"{ORIGIN}/x", TRAINING)])
    assert verdict.expires_at == NOW + 86_400
    (verdict,) = ask(Web({TDM_URL: Response("", 503, (), b"")}), [(f"{ORIGIN}/x", TRAINING)])
    assert verdict.expires_at == NOW + 600
    page = PageResponse(200, {"X-Robots-Tag": "unavailable_after: 12 Jan 1970 14:00:00 GMT"})
    (verdict,) = ask(Web(), [(f"{ORIGIN}/x", {**TRAINING, "response": page})])
    assert verdict.expires_at == 1_000_800


@both_clients
def test_mistakes_of_the_caller_are_errors(ask: Ask) -> None:
    web = Web()
    with pytest.raises(InvalidOption, match="did you mean 'training'"):
        ask(web, [(f"{ORIGIN}/x", {"purpose": "trainin"})])
    with pytest.raises(InvalidURL):
        ask(web, [("/x", TRAINING)])
    with pytest.raises(InvalidProductToken, match="expected one name without"):
        ask(web, [(f"{ORIGIN}/x", {**TRAINING, "agent": "GPTBot,CCBot"})])
    with (
        Client(user_agent="GPTBot,CCBot", transport=web) as client,
        pytest.raises(InvalidProductToken, match="expected one name without"),
    ):
        client.may_use(f"{ORIGIN}/x", purpose="training")
    with pytest.raises(TypeError, match="response must be a PageResponse"):
        ask(web, [(f"{ORIGIN}/x", {**TRAINING, "response": b"<p>"})])


def test_bytes_and_text_are_the_same_url() -> None:
    web = Web({TDM_URL: ok(RESERVED)})
    text, data = ask_client(web, [(f"{ORIGIN}/paid/ö", TRAINING), (f"{ORIGIN}/paid/ö".encode(), TRAINING)])  # type: ignore[list-item]
    assert text == data


def test_a_file_is_kept_for_a_day_and_a_failure_for_ten_minutes() -> None:
    web = Web()
    with Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock) as client:
        for seconds, failing, requests in [
            (0, False, 1),
            (86_399, False, 1),
            (86_401, True, 2),
            (86_401 + 599, True, 2),
            (86_401 + 601, True, 3),
            # A clock that was set back by more than a day.
            (-100_000, True, 4),
        ]:
            web.now = NOW + seconds
            web.answers = {TDM_URL: Response("", 503, (), b"")} if failing else {}
            client.tdm_file(f"{ORIGIN}/x")
            assert web.requested.count(TDM_URL) == requests


def test_the_files_of_a_client() -> None:
    web = Web({TDM_URL: ok(RESERVED)})
    with Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock) as client:
        assert client.tdm_file(f"{ORIGIN}/x") == SiteFile(RESERVED)
        assert client.tdm_file("https://other.example/") == SiteFile()
    with pytest.raises(ClientClosed):
        client.tdm_file("https://third.example/")


def test_memory_is_bounded() -> None:
    cache = SiteFileCache()
    large = SiteFile(b"x" * 1_000_000)
    for number in range(60):
        cache.put(FileStep(f"https://{number}.example/", 1), large, NOW)
        cache.put(FileStep(f"https://{number}.example/", 1), large, NOW)
    kept = [number for number in range(60) if cache.get(FileStep(f"https://{number}.example/", 1), NOW) is not None]
    assert kept == list(range(44, 60))
    for number in range(20_000):
        cache.put(FileStep(f"https://empty-{number}.example/", 1), SiteFile(), NOW)
    steps = [FileStep(f"https://empty-{number}.example/", 1) for number in range(20_000)]
    assert sum(cache.get(step, NOW) is not None for step in steps) <= 16 * 1024


class GatedWeb(Web):
    """The TDM file is sent once the gate is open."""

    def __init__(self, answers: Answers | None = None) -> None:
        super().__init__(answers)
        self.gate = threading.Event()
        self.reached = threading.Event()

    def send(self, request: TransportRequest) -> Response | Failure:
        answer = super().send(request)
        if request.url == TDM_URL:
            self.reached.set()
            assert self.gate.wait(300)
        return answer


def test_threads_share_a_fetch() -> None:
    web = GatedWeb({TDM_URL: ok(RESERVED)})
    with Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock) as client, ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(client.tdm_file, f"{ORIGIN}/{number}") for number in range(8)]
        assert web.reached.wait(300)
        web.gate.set()
        assert {call.result() for call in calls} == {SiteFile(RESERVED)}
    assert web.requested.count(TDM_URL) == 1


@both_clients
@pytest.mark.parametrize("host", ["[::1%25a..b]", "[zz]", "a%2Fb"])
def test_a_license_with_an_invalid_host_is_not_read(ask: Ask, host: str) -> None:
    url = f"http://{host}/license.xml"
    web = Web({ROBOTS_URL: ok(f"User-agent: *\nAllow: /\nLicense: {url}\n".encode())})
    page = PageResponse(200, {"Link": f'<{url}>; rel="license"; type="application/rsl+xml"'}, None)
    [verdict] = ask(web, [(f"{ORIGIN}/x", TRAINING | {"response": page})])

    assert verdict.license_urls == ()
    assert {(one.source, one.note) for one in verdict.statements if one.text == url} == {
        ("robots.txt", "the URL of a license is not valid; the user-agent line is line 1, for *"),
        ("headers", "the URL of a license is not valid"),
    }
    assert sorted(web.requested) == sorted([ROBOTS_URL, TDM_URL])


def test_an_error_of_this_machine_is_raised_in_all_threads_and_not_kept() -> None:
    class Broken(GatedWeb):
        def send(self, request: TransportRequest) -> Response | Failure:
            answer = super().send(request)
            if request.url == TDM_URL:
                raise RequestNotSent("too many open files")
            return answer

    web = Broken()
    with Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock) as client, ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(client.tdm_file, f"{ORIGIN}/{number}") for number in range(4)]
        assert web.reached.wait(300)
        web.gate.set()
        assert {type(call.exception()) for call in calls} == {RequestNotSent}
        with pytest.raises(RequestNotSent):
            client.tdm_file(f"{ORIGIN}/x")


def test_an_exception_that_canfetch_does_not_know_concerns_one_thread() -> None:
    class InterruptedFirst(GatedWeb):
        def send(self, request: TransportRequest) -> Response | Failure:
            is_first = not self.reached.is_set()
            answer = super().send(request)
            if is_first and request.url == TDM_URL:
                raise ValueError("alarm")
            return answer

    web = InterruptedFirst({TDM_URL: ok(RESERVED)})
    with Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock) as client, ThreadPoolExecutor(4) as pool:
        first = pool.submit(client.tdm_file, f"{ORIGIN}/")
        assert web.reached.wait(300)
        calls = [pool.submit(client.tdm_file, f"{ORIGIN}/{number}") for number in range(3)]
        future = client._file_fetches[FileKey(TDM_URL, is_without_credentials=False)]
        while len(future._condition._waiters) < len(calls):  # type: ignore[attr-defined]  # not in typeshed
            time.sleep(0.01)
        web.gate.set()
        assert str(first.exception()) == "alarm"
        assert {call.result() for call in calls} == {SiteFile(RESERVED)}


def test_a_cancelled_task_does_not_stop_the_fetch_of_others() -> None:
    async def run() -> tuple[SiteFile, int]:
        transport = AsyncWeb({TDM_URL: ok(RESERVED)})
        async with AsyncClient(user_agent="ExampleBot/1.0", transport=transport, clock=transport.clock) as client:
            first = asyncio.create_task(client.tdm_file(f"{ORIGIN}/x"))
            second = asyncio.create_task(client.tdm_file(f"{ORIGIN}/y"))
            await asyncio.sleep(0)
            first.cancel()
            file = await second
            assert first.cancelled()
            return file, transport.requested.count(TDM_URL)

    assert asyncio.run(run()) == (SiteFile(RESERVED), 1)


def test_closing_the_client_ends_the_fetch() -> None:
    async def run() -> None:
        class Silent(AsyncWeb):
            async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]
                if request.url == TDM_URL:
                    reached.set()
                    await asyncio.Event().wait()
                return await super().send(request)

        reached = asyncio.Event()
        client = AsyncClient(user_agent="ExampleBot/1.0", transport=Silent())
        call = asyncio.create_task(client.tdm_file(f"{ORIGIN}/x"))
        await reached.wait()
        await client.close()
        with pytest.raises(ClientClosed):
            await call
        with pytest.raises(ClientClosed):
            await client.tdm_file(f"{ORIGIN}/x")

    asyncio.run(run())


def test_event_loops_share_a_client() -> None:
    transport = AsyncWeb({TDM_URL: ok(RESERVED)})
    client = AsyncClient(user_agent="ExampleBot/1.0", transport=transport, clock=transport.clock)
    reached, gate = threading.Event(), threading.Event()
    answer = transport.send

    async def send(request: TransportRequest) -> Response | Failure:
        if request.url == TDM_URL:
            reached.set()
            await asyncio.to_thread(gate.wait, 300)
        return await answer(request)

    transport.send = send  # type: ignore[method-assign]
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(lambda: asyncio.run(client.tdm_file(f"{ORIGIN}/x")))
        assert reached.wait(300)
        second = pool.submit(lambda: asyncio.run(client.tdm_file(f"{ORIGIN}/y")))
        gate.set()
        assert first.result() == second.result() == SiteFile(RESERVED)
    assert transport.requested.count(TDM_URL) == 1
    asyncio.run(client.close())
