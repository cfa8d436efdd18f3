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


def serious(content: bytes) -> list[str]:
    findings = DEFAULT.lint(content).findings
    return [f"{one!r}: {one.message()}" for one in findings if one.severity >= LintSettings().fail_on]


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=lambda recipe: recipe.name)
def test_recipes_pass(recipe: Recipe) -> None:
    arguments = {parameter.name: parameter.example for parameter in recipe.parameters}
    assert serious(recipe.draft(**arguments).render()) == []


@pytest.mark.parametrize("content", [WORDPRESS, SHOPIFY], ids=["WordPress", "Shopify"])
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
        ("User-agent: foo*\nDisallow: /a/\n", Severity.ERROR),
        ("User-agent: *\nDisallow: /a/\nNoindex: /b/\n", Severity.WARNING),
        ("User-agent: *\nDisallow: /a/\nNoindex: /a/\n", Severity.INFO),
        ("User-agent: *\nDisallow: /js/\n", Severity.WARNING),
    ],
)
def test_severity_matches_harm(content: str, severity: Severity) -> None:
    assert max(finding.severity for finding in DEFAULT.lint(content.encode()).findings) is severity


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


def test_override_wins_over_a_harmless_place() -> None:
    linter = Linter(severity_overrides={"group-without-rules": Severity.ERROR}, select=["group-without-rules"])
    (finding,) = linter.lint(b"User-agent: *\nCrawl-delay: 5\n").findings
    assert finding.severity is Severity.ERROR
