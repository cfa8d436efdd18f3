"""Everything that a file states, by crawler."""

from typing import Any

import pytest

from canfetch import parse
from canfetch.agents.requested import requested_agent
from canfetch.answers.site_facts import MAX_ROWS, CrawlerFacts, SiteFacts, site_facts
from canfetch.core.verdict import Access, AccessInfo, Effect

# Midnight.
NOW = 1_790_035_200.0
HOUR = 3600.0
FILE = b"""\
User-agent: *
Disallow: /private
Crawl-delay: 2
Crawl-delay: 10
Request-rate: 1/5
Request-rate: 1/20 0600-0845
Visit-time: 0600-0845
Content-Signal: search=yes, ai-train=no

User-agent: GPTBot
Disallow: /

User-agent: ClaudeBot
User-agent: CCBot
User-agent: claudebot
Disallow: /

User-agent: Googlebot
Crawl-delay: 5
Allow: /
License: https://example.com/own.xml

User-agent: OddBot
Disallow: /
Visit-time: 2200-0200

Sitemap: https://example.com/sitemap.xml
Host: https://www.example.com:8443
"""


def facts_of(content: bytes = FILE, *agents: str, now: float = NOW, **options: Any) -> SiteFacts:
    return site_facts(parse(content, **options), [requested_agent(name) for name in agents], now=now)


def row_of(facts: SiteFacts, name: str) -> CrawlerFacts:
    (row,) = (row for row in facts.crawlers if name in row.names)
    return row


def test_crawlers_with_the_same_rules_share_a_row() -> None:
    facts = facts_of()
    assert [(row.kind, row.names, row.may_fetch) for row in facts.crawlers] == [
        ("named", ("GPTBot", "ClaudeBot", "CCBot"), "none"),
        ("named", ("Googlebot",), "all"),
        # The lines of its records are shown.
        ("named", ("OddBot",), "none"),
        ("ignoring-star", (), "all"),
        ("others", ("*",), "some"),
    ]
    assert facts.crawlers[0].lines == (10, 13, 14, 15)
    assert not facts.truncated


def test_rows_name_the_control_tokens_which_fetch_nothing() -> None:
    content = (
        b"User-agent: Google-Extended\nDisallow: /\n\nUser-agent: CCBot\nUser-agent: applebot-extended\nDisallow: /a\n"
    )
    facts = facts_of(content + b"\nUser-agent: Yandex\nDisallow: /b\n")
    rows = [(row.names, row.control_tokens, row.fetches_nothing) for row in facts.crawlers]
    assert rows == [
        (("Google-Extended",), ("Google-Extended",), True),
        (("CCBot", "applebot-extended"), ("applebot-extended",), False),
        # YandexBot reads this group.
        (("Yandex",), (), False),
        (("*",), (), False),
    ]


def test_every_known_crawler_is_in_one_row() -> None:
    facts = facts_of()
    known = [name for row in facts.crawlers for name in row.known]
    assert len(known) == len(set(known))
    assert "Googlebot-News" in row_of(facts, "Googlebot").known
    assert "bingbot" in row_of(facts, "*").known
    assert "AdsBot-Google" in facts.crawlers[3].known
    assert {"GPTBot", "CCBot", "Googlebot"}.isdisjoint(known)


def test_delays_have_the_line_that_counts_and_who_ignores_them() -> None:
    facts = facts_of()
    star, google = row_of(facts, "*"), row_of(facts, "Googlebot")
    assert (star.statements.pace.crawl_delay, star.statements.pace.crawl_delay_line) == (10.0, 4)
    assert {"YandexBot"} <= set(star.ignoring_delay)
    assert "bingbot" not in star.ignoring_delay
    assert (google.statements.pace.crawl_delay_line, google.ignoring_delay[0]) == (19, "Googlebot")
    assert row_of(facts, "GPTBot").statements.pace.crawl_delay is None
    assert row_of(facts, "GPTBot").ignoring_delay == ()


