"""What crawlers did beside what the rules allow: access logs and skip reports of a site on loopback."""

import gzip
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from string import ascii_letters
from typing import Any

import pytest
from tests.audit.sites import HTML, PAGE, publish
from tests.logs.log_lines import DAY, FIREFOX, GOOGLEBOT, GPTBOT, NOON, Request, write_log
from tests.servers.valid import respond
from tests.servers.web import Site

from canfetch import Client, SkipReport, parse
from canfetch.agents import Crawler
from canfetch.agents.identity import Identity, IdentityStatus, SignedRequest
from canfetch.audit import AuditFinding, AuditKind, AuditPlan, AuditReport, CrawlRecords, audit, html_page, text_lines
from canfetch.errors import InvalidOption, InvalidProductToken
from canfetch.lint import Severity
from canfetch.logs import RobotsHistory, RobotsVersion

PLAN = AuditPlan(sample=0, delay=0)
OWN = {
    AuditKind.CRAWLER_DISOBEYS,
    AuditKind.CRAWLER_REFUSED,
    AuditKind.CRAWLER_UNREAD,
    AuditKind.SKIPPED_ALLOWED,
    AuditKind.SKIPPED_DISALLOWED,
    AuditKind.RULES_UNKNOWN,
    AuditKind.CLIENTS_UNNAMED,
    AuditKind.RECORDS_DAMAGED,
}


class Audited:
    """A site, and a client that audits it with records."""

    def __init__(self, site: Site, client: Client) -> None:
        self.site = site
        self._client = client
        publish(site, {"/": respond(PAGE, HTML)})

    def report(
        self, *logs: bytes, skips: list[bytes] | None = None, plan: AuditPlan = PLAN, **options: Any
    ) -> AuditReport:
        records = CrawlRecords(tuple(map(io.BytesIO, logs)), tuple(map(io.BytesIO, skips or [])), **options)
        return audit(self._client, self.site.origin, plan=plan, records=records)

    def skips(self, *pages: dict[str, Any]) -> bytes:
        header = {"format": "json-pages-1.0", "id": "pages", "title": "Skipped Pages", "hasText": "false"}
        rows = [{**page, "url": self.site.origin + page["url"]} for page in pages]
        return "".join(f"{json.dumps(row)}\n" for row in (header, *rows)).encode()


@pytest.fixture
def audited() -> Iterator[Audited]:
    with Site() as site, Client(user_agent="AuditBot/1.0") as client:
        yield Audited(site, client)


def own(report: AuditReport, *kinds: AuditKind) -> list[AuditFinding]:
    return [one for one in report.findings if one.kind in (kinds or OWN)]


def test_crawlers_that_disobey_and_that_are_refused(audited: Audited) -> None:
    requests = [
        Request("/robots.txt"),
        Request("/private/a?x=1", at=NOON + 5),
        Request("/private/b", at=NOON + 9, status=403),
        Request("/fish", at=NOON + 10, status=403),
        Request("/fish", at=NOON + 11, status=429),
        Request("/fish", at=NOON + 12),
        Request("/private/c", FIREFOX),
    ]
    report = audited.report(write_log(requests))
    disobeys, refused = own(report)
    origin = audited.site.origin
    assert disobeys == AuditFinding(
        AuditKind.CRAWLER_DISOBEYS,
        "GPTBot (by name, not verified): 2 of 6 requests for URLs that today's robots.txt disallows, "
        "from 2026-11-22T12:00:05Z to 2026-11-22T12:00:09Z",
        Severity.WARNING,
        f"{origin}/private/a?x=1",
        2,
        text="Disallow: /private/",
    )
    assert refused == AuditFinding(
        AuditKind.CRAWLER_REFUSED,
        "GPTBot (by name, not verified): 2 of 6 requests refused, for URLs that today's robots.txt allows, "
        "from 2026-11-22T12:00:10Z to 2026-11-22T12:00:11Z",
        Severity.WARNING,
        f"{origin}/fish",
        status=403,
    )
    assert report.logs is not None
    assert report.logs.to_json() == {
        "number": 1,
        "lines": 7,
        "bad_lines": 0,
        "crawlers": 1,
        "crawler_requests": 6,
        "other_requests": 1,
        "other_host_requests": 0,
        "first": "2026-11-22T12:00:00Z",
        "last": "2026-11-22T12:00:12Z",
        "by_history": False,
        "unusable_requests": 0,
        "not_judged": 0,
    }
    assert report.skips is None


