"""Checks of records that RFC 9309 does not define."""

import pytest

from canfetch.lint import Linter, LintInput
from canfetch.lint.analysis.deliveries import example_delivery

URL = "https://example.com/robots.txt"
GROUP = "User-agent: *\nDisallow: /a\n"


def lines(text: str, code: str, profile: str = "all") -> list[int]:
    linter = Linter(severities=profile, select=[code], findings_limit=None)
    return [finding.line for finding in linter.lint(LintInput(text.encode(), url=URL)).findings]


def fixed(text: str, code: str) -> str:
    return Linter(select=[code]).fix(LintInput(text.encode(), url=URL), unsafe=True).content.decode()


REPORTED = [
    ("CF601", "Sitemap: sitemap.xml"),
    ("CF601", "Sitemap:"),
    ("CF601", "Sitemap: www.example.com/sitemap.xml"),
    ("CF602", "Sitemap: file:///sitemap.xml"),
    ("CF602", "Sitemap: htttps://example.com/a"),
    ("CF603", "Sitemap: https://example.com/a\nSitemap: https://example.com/a"),
    ("CF603", "Sitemap: /a\nUser-agent: b\nsite-map: /a"),
    ("CF628", "Sitemap: /*.xml"),
    ("CF628", "Sitemap: https://example.com/*/sitemap.xml"),
    ("CF628", "Sitemap: https://example.com/sitemap.xml$"),
    ("CF628", "Sitemap: https://example.com/sitemap-[0-9].xml"),
    ("CF628", "Sitemap: https://example.com/sitemap-{1..5}.xml.gz"),
    ("CF628", "Sitemap: https://example.com/{a,b}.xml"),
    ("CF604", "Crawl-delay: five"),
    ("CF604", "Crawl-delay: 0,5"),
    ("CF604", "Crawl-delay: -1"),
    ("CF605", "Crawl-delay: 31"),
    ("CF605", "Crawl-delay: 86400.5"),
    ("CF623", "Crawl-delay: 0"),
    ("CF623", "User-agent: a\nUser-agent: msnbot\nCrawl-delay: 0.5"),
    ("CF606", "User-agent: Googlebot\nCrawl-delay: 1"),
    ("CF606", "User-agent: a\nUser-agent: YandexBot\nCrawl-delay: 1"),
    ("CF607", "Request-rate: 1"),
    ("CF607", "Request-rate: 0/5"),
    ("CF608", "Visit-time: 2500-2600"),
    ("CF608", "Visit-time:"),
    ("CF609", "Host: https://example.com"),
    ("CF609", "host: example.com"),
    ("CF610", "Clean-param: a /x$"),
    ("CF610", f"Clean-param: a /{'x' * 500}"),
    ("CF611", "Noindex: /a"),
    ("CF611", "nofollow: /"),
    ("CF612", "Content-Signal: ai-train"),
    ("CF612", "Content-Signal: search=maybe"),
    ("CF612", "Content-Signal: train=no"),
    ("CF613", "Content-Usage: TRAIN-AI=n"),
    ("CF613", "Content-Usage: /a train-ai=never"),
    ("CF614", "Content-Usage: genai=n"),
    ("CF614", "Content-Usage: search=y, bots=n"),
    ("CF615", "License: /l.xml"),
    ("CF615", "License:"),
    ("CF616", "ACAP-crawler: *"),
    ("CF616", "acap-allow-index: /"),
    ("CF617", "Robot-version: 1.0"),
    ("CF630", "Agentmap: https://example.com/.well-known/ard.json"),
    ("CF630", "schemamap: https://example.com/schemamap.xml"),
    ("CF617", "robot-version: two"),
    ("CF618", "Cache-delay: 1"),
    ("CF618", "cache-delay:"),
    ("CF619", "ACAP-crawler: *"),
    ("CF619", "Comment: hello"),
    ("CF612", "Content-Signal: /a"),
    ("CF612", "Content-Signal: /a ai-train"),
    ("CF621", "DisallowAITraining: /"),
    ("CF621", "AllowAITraining:"),
    ("CF622", "Content-Signal: search=yes\nContent-Usage: search=n"),
    ("CF622", "Content-Usage: ai-use=y\nUser-agent: b\nDisallow: /\nUser-agent: *\nContent-Signal: ai-input=no"),
]
NOT_REPORTED = [
    ("CF623", "Crawl-delay: 1"),
    ("CF623", "User-agent: GPTBot\nCrawl-delay: 0.5"),
    ("CF601", "Sitemap: https://example.com/sitemap.xml"),
    ("CF601", "# Sitemap: /sitemap.xml"),
    ("CF602", "Sitemap: FTP://example.com/a"),
    ("CF602", "Sitemap: /a"),
    ("CF603", "Sitemap: https://example.com/a\nSitemap: https://example.com/A"),
    ("CF603", "Sitemap:\nSitemap:"),
    ("CF628", "Sitemap: https://example.com/sitemap.xml?q=*"),
    ("CF628", "Sitemap: https://[2001:db8::1-2]/sitemap.xml"),
    ("CF628", "Sitemap: https://example.com/a[b]{c}.xml"),
    ("CF628", "Sitemap: https://example.com/$/sitemap.xml"),
    ("CF628", "Sitemap: https://example.com/a-[b.xml"),
    ("CF604", "Crawl-delay: 0.5"),
    ("CF604", "Crawl-delay: 10"),
    ("CF605", "Crawl-delay: 30"),
    ("CF605", "Crawl-delay: x"),
    ("CF606", "Crawl-delay: 1"),
    ("CF606", "User-agent: bingbot\nCrawl-delay: 1"),
    ("CF607", "Request-rate: 1/10s 1800-1900"),
    ("CF607", "Request-rate: 1/5"),
    ("CF608", "Visit-time: 0600-0845"),
    ("CF608", "Visit-time: 2200-0400"),
    ("CF609", "# Host: example.com"),
    ("CF609", "Hosts: example.com"),
    ("CF610", "Clean-param: a&b /x/*.php"),
    ("CF610", "Clean-param: a"),
    ("CF611", "Disallow: /noindex"),
    ("CF611", "# noindex: /a"),
    ("CF612", "Content-Signal: search=yes, ai-train=no, use=reference"),
    ("CF612", "Content-Signals: AI-TRAIN=NO"),
    ("CF613", "Content-Usage: train-ai=n, search=y"),
    ("CF613", "Content-Usage: /a ai-use=y"),
    ("CF614", "Content-Usage: train-ai=n"),
    ("CF614", "Content-Signal: genai=n"),
    ("CF615", "License: https://example.com/l.xml"),
    ("CF615", "# License: /l.xml"),
    ("CF616", "# ACAP-crawler: *"),
    ("CF616", "Allow: /ACAP-x"),
    ("CF617", "# Robot-version: 1"),
    ("CF617", "Version: 1"),
    ("CF630", "# Agentmap: https://example.com/ard.json"),
    ("CF204", "Agentmap: https://example.com/ard.json\nSchemamap: https://example.com/schemamap.xml"),
    ("CF618", "Crawl-delay: 1"),
    ("CF618", "# Cache-delay: 1"),
    ("CF619", "Host: example.com"),
    ("CF619", "Nonsense: 1"),
    ("CF612", "Content-Signal: /a ai-train=no"),
    ("CF612", "Content-Signal: /\tai-train=no"),
    ("CF621", "Disallow: /AITraining"),
    ("CF621", "Content-Usage: train-ai=n"),
    ("CF622", "Content-Signal: search=yes, ai-train=no\nContent-Usage: search=y"),
    ("CF622", "Content-Signal: search=yes\nUser-agent: b\nDisallow: /\nContent-Usage: search=n"),
    ("CF622", "Content-Signal: search=yes\nContent-Usage: /a search=n"),
    ("CF622", "Content-Signal: /a search=yes\nContent-Usage: search=n"),
]


