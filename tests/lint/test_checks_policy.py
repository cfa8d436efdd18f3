"""Checks of what a file allows and disallows."""

import pytest

from canfetch.lint import CHECKS, Linter, LintInput, SitePage
from canfetch.lint.catalogue import LANGUAGES, load_catalogue
from canfetch.pages.page_rules import parse_page

URL = "https://example.com/robots.txt"
NOINDEX = parse_page(headers=[("X-Robots-Tag", "noindex")])
BING_NOINDEX = parse_page(headers=[("X-Robots-Tag", "bingbot: noindex")])


def lines(text: str, code: str, *pages: SitePage, url: str | None = URL) -> list[int]:
    given = LintInput(text.encode(), url=url, pages=pages)
    return [finding.line for finding in Linter(select=[code], findings_limit=None).lint(given).findings]


REPORTED = [
    ("CF701", "User-agent: *\nDisallow: /"),
    ("CF701", "User-agent: *\nDisallow: /*\nDisallow: /a"),
    ("CF701", "User-agent: a\nUser-agent: *\nDisallow: /"),
    ("CF702", "User-agent: bingbot\nDisallow: /"),
    ("CF702", "User-agent: Yandex\nDisallow: /"),
    ("CF702", "User-agent: YandexBot\nDisallow: /\nUser-agent: Yandex\nDisallow:"),
    ("CF702", "User-agent: *\nDisallow: /\nAllow: /a\nUser-agent: googlebot\nDisallow: *"),
    ("CF703", "User-agent: *\nDisallow: /*.css$"),
    ("CF703", "User-agent: Googlebot\nDisallow: /assets/js/"),
    ("CF703", "User-agent: *\nDisallow: *.js"),
    ("CF703", "User-agent: *\nDisallow: /wp-includes/\nAllow: /wp-includes/*.js"),
    ("CF703", "User-agent: *\nDisallow: /wp-includes/\nAllow: /wp-includes/*.js$\nAllow: /wp-includes/*.css$"),
    ("CF703", "User-agent: *\nDisallow: /_next/"),
    ("CF703", "User-agent: *\nDisallow: /typo3conf/"),
    ("CF703", "User-agent: *\nDisallow: /misc/\nDisallow: /user/register"),
    ("CF703", "User-agent: *\nDisallow: /administrator/\nDisallow: /media/"),
    ("CF703", "User-agent: *\nDisallow: /sites/all/"),
    ("CF703", "User-agent: *\nDisallow: /?*=\nDisallow: *?v="),
    # Only Google's parser reads these keys.
    ("CF703", "User-agent: *\nDisallow-: /wp-includes/"),
    ("CF703", "User-agent: *\nDisallow\u200b: /wp-includes/"),
    ("CF703", "User-agent-: *\nDisallow: /wp-includes/"),
    ("CF703", "User-agent: *\nDisallow: /a/\nDisallow*: /wp-includes/"),
    ("CF707", "User-agent: *\nDisallow-: /$"),
    ("CF704", "User-agent: *\nDisallow: /a\nSitemap: https://example.com/a.xml"),
    ("CF704", "User-agent: Googlebot\nDisallow: /*.xml$\nSitemap: /a.xml"),
    ("CF705", "User-agent: *\nDisallow: /.git/"),
    ("CF705", "User-agent: *\nDisallow: /db/dump.sql"),
    ("CF705", "User-agent: *\nDisallow: /Secret"),
    ("CF707", "User-agent: *\nDisallow: /$"),
    ("CF707", "User-agent: bingbot\nDisallow: /$\nAllow: /a"),
    ("CF707", "User-agent: *\nDisallow: /$\nDisallow: *\nAllow: /"),
    ("CF707", "User-agent: *\nDisallow: /$\nDisallow: /$"),
    ("CF708", "Sitemap: https://www.example.com/a.xml"),
    ("CF708", "Sitemap: https://example.com:8443/a.xml"),
]
NOT_REPORTED = [
    ("CF701", "User-agent: *\nDisallow: /\nAllow: /a"),
    ("CF701", "User-agent: a\nDisallow: /"),
    ("CF701", "User-agent: *\nDisallow: /$"),
    ("CF702", "User-agent: *\nDisallow: /\nUser-agent: bingbot\nDisallow: /"),
    ("CF702", "User-agent: GPTBot\nDisallow: /"),
    ("CF702", "User-agent: YandexBot\nCrawl-delay: 10\n\nUser-agent: FooBot\nDisallow: /"),
    ("CF702", "User-agent: Yandex\nDisallow: /\nUser-agent: YandexBot\nDisallow:"),
    ("CF703", "User-agent: *\nDisallow: /wp-includes/\nAllow: /wp-includes/*.js\nAllow: /wp-includes/*.css"),
    ("CF703", "User-agent: *\nDisallow: /media/\nDisallow: /misc/\nDisallow: /themes/\nDisallow: /maps/js/map.js"),
    ("CF703", "User-agent: *\nDisallow: /scripts/\nDisallow: /user/register"),
    ("CF703", "User-agent: *\nDisallow: /a\nDisallow: /_*\nDisallow: /java"),
    ("CF703", "User-agent: *\nDisallow: /\nAllow: /ads.txt"),
    ("CF703", "User-agent: *\nDisallow: /*.json\nDisallow: /images/"),
    ("CF703", "User-agent: *\nDisallow: /js/\nUser-agent: Googlebot\nDisallow: /a"),
    ("CF704", "User-agent: *\nDisallow: /a\nSitemap: https://other.example/a.xml"),
    ("CF704", "User-agent: *\nDisallow: /\nSitemap: https://example.com/a.xml"),
    ("CF704", "User-agent: *\nDisallow: /a/\nSitemap: https://example.com/a.xml"),
    ("CF705", "User-agent: *\nDisallow: /wp-admin/"),
    ("CF705", "User-agent: *\nDisallow: /*.sql$"),
    ("CF705", "User-agent: *\nAllow: /backup/"),
    ("CF707", "User-agent: *\nDisallow: /"),
    ("CF707", "User-agent: *\nDisallow: /?"),
    # Removing `/$` does not open the home page.
    ("CF707", "User-agent: *\nDisallow: *\nDisallow: /$\nAllow: /a"),
    ("CF708", "Sitemap: https://EXAMPLE.com:443/a.xml"),
    ("CF708", "Sitemap: /a.xml"),
]


