"""What is counted for each crawler: rules over time, delays, checks of robots.txt, identities, and limits."""

import io
from collections import Counter
from collections.abc import Iterable
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.logs.log_lines import DAY, FIREFOX, GOOGLEBOT, GPTBOT, NOON, Request, write_log

from canfetch import parse
from canfetch.agents import Crawler
from canfetch.agents.identity import Identity, IdentityStatus
from canfetch.errors import InvalidOption
from canfetch.logs import CrawlerReport, LogAnalysis, LogReport, RobotsHistory, RobotsVersion, analysis, analyze
from canfetch.logs.activity import DEFAULT_GRACE
from canfetch.logs.analysis import CRAWLER_LIMIT
from canfetch.logs.history import Timeline

CLOSED = parse(b"User-agent: *\nDisallow: /\n")
OPEN = parse(b"User-agent: *\nDisallow:\n")


def count(requests: Iterable[Request], history: RobotsHistory, form: str = "combined", **options: Any) -> LogReport:
    return analyze([io.BytesIO(write_log(list(requests), form))], history, **options)


def only_crawler(report: LogReport) -> CrawlerReport:
    [crawler] = report.crawlers
    return crawler


def history(*versions: tuple[float, bytes]) -> RobotsHistory:
    return RobotsHistory([RobotsVersion(since, parse(content)) for since, content in versions])


def test_each_request_is_judged_by_the_rules_of_its_time() -> None:
    versions = RobotsHistory([RobotsVersion(NOON - 9 * DAY, OPEN), RobotsVersion(NOON, CLOSED)])
    requests = [Request("/a", at=NOON + days * DAY) for days in (-10, -5, 0.5, 1.5)]
    crawler = only_crawler(count(requests, versions))
    # The first is before every version. The third is within a day of the change.
    assert (crawler.requests, crawler.judged_requests, crawler.disallowed_requests) == (4, 3, 1)
    assert crawler.disallow_compliance == pytest.approx(2 / 3)
    strict = only_crawler(count(requests, versions, grace=0.0))
    assert strict.disallowed_requests == 2


@given(
    st.lists(st.floats(0, 1000, allow_nan=False), max_size=6, unique=True).map(sorted),
    st.floats(0, 300, allow_nan=False),
    st.floats(-10, 1500, allow_nan=False),
)
def test_law_timeline_has_the_versions_that_were_served_in_the_last_seconds(
    starts: list[float], grace: float, at: float
) -> None:
    versions = tuple(RobotsVersion(start, OPEN) for start in starts)
    timeline = Timeline.from_versions(versions, grace=grace)
    ends = [*starts[1:], inf][: len(starts)]
    served = tuple(
        index for index, (start, end) in enumerate(zip(starts, ends, strict=True)) if start <= at < end + grace
    )
    assert timeline.counting[timeline.find(at)] == served


def test_refusals_of_what_the_rules_allow_are_counted() -> None:
    rules = history((NOON, b"User-agent: *\nDisallow: /private\n"))
    requests = [
        # Before the first version, nothing is known about the rules.
        Request("/early", at=NOON - 1, status=403),
        Request("/robots.txt", at=NOON + 3, status=429),
        Request("/a", at=NOON + 2, status=403),
        Request("/a", at=NOON + 9, status=403),
        Request("/private", at=NOON + 10, status=403),
        Request("/b", at=NOON + 11, status=404),
    ]
    crawler = only_crawler(count(requests, rules))
    assert (crawler.refused_requests, crawler.first_refused, crawler.last_refused) == (3, NOON + 2, NOON + 9)
    assert crawler.refused_examples == (("/robots.txt", 429), ("/a", 403))
    assert (crawler.disallowed_requests, crawler.first_disallowed, crawler.last_disallowed) == (1, NOON + 10, NOON + 10)
    values = crawler.to_json()
    assert values["refused_examples"][0] == {"target": "/robots.txt", "status": 429}
    assert (values["first_refused"], values["last_disallowed"]) == ("2026-11-22T12:00:02Z", "2026-11-22T12:00:10Z")
    quiet = only_crawler(count([Request("/b")], rules)).to_json()
    assert (quiet["refused_requests"], quiet["first_refused"], quiet["last_disallowed"]) == (0, None, None)