def test_crawlers_that_never_request_robots_txt(audited: Audited) -> None:
    requests = [Request("/a"), Request("/a", GOOGLEBOT), Request("/b", GOOGLEBOT, NOON + 2 * DAY)]
    googlebot, gptbot = own(audited.report(write_log(requests)))
    assert (googlebot.kind, googlebot.severity) == (AuditKind.CRAWLER_UNREAD, Severity.INFO)
    assert googlebot.url == f"{audited.site.origin}/robots.txt"
    assert googlebot.message == (
        "Googlebot (by name, not verified): 2 requests, from 2026-11-22T12:00:00Z to 2026-11-24T12:00:00Z, "
        "and none for robots.txt"
    )
    assert gptbot.message == (
        "GPTBot (by name, not verified): 1 request, at 2026-11-22T12:00:00Z, and none for robots.txt; "
        "the logs start less than a day before, so it may know the file from earlier"
    )


def test_identities_are_told_apart(audited: Audited) -> None:
    statuses = {"192.0.2.1": IdentityStatus.VERIFIED, "192.0.2.2": IdentityStatus.IMPOSTOR}

    def identify(_crawler: Crawler, address: str) -> Identity:
        return Identity(statuses.get(address, IdentityStatus.UNDECIDED), "")

    requests = [
        Request(target, client=client, status=status)
        for client in ("192.0.2.1", "192.0.2.2", "192.0.2.3")
        for target, status in (("/private/a", 200), ("/fish", 403))
    ]
    # Only an impostor reads the file.
    impostor = Request("/robots.txt", client="192.0.2.2")
    unread = own(audited.report(write_log([*requests, impostor]), identify=identify), AuditKind.CRAWLER_UNREAD)
    assert [one.message.partition(":")[0] for one in unread] == [
        "GPTBot (by name, not verified)",
        "GPTBot (verified)",
    ]
    # An address of GPTBot reads the file for all of them.
    requests.append(Request("/robots.txt", client="192.0.2.1"))
    report = audited.report(write_log(requests), identify=identify)
    assert sorted((one.kind.value, one.message.partition(":")[0]) for one in own(report)) == [
        ("crawler-disobeys", "GPTBot (by name, not verified)"),
        ("crawler-disobeys", "GPTBot (verified)"),
        ("crawler-disobeys", "an impostor with the name GPTBot"),
        # That an impostor is refused, or does not read robots.txt, is not a finding.
        ("crawler-refused", "GPTBot (by name, not verified)"),
        ("crawler-refused", "GPTBot (verified)"),
    ]


def test_requests_are_compared_with_the_rules_of_their_time(audited: Audited) -> None:
    versions = [
        RobotsVersion(NOON - 9 * DAY, parse(b"User-agent: *\nDisallow:\n")),
        RobotsVersion(NOON, parse(b"# new\nUser-agent: *\nDisallow: /private/\n")),
    ]
    requests = [Request("/robots.txt", at=NOON - 5 * DAY)]
    requests += [Request("/private/a", at=NOON + days * DAY) for days in (-5, 0.5, 1.5)]
    report = audited.report(write_log(requests), history=RobotsHistory(versions))
    (disobeys,) = own(report)
    assert (
        "1 of 4 requests for URLs that the robots.txt of that time disallows, at 2026-11-24T00:00:00Z"
        in disobeys.message
    )
    assert (disobeys.line, disobeys.text) == (3, "Disallow: /private/")
    assert any("served within a day before" in line for line in text_lines(report.to_json()))
    today = audited.report(write_log(requests))
    assert "3 of 4 requests" in own(today)[0].message
    assert any("another one may have been served" in line for line in text_lines(today.to_json()))


