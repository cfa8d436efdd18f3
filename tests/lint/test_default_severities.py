"""The default severities: harm decides, search engines count only where a file names them, and good files pass."""

import pytest
from tests.lint.corpus import corpus_files

from canfetch.author.recipes import RECIPES, Recipe
from canfetch.lint import Linter, LintInput, Severity
from canfetch.lint.analysis.named_engines import named_engines
from canfetch.lint.configuration import LintSettings

DEFAULT = Linter(findings_limit=None)
ALL = Linter(severities="all", findings_limit=None)

WORDPRESS = """\
User-agent: *
Disallow: /wp-admin/
Allow: /wp-admin/admin-ajax.php

Sitemap: https://example.com/wp-sitemap.xml
"""
_SHOPIFY_RULES = """\
Disallow: /a/downloads/-/*
Disallow: /admin
Disallow: /cart
Disallow: /orders
Disallow: /checkouts/
Disallow: /checkout
Disallow: /1234567/checkouts
Disallow: /1234567/orders
Disallow: /carts
Disallow: /account
Disallow: /collections/*sort_by*
Disallow: /*/collections/*sort_by*
Disallow: /collections/*+*
Disallow: /collections/*%2B*
Disallow: /collections/*%2b*
Disallow: /*/collections/*+*
Disallow: /*/collections/*%2B*
Disallow: /*/collections/*%2b*
Disallow: */collections/*filter*&*filter*
Disallow: /blogs/*+*
Disallow: /blogs/*%2B*
Disallow: /blogs/*%2b*
Disallow: /*/blogs/*+*
Disallow: /*/blogs/*%2B*
Disallow: /*/blogs/*%2b*
Disallow: /*?*oseid=*
Disallow: /*preview_theme_id*
Disallow: /*preview_script_id*
Disallow: /policies/
Disallow: /*/*?*ls=*&ls=*
Disallow: /*/*?*ls%3D*%3Fls%3D*
Disallow: /*/*?*ls%3d*%3fls%3d*
Disallow: /search
Disallow: /sf_private_access_tokens
Disallow: /apple-app-site-association
Disallow: /.well-known/shopify/monorail
Disallow: /cdn/wpm/*.js
Disallow: /recommendations/products
"""
_SHOPIFY_ADS = "".join(f"Disallow: /{path}\n" for path in ("checkouts/", "checkout", "carts", "orders"))
_SITEMAP = "Sitemap: https://shop.example.com/sitemap.xml\n"
SHOPIFY = f"""\
# we use Shopify as our ecommerce platform

User-agent: *
{_SHOPIFY_RULES}{_SITEMAP}
# Google adsbot ignores robots.txt unless specifically named!
User-agent: adsbot-google
{_SHOPIFY_ADS}
User-agent: Nutch
Disallow: /

User-agent: AhrefsBot
Crawl-delay: 10
{_SHOPIFY_RULES}{_SITEMAP}
User-agent: AhrefsSiteAudit
Crawl-delay: 10
{_SHOPIFY_RULES}{_SITEMAP}
User-agent: MJ12bot
Crawl-Delay: 10

User-agent: Pinterest
Crawl-delay: 1
"""

_DRUPAL_FILES = "".join(
    f"Disallow: /{name}\n"
    for name in (
        "CHANGELOG.txt",
        "cron.php",
        "INSTALL.mysql.txt",
        "install.php",
        "LICENSE.txt",
        "update.php",
        "xmlrpc.php",
    )
)
_DRUPAL_PATHS = "".join(
    f"Disallow: {start}{path}/\n"
    for start in ("/", "/?q=")
    for path in ("admin", "comment/reply", "filter/tips", "node/add", "search", "user/register", "user/password")
)
DRUPAL_7 = f"""\
User-agent: *
Crawl-delay: 10
# Directories
Disallow: /includes/
Disallow: /misc/
Disallow: /modules/
Disallow: /profiles/
Disallow: /scripts/
Disallow: /themes/
# Files
{_DRUPAL_FILES}# Paths
{_DRUPAL_PATHS}"""
_DRUPAL_ALLOWED = "".join(
    f"Allow: /core/*.{end}\n" for end in ("css$", "css?", "js$", "js?", "gif", "jpg", "png", "svg")
)
DRUPAL_10 = f"""\
User-agent: *
# CSS, JS, Images
{_DRUPAL_ALLOWED}# Directories
Disallow: /core/
Disallow: /profiles/
# Files
Disallow: /README.md
Disallow: /web.config
# Paths
{_DRUPAL_PATHS}"""
SHAREPOINT = """\
User-agent: *
Disallow: /_layouts/
Disallow: /_vti_bin/
Disallow: /_catalogs/

Sitemap: https://example.com/sitemap.xml
"""
_DEFAULT_FILES = {
    "WordPress": WORDPRESS,
    "Shopify": SHOPIFY,
    "Drupal 7": DRUPAL_7,
    "Drupal 10": DRUPAL_10,
    "SharePoint": SHAREPOINT,
}