@pytest.mark.parametrize("form, left_out", [("vhost", 2), ("caddy", 2), ("combined", 0)])
def test_requests_for_other_hosts_are_left_out(form: str, left_out: int) -> None:
    requests = [Request("/a", host=host) for host in ("www.example.com", "other.example")]
    requests.append(Request("/", FIREFOX, host="other.example"))
    report = count_own(requests, form)
    assert (report.other_host_requests, report.crawler_requests, report.lines) == (left_out, 2 - left_out // 2, 3)


def test_targets_of_requests_to_a_proxy_have_a_host() -> None:
    targets = (
        "http://other.example/a",
        "HTTPS://user@www.example.com",
        "http:/other.example",
        "/http://other.example/",
    )
    report = count_own([Request(target) for target in targets], "combined")
    assert (report.other_host_requests, report.crawler_requests + report.unusable_requests) == (1, 3)


def count_own(requests: list[Request], form: str) -> LogReport:
    analysis = LogAnalysis(RobotsHistory.from_file(OPEN), includes_host=lambda host: host == "www.example.com")
    analysis.add_log(io.BytesIO(write_log(requests, form)))
    return analysis.report()


def test_rfc9309_2_4_requests_without_a_recent_robots_txt_are_counted() -> None:
    requests = [
        Request("/a"),
        Request("/b", at=NOON + DEFAULT_GRACE + 1),
        Request("/robots.txt", at=NOON + DEFAULT_GRACE + 2),
        Request("/c", at=NOON + DEFAULT_GRACE + 3),
        Request("/robots.txt?x", at=NOON + 3 * DAY),
        Request("/robots.txt.bak", at=NOON + 5 * DAY),
    ]
    for grace in (DEFAULT_GRACE, 0.0):
        crawler = only_crawler(count(requests, RobotsHistory.from_file(OPEN), grace=grace))
        assert (crawler.robots_txt_requests, crawler.unchecked_requests) == (2, 2)


def test_delays_are_between_requests_of_one_address_for_pages() -> None:
    delayed = history((-inf, b"User-agent: GPTBot\nCrawl-delay: 10\nDisallow:\n"))
    times = [("192.0.2.1", 0), ("192.0.2.2", 1), ("192.0.2.1", 9), ("192.0.2.1", 14), ("192.0.2.2", 30)]
    requests = [Request("/a", at=NOON + seconds, client=client) for client, seconds in times]
    requests.insert(2, Request("/robots.txt", at=NOON + 2))
    crawler = only_crawler(count(requests, delayed))
    # 9 and 5 and 29 seconds: the log has whole seconds, so that 9 may have been almost 10.
    assert (crawler.delays, crawler.delays_kept) == (3, 1)
    exact = [Request("/a", at=NOON), Request("/a", at=NOON + 10)]
    assert only_crawler(count(exact, delayed)).delay_compliance == 1.0
    assert only_crawler(count(exact, RobotsHistory.from_file(OPEN))).delay_compliance is None


def test_hosts_have_their_own_files() -> None:
    hosts = RobotsHistory(hosts={"Closed.example": [RobotsVersion(-inf, CLOSED)]})
    requests = [Request("/a", host="closed.example"), Request("/a", host="other.example")]
    crawler = only_crawler(count(requests, hosts, "cloudflare"))
    assert (crawler.judged_requests, crawler.disallowed_requests) == (1, 1)
    assert hosts.versions_for("closed.example:8443") == hosts.versions_for("closed.example")
    assert hosts.versions_for("closed.example.") == hosts.versions_for("closed.example")
    assert hosts.versions_for("closed.example.:8443") == hosts.versions_for("closed.example")
    assert hosts.versions_for("x.example:8443") == ()
    address = RobotsHistory(hosts={"[2001:db8::1]": [RobotsVersion(-inf, CLOSED)]})
    assert address.versions_for("[2001:db8::1]:443") == address.versions_for("[2001:db8::1]") != ()


def test_unknown_crawlers_are_counted_and_browsers_are_not() -> None:
    agents = ["ExampleBot/1.0 (+https://example.com/bot)", "my-crawler/2", FIREFOX, "curl/8.5", "-", ""]
    report = count([Request("/a", agent) for agent in agents], RobotsHistory.from_file(CLOSED))
    assert {crawler.name for crawler in report.crawlers} == {"ExampleBot", "my-crawler"}
    assert report.other_requests == 4
    assert all(crawler.operator == "" for crawler in report.crawlers)


def test_fallback_tokens_of_the_registry_select_the_group() -> None:
    rules = history((-inf, b"User-agent: *\nDisallow: /a\nUser-agent: Googlebot\nDisallow: /b\n"))
    image = "Googlebot-Image/1.0"
    assert only_crawler(count([Request("/a", image), Request("/b", image)], rules)).examples == (("/b", 4),)


def test_impostors_are_counted_apart() -> None:
    asked: list[str] = []

    def identify(crawler: Crawler, address: str) -> Identity:
        assert crawler.name == "Googlebot"
        asked.append(address)
        status = {"192.0.2.1": IdentityStatus.VERIFIED, "192.0.2.2": IdentityStatus.IMPOSTOR}
        return Identity(status.get(address, IdentityStatus.UNDECIDED), "test")

    requests = [Request("/a", GOOGLEBOT, client=f"192.0.2.{last}") for last in (1, 2, 2, 2, 3)]
    report = count([*requests, Request("/", "ExampleBot/1.0")], RobotsHistory.from_file(CLOSED), identify=identify)
    assert [(crawler.name, crawler.identity, crawler.requests) for crawler in report.crawlers] == [
        ("Googlebot", IdentityStatus.IMPOSTOR, 3),
        ("ExampleBot", None, 1),
        ("Googlebot", IdentityStatus.UNDECIDED, 1),
        ("Googlebot", IdentityStatus.VERIFIED, 1),
    ]
    assert len(asked) == 3


@pytest.mark.parametrize("target", ["*", "example.com:443", "x"])
def test_requests_that_are_not_for_a_url(target: str) -> None:
    report = count([Request(target, method="OPTIONS")], RobotsHistory.from_file(CLOSED))
    assert (report.unusable_requests, report.crawlers, report.bad_lines) == (1, (), 0)


def test_more_addresses_than_are_counted_are_mentioned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canfetch.logs.analysis.ADDRESS_LIMIT", 3)
    requests = [Request("/a", "GPTBot/1.0", client=f"192.0.2.{number}") for number in (1, 2, 2, 3)]
    history = RobotsHistory.from_file(CLOSED)
    exact, more = count(requests, history), count([*requests, Request("/a", "CCBot/2.0", client="192.0.2.9")], history)
    assert not exact.addresses_truncated
    assert more.addresses_truncated
    assert [crawler.addresses for crawler in more.crawlers] == [3, 0]


def test_names_of_the_robots_txt_are_crawlers() -> None:
    rules = history((NOON - DAY, b"User-agent: OwnThing\nUser-agent: curl\nDisallow: /\n"))
    own = ["OwnThing/1.0", "python-requests/2.32 ownthing/1.0", "(OwnThing)"]
    others = [FIREFOX, "python-requests/2.32", "NotOwnThing/1.0", "Other/1.0 (+https://x.example/OwnThing)"]
    report = count([Request("/a", agent) for agent in [*own, "curl/8", *others]], rules)
    crawlers = {crawler.name: (crawler.requests, crawler.disallowed_requests) for crawler in report.crawlers}
    assert crawlers == {"OwnThing": (3, 3), "curl": (1, 1), "Other": (1, 0)}
    assert report.other_requests == 3


@pytest.mark.parametrize("separator", ["\t", "\\x09", "\\t", "\xa0", "\\x80", "\x7f"])
def test_words_after_bytes_that_are_not_printable_are_names_as_in_middlewares(separator: str) -> None:
    rules = history((NOON - DAY, b"User-agent: OwnThing\nDisallow: /\n"))
    requests = [Request("/a", f"Foo{separator}{name}") for name in ("OwnThing", "GPTBot/1.2")]
    assert {crawler.name for crawler in count(requests, rules).crawlers} == {"OwnThing", "GPTBot"}


def test_a_name_that_a_client_makes_up_ends_at_a_tab() -> None:
    requests = [Request("/a", header) for header in ("Foobot\\x09Other", "Foobot\tOther", "Foobot Other", "Foobot")]
    assert only_crawler(count(requests, RobotsHistory.from_file(CLOSED))).name == "Foobot"
    hidden = count([Request("/a", "Foobot\\x1bOther")], RobotsHistory.from_file(CLOSED))
    assert only_crawler(hidden).name == "Foobot%1BOther"


def test_names_that_clients_make_up_take_no_row_of_the_robots_txt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "CRAWLER_LIMIT", 2)
    rules = history((NOON - DAY, "".join(f"User-agent: Own{letter}\n" for letter in "abcde").encode()))
    made_up = [Request("/a", f"Bot{number}/1.0") for number in range(9)]
    named = [Request("/a", f"Own{letter}/1.0") for letter in "abcde"]
    first = count([*made_up, *named], rules)
    assert {crawler.name for crawler in first.crawlers} == {"Bot0", "Bot1", "Owna", "(others)"}
    assert {"Owna", "Ownb"} <= {crawler.name for crawler in count([*named, *made_up], rules).crawlers}
    assert first.truncated


