"""Checks of lines: lines that they report, lines that they do not report, and fixes."""

import pytest

from canfetch.lint import Linter, LintInput

LINTER = Linter(severities="all", findings_limit=None)
HEAD = b"User-agent: *\nDisallow: /a/\n"


def codes(content: bytes) -> set[str]:
    return {finding.check.code for finding in LINTER.lint(content).findings}


@pytest.mark.parametrize(
    "code, line",
    [
        ("CF201", "Sitemap https://example.com/sitemap.xml"),
        ("CF201", "Disallow\t/x"),
        ("CF201", "Crawl-delay 5"),
        ("CF201", "Content-Signal /x"),
        ("CF201", "Host example.com"),
        ("CF201", "Noindex /x"),
        ("CF201", "License https://example.com/license.xml"),
        ("CF207", "License agreement"),
        ("CF207", "Comment here"),
        ("CF202", "Disalow: /x"),
        ("CF202", "Site-map: https://example.com/s.xml"),
        ("CF203", "Crawl delay: 5"),
        ("CF203", "Dsiallow: /x"),
        ("CF203", "Dissallw /x"),
        ("CF204", "Priority: high"),
        ("CF204", "ai_policy: none"),
        ("CF205", "DisallowTraining: /"),
        ("CF205", "User-agent-purpose: x"),
        ("CF205", "Sitemap_index: https://example.com/s.xml"),
        ("CF206", "Rechazar: /x"),
        ("CF206", "NO PERMITIR: /x"),
        ("CF206", "Agente de usuario: x"),
        ("CF206", "用户代理: x"),
        ("CF206", "사용자 에이전트: x"),
        ("CF206", "Запретить: /x"),
        ("CF206", "Nicht zulassen: /x"),
        ("CF207", "Hello world"),
        ("CF207", "Please mind these rules: all of them"),
        ("CF207", "https://example.com/sitemap.xml"),
        ("CF207", "Disallow"),
        ("CF208", "\tDisallow: /x"),
        ("CF208", " Sitemap: https://example.com/s.xml"),
        ("CF209", "Disallow : /x"),
        ("CF209", "Sitemap\t: https://example.com/s.xml"),
        ("CF210", "Disallow: /x#y"),
        ("CF210", "Allow: /#"),
        ("CF211", "Disallow\uff1a/x"),
        ("CF211", "Disallow = /x"),
        ("CF211", "Sitemap=https://example.com/s.xml"),
        ("CF211", "Disallow -> /x"),
        ("CF212", "Disallow: '/x'"),
        ("CF212", 'Sitemap: "https://example.com/s.xml"'),
        ("CF213", "Disallow: https://example.com/x"),
        ("CF213", "Allow: HTTP://example.com"),
        ("CF213", "Disallow: example.com/admin"),
        ("CF213", "Disallow: Shop.Example.CO:8080"),
        ("CF213", "Disallow: www.example.museum/tmp/"),
        ("CF213", "Disallow: example.com*"),
        ("CF213", "Disallow: myapp://open"),
        ("CF213", "Disallow: android-app://com.example/http/x"),
        ("CF214", "Disallow: /x /y /z"),
        ("CF214", "Disallow: /x, /y"),
        ("CF215", "// a comment"),
        ("CF215", "; a comment"),
        ("CF215", "<!-- a: comment -->"),
        ("CF215", "/* a comment */"),
        ("CF215", "Disallow: /x // why"),
        ("CF216", "Disallow: /x Allow: /y"),
        ("CF216", "User-agent: b Crawl-delay: 5"),
        ("CF216", "Disallow:/User-agent: b"),
        ("CF216", "Agente de usuario: * No permitir: /"),
        ("CF217", "* Disallow: /x"),
        ("CF217", "**Disallow**: /x"),
        ("CF217", "1. Disallow: /x"),
        ("CF218", "Disallow: /x y"),
        ("CF218", "Disallow: /x\ty/"),
        ("CF214", "Disallow: /x , /y"),
        ("CF214", "Sitemap: https://example.com/a.xml https://example.com/b.xml"),
        ("CF214", "Sitemap: https://example.com/a.xml,https://example.com/b.xml"),
        ("CF219", "Crawl-delay:"),
        ("CF219", "Host: # none"),
    ],
)
def test_reported(code: str, line: str) -> None:
    assert code in codes(HEAD + line.encode() + b"\n")