def test_the_line_of_the_file_of_that_time_is_quoted(audited: Audited) -> None:
    # Line 2 of today's file is another one.
    versions = [RobotsVersion(NOON - 9 * DAY, parse(b"User-agent: *\nDisallow: /old/\t\n"))]
    requests = [Request("/robots.txt", at=NOON), Request("/old/a", at=NOON)]
    (disobeys,) = own(audited.report(write_log(requests), history=RobotsHistory(versions)))
    assert (disobeys.line, disobeys.text) == (2, "Disallow: /old/")


def test_a_log_without_hosts_is_compared_with_the_files_of_the_host(audited: Audited) -> None:
    own_version = RobotsVersion(NOON - 9 * DAY, parse(b"User-agent: *\nDisallow: /old/\n"))
    other = RobotsVersion(NOON - 9 * DAY, parse(b"User-agent: *\nDisallow:\n"))
    requests = [Request("/robots.txt", at=NOON), Request("/old/a", at=NOON)]
    for host in ("127.0.0.1", audited.site.origin.removeprefix("http://")):
        history = RobotsHistory([other], hosts={host: [own_version]})
        (disobeys,) = own(audited.report(write_log(requests), history=history))
        assert (disobeys.kind, disobeys.text) == (AuditKind.CRAWLER_DISOBEYS, "Disallow: /old/")
    only = RobotsHistory(hosts={"127.0.0.1": [own_version]})
    assert [one.kind for one in own(audited.report(write_log(requests), history=only))] == [AuditKind.CRAWLER_DISOBEYS]


@pytest.mark.parametrize("known, severity", [(0, Severity.WARNING), (1, Severity.INFO)])
def test_requests_without_known_rules_are_counted(audited: Audited, known: int, severity: Severity) -> None:
    history = RobotsHistory([RobotsVersion(NOON, parse(b"User-agent: *\nDisallow:\n"))])
    requests = [Request("/robots.txt", at=NOON - days * DAY) for days in (3, 2)]
    requests += [Request("/private/a", at=NOON + DAY)] * known
    report = audited.report(write_log(requests), history=history)
    (unknown,) = own(report)
    assert (unknown.kind, unknown.severity) == (AuditKind.RULES_UNKNOWN, severity)
    line = f"2 of {2 + known} requests of crawlers were not compared: the rules of their time are not known."
    assert line in text_lines(report.to_json())


def test_a_log_without_user_agents_shows_no_crawlers(audited: Audited) -> None:
    combined = write_log([Request("/robots.txt")])
    common = b'192.0.2.1 - - [22/Nov/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 512\n'
    (unnamed,) = own(audited.report(combined, common * 98))
    assert unnamed.kind is AuditKind.CLIENTS_UNNAMED
    assert unnamed.message == "a stream: none of 98 requests has a User-Agent header"
    # A single request can be without one.
    assert own(audited.report(combined + write_log([Request("/", "-")]))) == []


def test_each_line_of_a_log_is_counted(audited: Audited) -> None:
    targets = ["*", "//private/x", f"https://{audited.site.netloc}/private/y", "http://127.0.0.1:1/private/z"]
    report = audited.report(write_log([Request("/robots.txt"), *map(Request, targets)]))
    assert report.logs is not None
    logs = report.logs
    counted = (logs.crawler_requests, logs.unusable_requests, logs.other_host_requests, logs.bad_lines)
    assert (counted, logs.lines) == ((3, 1, 1, 0), 5)
    # The first target is a path with an empty first segment, which the rule does not match.
    (disobeys,) = own(report)
    assert (disobeys.url, disobeys.line) == (f"{audited.site.origin}/private/y", 2)
    assert any("1 not for a URL" in line for line in text_lines(report.to_json()))