@pytest.mark.parametrize("code, records", REPORTED)
def test_check_reports(code: str, records: str) -> None:
    assert lines(f"{GROUP}{records}\n", code)


@pytest.mark.parametrize("code, records", NOT_REPORTED)
def test_check_does_not_report(code: str, records: str) -> None:
    assert lines(f"{GROUP}{records}\n", code) == []


@pytest.mark.parametrize(
    "code, before, after",
    [
        ("CF601", "Sitemap: /a.xml", "Sitemap: https://example.com/a.xml"),
        ("CF601", "Sitemap: /a\nSitemap: https://example.com/a", "Sitemap: /a\nSitemap: https://example.com/a"),
        ("CF603", "Sitemap: /a\nSitemap: /a\nSitemap: /a", "Sitemap: /a"),
        ("CF604", "Crawl-delay: 10 seconds", "Crawl-delay: 10"),
        ("CF604", "Crawl-delay: 0,5", "Crawl-delay: 0.5"),
        ("CF604", "Crawl-delay: 90s", "Crawl-delay: 90s"),
        ("CF612", "Content-Signal: search=y,ai_train = n", "Content-Signal: search=yes,ai-train = no"),
        ("CF612", "Content-Signal: search=y, other=n", "Content-Signal: search=y, other=n"),
        ("CF612", "Content-Signal: /A\tsearch=y, ai_train=n", "Content-Signal: /A\tsearch=yes, ai-train=no"),
        ("CF613", "Content-Usage: /a ai-train=no", "Content-Usage: /a train-ai=n"),
        ("CF613", "Content-Usage: train-ai=no, ai-train=yes", "Content-Usage: train-ai=no, ai-train=yes"),
        ("CF614", "Content-Usage: /a genai=n, search=y", "Content-Usage: /a train-ai=n, search=y"),
        ("CF614", "Content-Usage: genai=n, train-ai=y", "Content-Usage: genai=n, train-ai=y"),
        ("CF614", "Content-Usage: bots=n", "Content-Usage: bots=n"),
    ],
)
def test_fix_rewrites_record(code: str, before: str, after: str) -> None:
    assert fixed(f"{GROUP}{before}\n", code) == f"{GROUP}{after}\n"