@pytest.mark.parametrize("profile, delay", [("bing", (10.0, 2)), ("rfc9309", (None, None))])
def test_bing_delay_of_the_star_group_has_its_line(profile: str, delay: tuple[float | None, int | None]) -> None:
    content = b"User-agent: *\nCrawl-delay: 10\nDisallow: /a\n\nUser-agent: bingbot\nDisallow: /b\n"
    pace = facts_of(content, "bingbot", profile=profile).crawlers[0].statements.pace
    assert (pace.crawl_delay, pace.crawl_delay_line) == delay


@pytest.mark.parametrize(
    "hour, seconds, interval",
    [(0, 6 * HOUR, 10.0), (7, 0.0, 20.0), (9, 21 * HOUR, 10.0)],
)
def test_pace_depends_on_the_time_of_day(hour: int, seconds: float, interval: float) -> None:
    now = NOW + hour * HOUR
    row = row_of(facts_of(now=now), "*")
    assert row.statements.pace.seconds_until_visit == seconds
    pace = row.to_json(now)["pace"]
    assert pace["may_visit_now"] is (pace["next_visit_at"] is None) is (seconds == 0)
    assert pace["seconds_between_requests"] == interval
    assert pace["visit_times"] == [{"start": "06:00", "end": "08:45", "line": 7}]
    assert [str(rate) for rate in row.statements.pace.request_rates] == [
        "1 request in 20 s at 06:00-08:45 UTC",
        "1 request in 5 s",
    ]


def test_file_records_and_preferences() -> None:
    answer = facts_of().to_json()
    assert answer["sitemaps"] == [{"value": "https://example.com/sitemap.xml", "line": 27}]
    assert answer["hosts"] == [{"value": "https://www.example.com:8443", "line": 28}]
    rows = {name: row for row in answer["crawlers"] for name in row["names"]}
    assert rows["*"]["usage"]["training"]["preference"] == "disallow"
    assert [record["line"] for record in rows["*"]["usage"]["search"]["records"]] == [8]
    assert rows["GPTBot"]["usage"]["training"] == {"preference": "unknown", "records": []}
    assert [record["line"] for record in rows["Googlebot"]["licenses"]] == [21]
    assert answer["other_records"] == []


def test_each_record_is_shown() -> None:
    lines = [
        "Crawl-delay: 1",
        "User-agent: *",
        "Crawl-delay: soon",
        "Clean-param: ref /shop/",
        "Noindex: /a",
        "Contact: us",
    ]
    facts = facts_of("\n".join(lines).encode())
    assert [(record.line, record.name) for record in facts.other_records] == [
        (1, "crawl-delay"),
        (3, "crawl-delay"),
        (4, "clean-param"),
        (5, "noindex"),
        (6, "contact"),
    ]
    records = facts_of(b"a:\n" * 200).to_json()["other_records"]
    assert [record["line"] for record in records] == list(range(1, 101))


def test_requested_agents_have_a_row_each() -> None:
    facts = facts_of(FILE, "Googlebot-Image", "AdsBot-Google", "NewBot")
    assert [(row.kind, row.names, str(row.choice), row.may_fetch) for row in facts.crawlers] == [
        ("requested", ("Googlebot-Image",), "fallback", "all"),
        ("requested", ("AdsBot-Google",), "none", "all"),
        ("requested", ("NewBot",), "star", "some"),
    ]


@pytest.mark.parametrize(
    "effect, may_fetch", [(Effect.FULL_DISALLOW, "none"), (Effect.FULL_ALLOW, "all")], ids=["closed", "open"]
)
def test_access_decides_without_a_file(effect: Effect, may_fetch: str) -> None:
    access = AccessInfo(Access.UNREACHABLE, effect, "timeout", "rfc9309", "https://a.example/robots.txt", None, None)
    facts = site_facts(parse(b""), now=NOW, access=access)
    assert [(row.kind, row.may_fetch) for row in facts.crawlers] == [("others", may_fetch)]


def test_rows_of_a_file_are_limited_and_the_others_are_kept() -> None:
    content = b"".join(b"User-agent: a%d\nDisallow: /%d\n\n" % (number, number) for number in range(MAX_ROWS + 5))
    facts = facts_of(content + b"User-agent: *\nDisallow: /\n")
    assert facts.truncated
    assert len(facts.crawlers) == MAX_ROWS
    assert (facts.crawlers[-1].kind, facts.crawlers[-1].may_fetch) == ("others", "none")