def test_hosts_of_the_audit_count_as_the_site(audited: Audited) -> None:
    with Site() as other:
        plan = replace(PLAN, hosts=(other.origin, "http://www.shop.test"))
        hosts = [audited.site.netloc, other.netloc, "www.shop.test", "127.0.0.1:1", "www.shop.test:8080", "shop.test"]
        report = audited.report(write_log([Request("/private/a", host=host) for host in hosts], "caddy"), plan=plan)
    assert report.logs is not None
    assert (report.logs.crawler_requests, report.logs.other_host_requests) == (3, 3)


def test_compressed_skip_reports_are_read(audited: Audited) -> None:
    content = gzip.compress(audited.skips({"url": "/fish", "reason": "robotsTxt"}))
    assert [one.kind for one in own(audited.report(skips=[content]))] == [AuditKind.SKIPPED_ALLOWED]
    (damaged,) = own(audited.report(skips=[content[:-20]]))
    assert damaged.message.startswith("a stream cannot be read to its end: damaged compressed data")


def test_a_skip_report_of_another_site_is_a_finding(audited: Audited) -> None:
    content = b'{"url":"https://other.example/","reason":"robotsTxt"}\n' * 3
    (other,) = own(audited.report(skips=[content]))
    assert other.message == f"a stream has no URL of {audited.site.origin}, and 3 of other sites"


def test_long_urls_are_cut_for_people(audited: Audited) -> None:
    path = f"/{'x' * 200_000}"
    report = audited.report(skips=[audited.skips({"url": path, "reason": "robotsTxt"})]).to_json()
    assert path in json.dumps(report)
    for text in ("\n".join(text_lines(report)), html_page([report])):
        assert "x" * 501 not in text
        assert f"({len(audited.site.origin) + len(path):,} characters)" in text


@pytest.mark.parametrize("form", ["vhost", "caddy"])
def test_only_requests_for_the_host_of_the_site_count(audited: Audited, form: str) -> None:
    hosts = ["127.0.0.1", "www.example.com", "bad host" if form == "caddy" else "bad%host"]
    if form == "caddy":
        # Virtual hosts in front of a line have the port of the server.
        hosts += [audited.site.netloc, "127.0.0.1:1", "[::1]"]
    requests = [Request("/private/a", host=host) for host in hosts]
    report = audited.report(write_log(requests, form))
    assert report.logs is not None
    counted = (report.logs.crawler_requests, report.logs.other_host_requests, report.logs.bad_lines)
    assert counted == ((1, 2, 0) if form == "vhost" else (2, 4, 0))
    other = audited.report(write_log([Request(host="other.example")], form))
    assert [one.message for one in own(other)] == ["the logs have no request for 127.0.0.1, and 1 for other hosts"]