@pytest.mark.slow
def test_hostile_log_takes_bounded_memory() -> None:
    agents = (f"Bot{number}/1.0 {'x' * 600}" for number in range(20_000))
    requests = [
        Request("/" + "a" * 300, agent, client=f"2001:db8::{number:x}", host=f"h{number}.example")
        for number, agent in enumerate(agents)
    ]
    report = count(requests, RobotsHistory.from_file(CLOSED), "cloudflare")
    assert report.truncated
    assert sum(crawler.requests for crawler in report.crawlers) == 20_000
    assert len(report.crawlers) == CRAWLER_LIMIT + 1


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(
            st.sampled_from([GPTBOT, GOOGLEBOT, FIREFOX]),
            st.sampled_from(["/", "/a", "/b?x", "/robots.txt"]),
            st.integers(0, 300_000),
        )
    ),
    st.sampled_from([b"", b"User-agent: *\nDisallow: /a\n", b"User-agent: GPTBot\nDisallow: /\nAllow: /b\n"]),
)
def test_law_counts_are_those_of_single_decisions(log: list[tuple[str, str, int]], content: bytes) -> None:
    robots = parse(content)
    report = count(
        [Request(target, agent, NOON + seconds) for agent, target, seconds in log], RobotsHistory.from_file(robots)
    )
    crawlers = {GPTBOT: "GPTBot", GOOGLEBOT: "Googlebot"}
    declared = [(crawlers[agent], target) for agent, target, _ in log if agent in crawlers]
    disallowed = Counter(name for name, target in declared if not robots.allows(target, agent=name))
    assert {crawler.name: crawler.requests for crawler in report.crawlers} == Counter(name for name, _ in declared)
    assert {
        crawler.name: crawler.disallowed_requests for crawler in report.crawlers if crawler.disallowed_requests
    } == (disallowed)