@pytest.mark.parametrize("code, text", REPORTED)
def test_check_reports(code: str, text: str) -> None:
    assert lines(f"{text}\n", code)


@pytest.mark.parametrize("code, text", NOT_REPORTED)
def test_check_does_not_report(code: str, text: str) -> None:
    assert lines(f"{text}\n", code) == []


def test_each_rule_that_blocks_scripts_or_styles_is_reported() -> None:
    folder, types = "Disallow: /assets/", "Disallow: /assets/*.css\nDisallow: /assets/*.js"
    # The longer rules decide each of the usual URLs.
    assert lines(f"User-agent: *\n{folder}\n{types}\n", "CF703") == [2, 3, 4]
    # An exception that is longer than the folder leaves only the rule that is longer still.
    opened = "Allow: /assets/*.c\nAllow: /assets/*.j\nAllow: /assets/app"
    assert lines(f"User-agent: *\n{folder}\n{types}\n{opened}\n", "CF703") == [3, 4]
    # In a list of more than a thousand rules, only those that decide are reported.
    others = "".join(f"Disallow: /page{number}\n" for number in range(1000))
    assert lines(f"User-agent: *\n{folder}\n{types}\n{others}", "CF703") == [3, 4]


def test_the_effect_of_a_rule_that_blocks_scripts_is_that_of_its_own_line() -> None:
    file = LintInput(b"User-agent: *\nDisallow: /assets/\nDisallow: /assets/*.css\nDisallow: /assets/*.js\n")
    findings = Linter(select=["CF703"]).lint(file).findings
    assert [finding.effect().partition(",")[0] for finding in findings] == [
        "",
        "because of line 3",
        "because of line 4",
    ]


def test_site_of_sitemaps_is_used_if_url_is_unknown() -> None:
    rules = "User-agent: *\nDisallow: /a\nSitemap: https://example.com/a.xml\n"
    assert lines(rules, "CF704", url=None) == [3]
    (assumed,) = Linter(select=["CF704"]).lint(rules.encode()).findings
    assert assumed.message().startswith("if this file is for the host of `https://example.com/a.xml`, `/a` on line 2")
    (known,) = Linter(select=["CF704"]).lint(LintInput(rules.encode(), url=URL)).findings
    assert known.message().startswith("`/a` on line 2")
    assert lines(f"{rules}Sitemap: https://other.example/b.xml\n", "CF704", url=None) == []
    assert lines(rules, "CF708", url=None) == []


@pytest.mark.parametrize(
    "text, page, found",
    [
        ("User-agent: *\nDisallow: /a", SitePage("https://example.com/a", NOINDEX), [2]),
        ("User-agent: bingbot\nDisallow: /a", SitePage("https://example.com/a", BING_NOINDEX), [2]),
        ("User-agent: Googlebot\nDisallow: /a", SitePage("https://example.com/a", BING_NOINDEX), []),
        ("User-agent: *\nDisallow: /a", SitePage("https://example.com/b", NOINDEX), []),
        ("User-agent: *\nDisallow: /a", SitePage("https://other.example/a", NOINDEX), []),
        ("User-agent: *\nDisallow: /a", SitePage("https://example.com/a", parse_page()), []),
        ("User-agent: *\nDisallow: /a", SitePage("no URL", NOINDEX), []),
    ],
)
def test_hidden_noindex(text: str, page: SitePage, found: list[int]) -> None:
    assert lines(f"{text}\n", "CF706", page) == found


@pytest.mark.parametrize("language", LANGUAGES)
def test_google2019_no_text_promises_that_blocked_urls_leave_search_results(language: str) -> None:
    catalogue = load_catalogue(language)
    promises = ("disappear", "verschwind", "desaparec", "sparisc", "sparire", "消え", "사라")
    assert [check.code for check in CHECKS if any(word in catalogue.texts(check).why for word in promises)] == []