def test_skips_are_compared_with_the_rules_of_today(audited: Audited) -> None:
    report = audited.report(
        skips=[
            audited.skips(
                {"url": "/fish", "reason": "robotsTxt", "ts": "2026-07-15T12:00:01.250Z"},
                {"url": "/fish", "reason": "robotsTxt", "ts": "2026-07-15T12:00:00.250Z"},
                {"url": "/birds", "reason": "robotsTxt", "ts": "2026-07-15T12:00:00.500Z"},
                {"url": "/private/a", "reason": "robotsTxt"},
                {"url": "/private/b", "reason": "pageLimit"},
                {"url": "/fish", "reason": "pageLimit"},
            ),
            audited.skips(
                {"url": "/birds", "reason": "robotsTxt", "agent": "FishBot Fish", "explanation": "line 4"},
                {"url": "/x", "reason": "robotsTxt", "cut": True},
                {"url": "/x", "reason": "robotsTxt", "agent": "a,b/c"},
            ),
            b'{"url":"https://other.example/","reason":"robotsTxt"}\n{"url":"mailto:x","reason":"outOfScope"}\n',
        ]
    )
    browsertrix, disallowed, fishbot = own(report)
    origin = audited.site.origin
    assert browsertrix == AuditFinding(
        AuditKind.SKIPPED_ALLOWED,
        "a crawl without a name (taken for Browsertrix): 3 skips with the reason 'robotsTxt', "
        "from 2026-07-15T12:00:00.25Z to 2026-07-15T12:00:01.25Z",
        Severity.INFO,
        f"{origin}/fish",
    )
    assert fishbot.message == (
        "FishBot, Fish: 1 skip with the reason 'robotsTxt', at an unknown time; the first one because of: line 4"
    )
    assert (disallowed.kind, disallowed.url, disallowed.line) == (
        AuditKind.SKIPPED_DISALLOWED,
        f"{origin}/private/b",
        2,
    )
    assert report.skips is not None
    assert report.skips._asdict() == {
        "number": 3,
        "skips": 11,
        "agreeing": 2,
        "differing": 5,
        "other_origins": 1,
        "not_judged": 3,
        "damaged_lines": 0,
    }


def test_reports_of_canfetch_have_the_agent(audited: Audited, tmp_path: Path) -> None:
    robots = "User-agent: *\nDisallow: /private/\nUser-agent: FishBot\nDisallow: /fish\n"
    publish(audited.site, {}, robots=robots)
    verdict = parse("User-agent: FishBot\nDisallow: /").decide("/", agent="FishBot")
    with SkipReport(tmp_path / "skippedPages.jsonl") as writer:
        for target in ("/fish", "/private/a"):
            writer.record(f"{audited.site.origin}{target}".replace("://", "://me:secret@"), verdict)
    report = audited.report(skips=[writer.path.read_bytes()])
    (allowed,) = own(report)
    assert allowed.message.startswith("FishBot: 1 skip with the reason 'robotsTxt', at ")
    assert allowed.message.endswith("; the first one because of: line 2, Disallow: /")
    assert str(allowed.url).endswith("/private/a")
    other = own(audited.report(skips=[audited.skips({"url": "/fish", "reason": "x"})], skip_agent="FishBot"))
    assert [one.kind for one in other] == [AuditKind.SKIPPED_DISALLOWED]


def test_damaged_records_are_findings(audited: Audited, tmp_path: Path) -> None:
    log = write_log([Request("/robots.txt")])
    whole = gzip.compress(log * 1_000)
    report = audited.report(whole[:-20], skips=[b"\xff\n{}\n", b'{"url":"/","reason":"a"}\n{"u'])
    assert [one.message.partition(":")[0] for one in own(report)] == [
        "a stream cannot be read to its end",
        "a stream is not a skip report",
        "1 line of a stream cannot be read",
    ]
    assert "line 2, not JSON: the last line is cut" in own(report)[-1].message
    assert "lines cannot be read, 5 of 6: a stream, line 2" in own(audited.report(log + b"nothing\n" * 5))[0].message
    assert "no line is one of an access log, 5 of 5: " in own(audited.report(b"nothing\n" * 5))[0].message
    assert [one.message for one in own(audited.report(b""))] == ["the logs have no lines"]
    assert [one.message for one in own(audited.report(skips=[b""]))] == [
        "a stream is empty: a skip report has a header"
    ]
    assert own(audited.report(skips=[audited.skips()])) == []
    path = tmp_path / "\x1b[31m.log"
    path.write_bytes(b"nothing\n")
    with path.open("rb") as stream, Client(user_agent="AuditBot/1.0") as client:
        named = audit(client, audited.site.origin, plan=PLAN, records=CrawlRecords(logs=(stream,)))
    assert "\x1b" not in json.dumps(named.to_json(), ensure_ascii=False)
    assert "31m.log" in own(named)[0].message