def test_folder_of_files_by_date(tmp_path: Path) -> None:
    (tmp_path / "2026-05-01.txt").write_bytes(b"User-agent: *\nDisallow: /may\n")
    (tmp_path / "2026-06-01T12-30-00Z.robots.txt").write_bytes(b"User-agent: *\nDisallow: /june\n")
    (tmp_path / "notes.md").write_bytes(b"not a version")
    (tmp_path / ".hidden.txt").write_bytes(b"not a version")
    (tmp_path / "Shop.example").mkdir()
    (tmp_path / "Shop.example" / "2026-01-01_0800.txt").write_bytes(b"")
    found = RobotsHistory.from_folder(tmp_path)
    may, june = found.versions_for("www.example.com")
    assert (may.since, june.since) == (1_777_593_600.0, 1_780_317_000.0)
    assert b"/june" in june.robots.content
    assert [version.since for version in found.versions_for("shop.example")] == [1_767_254_400.0]


@pytest.mark.parametrize(
    "names, message",
    [
        ([], "no robots.txt in .*: expected files such as 2026-05-01.txt"),
        (["robots.txt"], "no date in the name of .*robots.txt': expected a name such as 2026-05-01.txt"),
        (["2026-13-01.txt"], "no date in the name"),
        (["2026-05-01.txt", "2026-05-01T00-00.txt"], "are from the same time"),
    ],
)
def test_invalid_folder(tmp_path: Path, names: list[str], message: str) -> None:
    for name in names:
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(InvalidOption, match=message):
        RobotsHistory.from_folder(tmp_path)


@pytest.mark.parametrize("grace", [-1.0, inf, float("nan")])
def test_invalid_grace(grace: float) -> None:
    with pytest.raises(InvalidOption, match="invalid grace"):
        count([], RobotsHistory(), grace=grace)