def serious(content: bytes) -> list[str]:
    findings = DEFAULT.lint(content).findings
    return [f"{one!r}: {one.message()}" for one in findings if one.severity >= LintSettings().fail_on]


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=lambda recipe: recipe.name)
def test_recipes_pass(recipe: Recipe) -> None:
    arguments = {parameter.name: parameter.example for parameter in recipe.parameters}
    assert serious(recipe.draft(**arguments).render()) == []


@pytest.mark.parametrize("content", _DEFAULT_FILES.values(), ids=list(_DEFAULT_FILES))
def test_default_files_of_platforms_pass(content: str) -> None:
    assert serious(content.encode()) == []


@pytest.mark.parametrize(
    "content, severity",
    [
        ("User-agent: *\nDisallow: /\n", Severity.ERROR),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /a/\n", Severity.INFO),
        ("User-agent: *\nDisallow: /über-uns/\n", Severity.INFO),
        ("User-agent: *\nDisallow: /{id}/\n", Severity.WARNING),
        ("User-agent: *\nDisallow: /a/\n\nUser-agent: FooBot\n", Severity.WARNING),
        ("User-agent: *\nDisallow:\n\nUser-agent: FooBot\n", Severity.INFO),
        ("User-agent: *\nCrawl-delay: 5\n", Severity.INFO),
        ("User-agent: *\nCrawl-delay: 5\n\nUser-agent: FooBot\nDisallow: /a/\n", Severity.ERROR),
        ("User-agent: FooBot\nCrawl-delay: 5\n\nUser-agent: *\nDisallow: /a/\n", Severity.INFO),
        ("User-agent: wget/1.6\nDisallow: /\n", Severity.INFO),
        ("User-agent: Mozilla/4.0 (compatible; FooBot)\nDisallow: /\n", Severity.ERROR),
        ("User-agent: Mediapartners-Google*\nDisallow: /a/\n", Severity.INFO),
        ("User-agent: foo*\nDisallow: /a/\n", Severity.INFO),
        ("User-agent: goog*\nDisallow: /a/\n", Severity.ERROR),
        ("User-agent: *\nDisallow: /a/\nNoindex: /b/\n", Severity.WARNING),
        ("User-agent: *\nDisallow: /a/\nNoindex: /a/\n", Severity.INFO),
        ("User-agent: *\nDisallow: /js/\n", Severity.WARNING),
    ],
)
def test_severity_matches_harm(content: str, severity: Severity) -> None:
    assert max(finding.severity for finding in DEFAULT.lint(content.encode()).findings) is severity