@pytest.mark.parametrize(
    "code, line",
    [
        ("CF201", "Disallow: /x"),
        ("CF201", "Follow me"),
        ("CF201", "Host it"),
        ("CF201", "License agreement"),
        ("CF201", "Crawl-delay: 5"),
        ("CF207", "Crawl-delay 5"),
        ("CF202", "DISALLOW: /x"),
        ("CF202", "Dissallw: /x"),
        ("CF203", "Disallow: /x"),
        ("CF203", "Note: x"),
        ("CF203", "Hosts: x"),
        ("CF204", "Content-Signal: search=yes"),
        ("CF204", "Noindex: /x"),
        ("CF204", "ACAP-crawler: *"),
        ("CF204", "Disallw: /x"),
        ("CF205", "Disallow: /x"),
        ("CF205", "Noallow: /x"),
        ("CF206", "Allow: /x"),
        ("CF206", "# Rechazar: /x"),
        ("CF207", "# Hello world"),
        ("CF207", "Priority: high"),
        ("CF207", "Disallow: /x hello world"),
        ("CF208", "Disallow: /x"),
        ("CF208", "  # a comment"),
        ("CF209", "Disallow: : /x"),
        ("CF209", "Disallow /x"),
        ("CF210", "Disallow: /x #y"),
        ("CF210", "Disallow: #y"),
        ("CF211", "Disallow: /x=y"),
        ("CF211", "a=b"),
        ("CF212", 'Disallow: /"x"'),
        ("CF212", "Disallow: ''"),
        ("CF213", "Disallow: /https://example.com/"),
        ("CF213", "Disallow: index.php/admin"),
        ("CF213", "Disallow: search.pl/a"),
        ("CF213", "Disallow: file.js"),
        ("CF213", "Disallow: com/a"),
        ("CF213", "Disallow: *.example.com/"),
        ("CF213", "Sitemap: https://example.com/x"),
        ("CF214", "Disallow: /x y"),
        ("CF214", "Sitemap: https://example.com/a,b.xml"),
        ("CF214", "Sitemap: https://example.com/a.xml b.xml"),
        ("CF214", "Disallow: /x ,"),
        ("CF214", "Disallow: /x,/y"),
        ("CF214", "Disallow: /x // why"),
        ("CF215", "Disallow: //x"),
        ("CF215", "Disallow: /x;y"),
        ("CF216", "Disallow: /x?y=allow:z"),
        ("CF216", "Disallow: /user-agents/a:b"),
        ("CF216", "Disallow: /sitemap:1"),
        ("CF216", "User-agent: nodisallow b:c"),
        ("CF216", "Disallow: /adisallow: b"),
        ("CF216", "Sitemap: https://example.com/s.xml"),
        ("CF217", "Disallow: /*"),
        ("CF217", "- a point"),
        ("CF218", "Disallow: /x%20y"),
        ("CF218", "Disallow: /x /y"),
        ("CF218", "Disallow: /x # y z"),
        ("CF219", "Disallow:"),
        ("CF219", "Crawl-delay: 5"),
    ],
)
def test_not_reported(code: str, line: str) -> None:
    assert code not in codes(HEAD + line.encode() + b"\n")