def test_the_number_of_groups_is_bounded(audited: Audited) -> None:
    names = (f"Bot{first}{second}" for first, second in product(ascii_letters, ascii_letters[:20]))
    report = audited.report(
        skips=[audited.skips(*({"url": "/fish", "reason": "robotsTxt", "agent": name} for name in names))]
    )
    assert report.counts[AuditKind.SKIPPED_ALLOWED] == 1_001
    assert report.skips is not None
    assert report.skips.differing == sum(
        int(one.message.partition(": ")[2].partition(" ")[0].replace(",", ""))
        for one in own(report, AuditKind.SKIPPED_ALLOWED)
    )


def test_without_rules_nothing_is_judged(audited: Audited) -> None:
    audited.site.serve("/robots.txt", respond(b"", status=503))
    requests = [Request("/robots.txt"), Request("/private/a", status=403)]
    report = audited.report(write_log(requests), skips=[audited.skips({"url": "/a", "reason": "robotsTxt"})])
    assert own(report) == []
    assert report.skips is not None
    assert report.skips.not_judged == 1


def test_everything_is_allowed_without_a_file(audited: Audited) -> None:
    audited.site.serve("/robots.txt", respond(b"", status=404))
    requests = [Request("/robots.txt", status=404), Request("/private/a", status=403)]
    report = audited.report(write_log(requests), skips=[audited.skips({"url": "/a", "reason": "robotsTxt"})])
    assert [one.kind for one in own(report)] == [AuditKind.CRAWLER_REFUSED, AuditKind.SKIPPED_ALLOWED]


def test_reports_for_people_show_the_records(audited: Audited) -> None:
    report = audited.report(
        write_log([Request("/private/<b>", GPTBOT)]), skips=[audited.skips({"url": "/fish", "reason": "robotsTxt"})]
    ).to_json()
    text = "\n".join(text_lines(report))
    assert "Access logs: 1 line in 1 log from 22 November 2026, 12:00 UTC to 22 November 2026, 12:00 UTC; " in text
    assert "Skip reports: 1 skip in 1 report; 0 as robots.txt decides now, 1 not, " in text
    assert "warning: A crawler requested URLs that robots.txt disallows. (crawler-disobeys, 1 time)" in text
    page = html_page([report])
    assert "<h4>What crawlers did</h4>" in page
    assert "/private/&lt;b&gt;" in page


def test_invalid_options_are_raised_before_the_first_request(audited: Audited) -> None:
    for options, error in (
        ({"log_format": "xml"}, InvalidOption),
        ({"fields": {"x": "y"}}, InvalidOption),
        ({"skip_agent": "a,b"}, InvalidProductToken),
    ):
        with pytest.raises(error):
            audited.report(b"", **options)
    assert audited.site.requests == []


def test_signed_requests_in_logs(audited: Audited) -> None:
    host = audited.site.origin.partition("://")[2]
    fields = {"time": "2026-11-22T12:00:00Z", "http_host": host, "request_uri": "/private/a", "status": 200}
    signed = {"request_method": "GET", "http_user_agent": GPTBOT, "remote_addr": "192.0.2.1"}
    line = {**fields, **signed, "http_signature_input": "a=()", "http_signature": "a=:AA==:"}
    seen: list[tuple[str, str]] = []

    def identify(request: SignedRequest, crawler: Crawler | None, *_: Any) -> Identity:
        assert crawler is not None
        seen.append((crawler.name, request.authority))
        return Identity(IdentityStatus.VERIFIED, "signed")

    report = audited.report(json.dumps(line).encode(), identify_signed=identify)
    assert seen == [("GPTBot", host)]
    [found] = own(report, AuditKind.CRAWLER_DISOBEYS)
    assert found.message.startswith("GPTBot (verified)")