def test_lighthouse_profile_reports_invalid_sitemap_and_unknown_key() -> None:
    text = f"{GROUP}Sitemap: /a\nContent-Usage: train-ai=n\nCrawl-delay: x\nHost: example.com\n"
    found = Linter(severities="lighthouse", select=["CF6"]).lint(text.encode()).findings
    assert [finding.check.code for finding in found] == ["CF601", "CF619"]


@pytest.mark.parametrize(
    "text, code",
    [
        ("User\u2013agent: *", "CF220"),
        ("\u200bDisallow: /a", "CF220"),
        ("ACAP-crawler: *", "CF619"),
        ("Content-Signal /x", "CF201"),
        ("Crawl-delay 5", "CF201"),
        ("foo\0: bar", "CF220"),
        ("// x", "CF220"),
        ("{{ rules }}", "CF220"),
        ("Content-Signals: search=yes", "CF220"),
        ("Disallow: {{ x }}", "CF401"),
        ("Sitemap:", "CF601"),
        ("Disallow: /p/ // x", None),
        ("Disallow: /p/ ; note", None),
        ("Disallow: /p/ <!-- x -->", None),
        ("Crawl-delay:", None),
        ("Host:", None),
        ('User-agent: "X"', None),
        ("User-agent: {{x}}", None),
        ("NoIndex: *{{x}}", None),
        ("\u00a0Disallow: /a", None),
        ("License: https://example.com/license.xml", None),
    ],
)
def test_lighthouse_profile_reports_line_like_audit(text: str, code: str | None) -> None:
    report = Linter(severities="lighthouse").lint(f"{GROUP}{text}\n".encode())
    assert [finding.check.code for finding in report.findings] == ([] if code is None else [code])


def test_lighthouse_starts_no_group_at_empty_user_agent() -> None:
    report = Linter(severities="lighthouse").lint(b"User-agent:\nDisallow: /a\nUser-agent: b\nDisallow: /b\n")
    assert [(finding.check.code, finding.line) for finding in report.findings] == [("CF510", 1)]
    report = Linter(severities="lighthouse", ignore=["CF510"]).lint(report.file.content)
    assert [(finding.check.code, finding.line) for finding in report.findings] == [("CF220", 2)]


@pytest.mark.parametrize("status, codes", [(429, ["CF220"]), (403, []), (200, [])])
def test_lighthouse_reports_status_429(status: int, codes: list[str]) -> None:
    report = Linter(severities="lighthouse").lint(
        LintInput(f"{GROUP}".encode(), url=URL, delivery=example_delivery(status))
    )
    assert [finding.check.code for finding in report.findings] == codes


def test_google_blocks_paths_of_disallow_ai_training() -> None:
    found = Linter(select=["CF621"]).lint(b"User-agent: *\nDisallowAITraining: /\n").findings
    assert (
        found[0].effect() == "because of line 2, Googlebot may not fetch /; bingbot, YandexBot and other crawlers may"
    )


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0\0\xff\xff\n" * 9, (GROUP * 9).encode("utf-16-le")])
def test_lighthouse_reports_binary_file_once(content: bytes) -> None:
    report = Linter(severities="lighthouse").lint(content)
    assert [finding.check.code for finding in report.findings] == ["CF220"]


def test_a_pattern_of_sitemaps_is_not_completed_to_a_url() -> None:
    content = b"User-agent: *\nDisallow:\n\nSitemap: /*.xml\nSitemap: /a.xml\n"
    fixed = Linter().fix(LintInput(content, url="https://example.com/robots.txt"), unsafe=True, only=["CF601"]).content
    assert fixed == content.replace(b": /a.xml", b": https://example.com/a.xml")


@pytest.mark.parametrize("delay, pages", [("43.2", "2,000 pages"), ("86400", "1 page"), ("86401", "0 pages")])
def test_the_pages_of_a_day_are_those_of_the_decimal_delay(delay: str, pages: str) -> None:
    found = Linter(select=["CF605"]).lint(f"User-agent: bingbot\nCrawl-delay: {delay}\n".encode()).findings
    assert [finding.message() for finding in found] == [
        f"with a delay of {delay} seconds, a crawler can fetch only {pages} a day"
    ]