@pytest.mark.parametrize(
    "code, line, after",
    [
        ("CF201", "Sitemap https://example.com/s", "Sitemap: https://example.com/s"),
        ("CF201", "crawl-delay\t5 # s", "crawl-delay: 5 # s"),
        ("CF214", "Disallow: /x/ , /y/", "Disallow: /x/\nDisallow: /y/"),
        ("CF218", "Disallow: /x/ , /y/", "Disallow: /x/ , /y/"),
        ("CF214", "Sitemap: https://e.com/a, https://e.com/b", "Sitemap: https://e.com/a\nSitemap: https://e.com/b"),
        ("CF214", "Sitemap: http://e.com/a http://e.com/a", "Sitemap: http://e.com/a"),
        (
            "CF214",
            "Sitemap: http://a.b/ http://c.d/\nSitemap: http://a.b/",
            "Sitemap: http://a.b/ http://c.d/\nSitemap: http://a.b/",
        ),
        ("CF202", "useragent: x", "User-agent: x"),
        ("CF203", "Crawl_delay: 5", "Crawl-delay: 5"),
        ("CF205", "Disallows: /x", "Disallow: /x"),
        ("CF206", "Mapa del sitio: https://example.com/s", "Sitemap: https://example.com/s"),
        ("CF207", "  two words here", "  # two words here"),
        ("CF207", "/forgotten/", "/forgotten/"),
        ("CF209", "Disallow \t: /x", "Disallow: /x"),
        # A fix would open the path before the `#`.
        ("CF210", "Disallow: /#/admin", "Disallow: /#/admin"),
        ("CF210", "Disallow: /tag/#section", "Disallow: /tag/#section"),
        ("CF211", "Disallow \uff1a /x", "Disallow: /x"),
        ("CF212", "Disallow: `/x` # why", "Disallow: /x # why"),
        ("CF213", "Disallow: https://example.com/x", "Disallow: https://example.com/x"),
        ("CF214", "Disallow: /x, /y", "Disallow: /x\nDisallow: /y"),
        ("CF215", "; why", "# ; why"),
        ("CF215", "Disallow: /x // why", "Disallow: /x # // why"),
        ("CF216", "Disallow: /x Allow: /y", "Disallow: /x\nAllow: /y"),
        ("CF216", "User-agent: bDisallow: /xUser-agent: c", "User-agent: b\nDisallow: /x\n\nUser-agent: c"),
        ("CF216", "Disallow: /x User-agent: b", "Disallow: /x\n\nUser-agent: b"),
        ("CF216", "Disallow:/User-agent:b", "Disallow:/\n\nUser-agent:b"),
        ("CF217", "**Disallow:** /x", "Disallow: /x"),
        ("CF218", "Disallow: /a b", "Disallow: /a%20b"),
        ("CF218", "Disallow: / a b /", "Disallow: /a%20b/"),
        ("CF219", "Host:", None),
    ],
)
def test_fix(code: str, line: str, after: str | None) -> None:
    expected = HEAD if after is None else HEAD + after.encode() + b"\n"
    assert LINTER.fix(HEAD + line.encode() + b"\n", unsafe=True, only=[code]).content == expected


@pytest.mark.parametrize(
    "url, value, after",
    [
        ("https://example.com/robots.txt", b"http://EXAMPLE.com/x", b"/x"),
        ("https://example.com/robots.txt", b"https://example.com/", b"https://example.com/"),
        ("https://example.com/robots.txt", b"https://other.example/x", b"https://other.example/x"),
        ("https://example.com/robots.txt", b"example.com/admin", b"/admin"),
        ("https://shop.example.pl/robots.txt", b"Shop.example.pl/admin/", b"/admin/"),
        ("https://example.com/robots.txt", b"www.example.com/admin", b"www.example.com/admin"),
        ("https://example.com/robots.txt", b"example.com", b"example.com"),
        ("https://example.com/robots.txt", b"example.com?a", b"example.com?a"),
        ("https://example.com/robots.txt", b"android-app://example.com/admin", b"android-app://example.com/admin"),
    ],
)
def test_url_is_fixed_only_for_the_same_host(url: str, value: bytes, after: bytes) -> None:
    lint_input = LintInput(b"User-agent: *\nDisallow: " + value + b"\n", url=url)
    assert LINTER.fix(lint_input, unsafe=True, only=["CF213"]).content == b"User-agent: *\nDisallow: " + after + b"\n"


def test_key_prefix_applies_only_to_google() -> None:
    (found,) = Linter(select=["CF205"]).lint(b"User-agent: *\nDisallowAITraining: /x\n").findings
    assert [(verdict.crawler, verdict.allowed) for verdict in found.verdicts] == [
        ("Googlebot", False),
        ("bingbot", True),
        ("YandexBot", True),
        ("*", True),
    ]


@pytest.mark.slow
def test_lines_of_a_web_page_are_not_reported() -> None:
    page = b"<!DOCTYPE html>\n<html>\n  <style>a { b: c }</style>\n  <a href='x'>text</a>\n</html>\n"
    assert {code for code in codes(page) if code.startswith(("CF2", "CF3"))} == set()