_STAR = "User-agent: *\nDisallow: /a/\n\n"
_LONG = "User-agent: *\n" + "".join(f"Disallow: /{number}/\n" for number in range(8)) + "\n"
# What looks similar and does harm, and what does not. The severity is that of the most severe finding of the check.
HARM = [
    ("CF703", "User-agent: *\nDisallow: /wp-includes/\n", Severity.WARNING),
    ("CF703", "User-agent: *\nDisallow: /assets/\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /assets*\nDisallow: /privateassets/\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /assets/js\n", Severity.WARNING),
    ("CF703", "User-agent: *\nDisallow: /assets/\nAllow: /assets/logo.png\n", Severity.WARNING),
    ("CF703", "User-agent: *\nDisallow: /static/\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /static/\nDisallow: /checkout/\n", Severity.WARNING),
    ("CF703", "User-agent: *\nDisallow: /deals/js/\n", Severity.WARNING),
    ("CF703", "User-agent: *\nDisallow: /deals/js/\nAllow: /deals/js/*.css\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /sites/default/files/\n", Severity.WARNING),
    ("CF703", "User-agent: *\nDisallow: /misc/\nDisallow: /modules/\nDisallow: /node/add/\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /core/\nDisallow: /node/add/\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /modules/*.css\nDisallow: /node/add/\n", Severity.WARNING),
    ("CF703", "User-agent: *\nDisallow: /_layouts/\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /WebResource.axd\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /wp-content/cache/\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /dist/\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /dist/css/\n", Severity.WARNING),
    ("CF703", "User-agent: *\nDisallow: /scripts/\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /static/\nAllow: /static/css/\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /static/\nAllow: /static/press/\n", Severity.WARNING),
    ("CF703", "User-agent: *\nDisallow: /static/\nAllow: /*.js\n", Severity.WARNING),
    ("CF703", "User-agent: *\nDisallow: /\n" + "".join(f"Allow: /{page}$\n" for page in "abcdef"), Severity.INFO),
    ("CF701", "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /a\n", Severity.INFO),
    ("CF701", "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /$\nDisallow: /\n", Severity.ERROR),
    ("CF701", "User-agent: Yeti\nAllow: /\n\nUser-agent: *\nDisallow: /\n", Severity.INFO),
    ("CF701", "User-agent: msnbot\nAllow: /\n\nUser-agent: *\nDisallow: /\n", Severity.INFO),
    # No search engine may fetch anything.
    ("CF701", "User-agent: SemrushBot\nAllow: /\n\nUser-agent: *\nDisallow: /\n", Severity.ERROR),
    ("CF701", "User-agent: GPTBot\nAllow: /\n\nUser-agent: *\nDisallow: /\n", Severity.ERROR),
    ("CF701", "User-agent: AdsBot-Google\nAllow: /\n\nUser-agent: *\nDisallow: /\n", Severity.ERROR),
    (
        "CF701",
        "User-agent: FooBot\nAllow: /\n\nUser-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow: /\n",
        Severity.ERROR,
    ),
    ("CF710", "User-agent: GPTBot\nAllow: /\n\nUser-agent: *\nAllow: /$\nDisallow: /\n", Severity.ERROR),
    ("CF710", "User-agent: bingbot\nAllow: /\n\nUser-agent: *\nAllow: /$\nDisallow: /\n", Severity.INFO),
    ("CF307", _LONG + "User-agent: Googlebot\nDisallow: /0/\nDisallow: /x/\n", Severity.WARNING),
    ("CF307", _LONG + "User-agent: bingbot\nDisallow: /0/\nDisallow: /1/\n", Severity.WARNING),
    ("CF307", _LONG + "User-agent: bingbot\nDisallow: /0/\nDisallow: /1/\nDisallow: /2/\n", Severity.INFO),
    ("CF307", _LONG + "User-agent: bingbot\nDisallow: /0/\nAllow: /1/\nAllow: /2/\n", Severity.WARNING),
    ("CF307", _LONG + "User-agent: Googlebot\nDisallow: /0/\n" + _LONG[14:].replace("/\n", "/y/\n"), Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: /\nAllow: /blog/\n", Severity.WARNING),
    ("CF703", "User-agent: *\nDisallow: /\nAllow: /blog/\nAllow: /static/\n", Severity.INFO),
    ("CF703", "User-agent: *\nDisallow: *=\n", Severity.WARNING),
    ("CF703", "User-agent: *\nDisallow: *=\nAllow: *page=\n", Severity.INFO),
    ("CF308", "User-agent: FooBot\nCrawl-delay: 5\n\nUser-agent: BarBot\nDisallow: /\n", Severity.ERROR),
    ("CF308", "User-agent: FooBot\nCrawl-delay: 5\n\nUser-agent: BarBot\nDisallow:\n", Severity.INFO),
    ("CF308", "User-agent: FooBot\nCrawl-delay: 5\n\nUser-agent: BarBot\nAllow: /\n", Severity.INFO),
    ("CF308", "User-agent: *\nCrawl-delay: 5\n\nUser-agent: *\nDisallow: /a/\n", Severity.INFO),
    ("CF308", "User-agent: *\nCrawl-delay: 5\n\nUser-agent: BarBot\nDisallow: /a/\n", Severity.ERROR),
    ("CF314", "User-agent: *\nAllow: /catalogue/\n", Severity.WARNING),
    ("CF314", "User-agent: *\nAllow: /*.css$\nAllow: /*.js$\n", Severity.INFO),
    ("CF314", _STAR + "User-agent: Googlebot\nAllow: /amp/\n", Severity.WARNING),
    ("CF314", _STAR + "User-agent: GPTBot\nAllow: /blog/\n", Severity.WARNING),
    ("CF314", _STAR + "User-agent: Twitterbot\nAllow: /images/\n", Severity.INFO),
    ("CF314", _STAR + "User-agent: AdsBot-Google\nAllow: /landing/\n", Severity.INFO),
    ("CF302", _STAR + "User-agent: bingbot\nCrawl-delay: 5\n", Severity.WARNING),
    ("CF302", _STAR + "User-agent: msnbot\nCrawl-delay: 5\n", Severity.WARNING),
    ("CF302", _STAR + "User-agent: bingbot\nDisallow: /a/\n\nUser-agent: msnbot\nCrawl-delay: 5\n", Severity.INFO),
    ("CF302", _STAR + "User-agent: Mediapartners-Google\nCrawl-delay: 5\n", Severity.INFO),
    ("CF305", "User-agent: *\nDisallow: /a/\n\nDisallow: /b/\nClean-param: x\n", Severity.WARNING),
    ("CF305", "User-agent: *\nDisallow: /a/\n\nDisallow: /b/\n\nUser-agent: Yandex\nDisallow: /c/\n", Severity.INFO),
    (
        "CF305",
        "User-agent: *\nDisallow: /a/\n\nDisallow: /b/\n\nUser-agent: YandexImages\nDisallow: /\n",
        Severity.WARNING,
    ),
    ("CF305", "User-agent: Yandex\nDisallow: /a/\n\nDisallow: /b/\n", Severity.WARNING),
    ("CF411", "User-agent: *\nAllow: *\n", Severity.INFO),
    ("CF404", "User-agent: *\nDisallow: /**/a/\n", Severity.INFO),
    ("CF420", "User-agent: *\nDisallow: /a*$\n", Severity.INFO),
    ("CF422", "User-agent: *\nDisallow: /*?\n", Severity.WARNING),
    ("CF422", "User-agent: Googlebot\nDisallow: /*?\n", Severity.WARNING),
    ("CF422", "User-agent: AhrefsBot\nDisallow: /*?\n", Severity.INFO),
    ("CF422", "User-agent: *\nDisallow: /*?\nAllow: /*.css$\n", Severity.INFO),
    # Scripts and styles with a version stay blocked.
    ("CF422", "User-agent: *\nDisallow: /*?\nAllow: /*?page=\n", Severity.WARNING),
    ("CF422", "User-agent: *\nDisallow: /*?\nAllow: /press/\n", Severity.WARNING),
    ("CF423", "User-agent: *\nDisallow: //private/\n", Severity.WARNING),
    ("CF423", "User-agent: *\nDisallow: /private/\nDisallow: //private/\n", Severity.INFO),
    ("CF423", "User-agent: *\nDisallow: //\n", Severity.WARNING),
    ("CF423", "User-agent: *\nDisallow: //\nDisallow: /private/\n", Severity.INFO),
    ("CF425", "User-agent: *\nDisallow: /*js$\n", Severity.WARNING),
    ("CF425", "User-agent: *\nDisallow: /*pdf$\n", Severity.INFO),
    ("CF402", "User-agent: *\nDisallow: /*.pdf$/\n", Severity.WARNING),
    ("CF402", "User-agent: *\nDisallow: /*.pdf$old\n", Severity.WARNING),
    ("CF402", "User-agent: *\nDisallow: /phones/$30-plan\n", Severity.INFO),
    ("CF410", "User-agent: *\nDisallow: /50%-off/\n", Severity.WARNING),
    ("CF410", "User-agent: *\nDisallow: /50%$\n", Severity.WARNING),
    ("CF410", "User-agent: *\nDisallow: /*url=http%*\n", Severity.INFO),
    ("CF410", "User-agent: *\nDisallow: /%\n", Severity.INFO),
    ("CF210", "User-agent: *\nDisallow: /a#b\n", Severity.WARNING),
    ("CF210", "User-agent: *\nDisallow: /a#b\nDisallow: /a#c\n", Severity.WARNING),
    ("CF210", "User-agent: *\nDisallow: /a#b\nDisallow: /a\n", Severity.INFO),
    ("CF218", "User-agent: *\nDisallow: /my files/\n", Severity.WARNING),
    ("CF218", "User-agent: *\nDisallow: /my files/\nDisallow: /my%20files/\n", Severity.INFO),
    ("CF218", "User-agent: *\nDisallow: /my files/\nAllow: /my%20files/\n", Severity.WARNING),
    ("CF409", "User-agent: *\nDisallow: /{id}/\nDisallow: /%7Bid%7D/\n", Severity.INFO),
    ("CF409", "User-agent: *\nDisallow: /*?type=é\n", Severity.INFO),
    ("CF605", "User-agent: *\nCrawl-delay: 120\nDisallow: /a/\n", Severity.WARNING),
    ("CF605", "User-agent: bingbot\nCrawl-delay: 120\nDisallow: /a/\n", Severity.WARNING),
    ("CF605", "User-agent: MJ12bot\nCrawl-delay: 120\nDisallow: /a/\n", Severity.INFO),
    (
        "CF605",
        "User-agent: *\nCrawl-delay: 120\nDisallow: /a/\n\nUser-agent: bingbot\nDisallow: /a/\n",
        Severity.INFO,
    ),
    ("CF303", "User-agent: bingbot\nDisallow: /a/\n\nUser-agent: bingbot\nDisallow: /b/\n", Severity.WARNING),
    ("CF303", "User-agent: bingbot\nDisallow: /a/\n\nUser-agent: bingbot\nDisallow:\n", Severity.INFO),
    ("CF303", "User-agent: Googlebot\nDisallow: /a/\n\nUser-agent: Googlebot\nDisallow: /b/\n", Severity.INFO),
    ("CF218", "User-agent: *\nDisallow: /my files/\nDisallow: /my\n", Severity.INFO),
    ("CF218", "User-agent: *\nAllow: /my files/\n", Severity.INFO),
    ("CF218", "User-agent: *\nDisallow: /my\nAllow: /my files/\n", Severity.WARNING),
    ("CF201", "User-agent: *\nAllow /a/\n", Severity.INFO),
    ("CF201", "User-agent: *\nDisallow: /\nAllow /a/\n", Severity.ERROR),
    ("CF510", "User-agent:\nDisallow:\n", Severity.INFO),
    ("CF510", "User-agent:\nDisallow: /a/\n", Severity.ERROR),
    ("CF423", "User-agent: FooBot\nDisallow: /\nDisallow: //a\n", Severity.INFO),
    ("CF107", b"User-agent: *\nDisallow: /a/  # caf\xe9\n", Severity.INFO),
    ("CF107", b"User-agent: *\nDisallow: /caf\xe9/\n", Severity.ERROR),
    ("CF301", "Disallow: /a/\n\nUser-agent: FooBot\nDisallow: /\n", Severity.ERROR),
    ("CF301", "Allow: /\n\nUser-agent: FooBot\nDisallow: /\n", Severity.INFO),
    ("CF511", "User-agent: baidu\nDisallow: /\n", Severity.WARNING),
    ("CF511", "User-agent: baidu\nUser-agent: Baiduspider\nDisallow: /\n", Severity.INFO),
    ("CF611", "User-agent: *\nDisallow: /a/\nNoindex: /b/\n", Severity.WARNING),
    ("CF611", "User-agent: *\nDisallow: /a/\nNoindex: /a/b/\n", Severity.INFO),
]


@pytest.mark.parametrize("code, content, severity", HARM)
def test_harm_decides_the_severity_of_a_check(code: str, content: str | bytes, severity: Severity) -> None:
    file = content.encode() if isinstance(content, str) else content
    found = [finding.severity for finding in DEFAULT.lint(file).findings if finding.check.code == code]
    assert found
    assert max(found) is severity


def test_lighthouse_reports_a_line_wherever_it_is() -> None:
    content = b"User-agent: *\nDisallow: /phones/$30-plan\n"
    for name, severity in (("lighthouse", Severity.ERROR), ("google", Severity.INFO)):
        (finding,) = Linter(select=["CF402"], severities=name).lint(content).findings
        assert finding.severity is severity


def test_invisible_character_explains_the_other_findings_on_its_line() -> None:
    content = "User-agent: *\nDisallow: /a/ \u200e\nSitemap: \u00a0https://example.com/sitemap.xml\n"
    assert [(one.line, one.check.code) for one in DEFAULT.lint(content.encode()).findings] == [
        (2, "CF112"),
        (3, "CF112"),
    ]


def test_group_without_rules_names_the_search_engine() -> None:
    content = b"User-agent: *\nDisallow: /a/\n\nUser-agent: bingbot\nUser-agent: FooBot\nCrawl-delay: 5\n"
    (finding,) = [one for one in DEFAULT.lint(content).findings if one.check.code == "CF302"]
    assert finding.line == 4
    assert "`bingbot, FooBot`" in finding.message()


def test_html_page_has_one_finding() -> None:
    content = b"\xef\xbb\xbf<!DOCTYPE html>\n<script>\n/* License: MIT */\n License: none\n</script>\n"
    assert [one.check.code for one in ALL.lint(content).findings] == ["CF108"]


@pytest.mark.parametrize("line_end", [b"\n", b""])
@pytest.mark.parametrize("count", [18_500, 20_000])
def test_size_of_an_html_page_is_not_a_finding(count: int, line_end: bytes) -> None:
    content = b"<!DOCTYPE html>" + line_end + (b"<p>some text of a page</p>" + line_end) * count
    assert [one.check.code for one in ALL.lint(content).findings] == ["CF108"]


def test_star_that_runs_into_a_group_is_one_finding() -> None:
    content = b"User-agent: *\nSitemap: https://example.com/sitemap.xml\n\nUser-agent: FooBot\nDisallow: /\n"
    assert [one.check.code for one in DEFAULT.lint(content).findings if one.severity > Severity.INFO] == ["CF313"]


@pytest.mark.parametrize("key", ["Noindex", "Disallow"])
def test_placeholders_in_blocked_paths_are_deliberate(key: str) -> None:
    content = f"User-agent: *\n{key}: *{{{{ url }}}}*\n"
    assert "CF117" not in {one.check.code for one in DEFAULT.lint(content.encode()).findings}
    unfilled = f"User-agent: *\n{key}: {{{{ url }}}}\n"
    assert "CF117" in {one.check.code for one in DEFAULT.lint(unfilled.encode()).findings}


@pytest.mark.parametrize(
    "content, engines",
    [
        ("User-agent: *\nDisallow: /\n", set()),
        ("User-agent: FooBot\nHost: example.com\nDisallow: /\n", set()),
        ("User-agent: AdsBot-Google\nDisallow: /\n", {"google"}),
        ("User-agent: googlebot-unheard-of\nDisallow: /\n", {"google"}),
        ("User-agent: bingbot\nUser-agent: YandexFoo\nDisallow: /\n", {"bing", "yandex"}),
        ("User-agent: *\nClean-param: a /b\nDisallow: /\n", {"yandex"}),
    ],
)
def test_engines_are_named_by_groups_and_records(content: str, engines: set[str]) -> None:
    assert named_engines(DEFAULT.lint(content.encode()).file) == engines


@pytest.mark.slow
def test_default_set_has_only_the_severities_of_rfc_and_named_engines() -> None:
    for name, content in corpus_files(generated=60):
        report = DEFAULT.lint(LintInput(content))
        engines = named_engines(report.file)
        everything = {(one.check.code, one.span): one.severity for one in ALL.lint(LintInput(content)).findings}
        for finding in report.findings:
            highest = finding.check.severities.in_set("default", engines)
            if finding.check.name != "unused-suppression":
                assert (finding.check.code, finding.span) in everything, name
                assert finding.severity <= everything[finding.check.code, finding.span], name
            assert highest is not None, name
            assert finding.severity in {highest, Severity.INFO}, name


@pytest.mark.slow
def test_override_wins_over_a_harmless_place() -> None:
    linter = Linter(severity_overrides={"group-without-rules": Severity.ERROR}, select=["group-without-rules"])
    (finding,) = linter.lint(b"User-agent: *\nCrawl-delay: 5\n").findings
    assert finding.severity is Severity.ERROR
