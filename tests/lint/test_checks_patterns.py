"""Checks of patterns: what must be found, and what must not."""

import pytest

from canfetch.core.equivalence import differing_profiles
from canfetch.lint import Given, Linter, SeenPage, Severity
from canfetch.lint.analysis.rule_coverage import form_of
from canfetch.pages.page_rules import parse_page

PAGES = (SeenPage("https://example.com/private-offers.html", parse_page()),)


def lines(octets: bytes, code: str, given: Given | None = None) -> list[int]:
    given = (given or Given(b""))._replace(content=octets)
    return [finding.line for finding in Linter(select=[code], findings_limit=None).lint(given).findings]


def mended(octets: bytes, code: str) -> bytes:
    return Linter(select=[code], findings_limit=None).fix(octets, unsafe=True).content


def rules(*values: str) -> bytes:
    return "\n".join(("User-agent: *", *values, "")).encode("utf-8", "surrogateescape")


FIRES = [
    ("CF401", ("Disallow: wp-admin/",)),
    ("CF401", ("Allow: .html$",)),
    ("CF401", ("Disallow: https://example.com/x",)),
    ("CF402", ("Disallow: /a$b$",)),
    ("CF402", ("Disallow: /$a",)),
    ("CF403", ("Disallow: /*",)),
    ("CF403", ("Allow: /a**",)),
    ("CF403", ("Disallow: /a*  # why",)),
    ("CF404", ("Disallow: /a**b",)),
    ("CF404", ("Disallow: /**/a*",)),
    ("CF405", ("Disallow: /a", "Disallow: /b", "Disallow: /a*")),
    ("CF405", ("Allow: /%7Ea", "Allow: /~a")),
    ("CF406", ("Disallow: /a/b/c", "Disallow: /a/")),
    ("CF406", ("Disallow: /", "Disallow: /a/*.gif$")),
    ("CF406", ("Disallow: /*.php", "Disallow: /x/a.php?b")),
    ("CF406", ("Disallow: /a/", "Disallow: /a/b/", "Allow: /c/")),
    ("CF407", ("Allow: /d/index.html", "Disallow: /d/")),
    ("CF407", ("Allow: /index.htm", "Disallow: /")),
    ("CF408", ("Disallow: /%c3%A9",)),
    ("CF408", ("Allow: /a%2fb",)),
    ("CF409", ("Disallow: /{id}/",)),
    ("CF409", ("Allow: /*\\",)),
    ("CF410", ("Disallow: /a%",)),
    ("CF410", ("Disallow: /%41%u0041",)),
    ("CF411", ("Allow: *",)),
    ("CF411", ("Disallow: **",)),
    ("CF412", ("Disallow: /./a",)),
    ("CF412", ("Disallow: /a/%2e%2E/b",)),
    ("CF412", ("Disallow: /a/..$",)),
    ("CF413", ("Allow:",)),
    ("CF413", ("Disallow: /a", "Allow: # nothing")),
    ("CF414", ("Allow: /a", "Disallow:")),
    ("CF414", ("Disallow:", "Disallow: /a", "Disallow: /b")),
    ("CF416", ("Disallow: ^/a",)),
    ("CF416", ("Disallow: /a/.*",)),
    ("CF416", ("Disallow: /page-[0-9]+/",)),
    ("CF416", ("Disallow: /a\\.php",)),
    ("CF417", ("Disallow: /%61",)),
    ("CF417", ("Allow: /a%2Dz",)),
    ("CF418", ("Allow: /robots.txt",)),
    ("CF418", ("Disallow: /robots.txt$", "Disallow: /a")),
    ("CF420", ("Disallow: /*$",)),
    ("CF420", ("Allow: /a**$",)),
]
QUIET = [
    ("CF401", ("Disallow: *.gif",)),
    ("CF401", ("Disallow:",)),
    ("CF402", ("Disallow: /a$",)),
    ("CF402", ("Disallow: /a%24b",)),
    ("CF403", ("Disallow: *",)),
    ("CF403", ("Disallow: /a*b",)),
    ("CF403", ("Disallow: /a*$",)),
    ("CF404", ("Disallow: /a*b*c",)),
    ("CF404", ("Disallow: /a**",)),
    ("CF405", ("Disallow: /a", "Allow: /a")),
    ("CF405", ("Disallow: /a", "Disallow: /A")),
    ("CF405", ("Disallow: /a", "User-agent: b", "Disallow: /a")),
    ("CF406", ("Disallow: /a/", "Allow: /a/b/", "Disallow: /a/b/c/")),
    ("CF406", ("Disallow: /a", "Allowed: /a/b", "Disallow: /a/b/c")),
    ("CF406", ("Disallow: /a", "User-agents: b", "Disallow: /a/b/c")),
    ("CF406", ("Disallow: /a/", "Allow: /*.gif", "Disallow: /a/b.gif")),
    ("CF406", ("Disallow: /a/", "Disallow: /a")[::-1][:1]),
    ("CF406", ("Disallow: /a$", "Disallow: /ab")),
    ("CF406", ("Disallow: /a", "Disallow: /ab***", "Allow: /abc")),
    ("CF406", ("Allow: /a", "Allow: /ab*", "Disallow: /abc")),
    ("CF406", ("Allow: /a/", "Allow: /a/index.html")),
    ("CF406", ("Disallow: /a/", "Disallow: /a/b/", "User-agent: b", "User-agent: *", "Allow: /a/b")),
    ("CF407", ("Allow: /d/index.html",)),
    ("CF407", ("Allow: /d/page.html", "Disallow: /d/")),
    ("CF407", ("Allow: /d/index.html", "Allow: /d/$", "Disallow: /d/")),
    ("CF408", ("Disallow: /%C3%A9",)),
    ("CF408", ("Disallow: /%zz",)),
    ("CF409", ("Disallow: /caf%C3%A9",)),
    ("CF409", ("Disallow: /caf\udce9/",)),
    ("CF409", ("Disallow: /a?b=c&d=[1]",)),
    ("CF410", ("Disallow: /%25",)),
    ("CF410", ("Disallow: /a  # 100%",)),
    ("CF411", ("Disallow: /*",)),
    ("CF411", ("Disallow: *a",)),
    ("CF412", ("Disallow: /..a/",)),
    ("CF412", ("Disallow: /a?b=/../",)),
    ("CF412", ("Disallow: /.well-known/",)),
    ("CF413", ("Allow: /",)),
    ("CF413", ("Disallow:",)),
    ("CF414", ("Disallow:",)),
    ("CF414", ("Disallow:", "Allow:")),
    ("CF416", ("Disallow: /*.php",)),
    ("CF416", ("Disallow: /a(b)/",)),
    ("CF416", ("Disallow: /.*",)),
    ("CF416", ("Disallow: /index.*",)),
    ("CF417", ("Disallow: /%2F",)),
    ("CF417", ("Disallow: /~a",)),
    ("CF418", ("Disallow: /robots.txt.bak",)),
    ("CF418", ("Disallow: /a/robots.txt",)),
    ("CF420", ("Disallow: /a$",)),
    ("CF420", ("Disallow: /*a$",)),
]


@pytest.mark.parametrize("code, values", FIRES)
def test_it_is_found(code: str, values: tuple[str, ...]) -> None:
    assert lines(rules(*values), code)


@pytest.mark.parametrize("code, values", QUIET)
def test_it_is_not_found(code: str, values: tuple[str, ...]) -> None:
    assert lines(rules(*values), code) == []


@pytest.mark.parametrize(
    "code, before, after",
    [
        ("CF401", "Disallow: wp-admin/", "Disallow: /wp-admin/"),
        ("CF401", "Disallow: none", "Disallow: none"),
        ("CF401", "Disallow: www.example.com/x", "Disallow: www.example.com/x"),
        ("CF403", "Disallow: /a** # why", "Disallow: /a # why"),
        ("CF404", "Disallow: /a***b**c*", "Disallow: /a*b*c*"),
        ("CF408", "Disallow: /%c3%a9%7e", "Disallow: /%C3%A9%7e"),
        ("CF409", "Disallow: /é|ü", "Disallow: /%C3%A9%7C%C3%BC"),
        ("CF411", "Disallow: **", "Disallow: /"),
        ("CF417", "Disallow: /%7Ea%2F%62", "Disallow: /~a%2Fb"),
        ("CF417", "Disallow: /%4%31", "Disallow: /%4%31"),
        ("CF420", "Disallow: /*$", "Disallow: /"),
    ],
)
def test_a_rule_is_rewritten(code: str, before: str, after: str) -> None:
    assert mended(rules(before), code) == rules(after)


def test_a_slash_is_not_added_where_a_rule_of_that_value_stands() -> None:
    octets = rules("Disallow: a", "Disallow: /a")
    assert lines(octets, "CF401") == [2]
    assert mended(octets, "CF401") == octets


def test_equal_lines_go_and_keep_every_verdict() -> None:
    octets = rules("Disallow: /a", "Allow: /b", "Disallow: /a", "DISALLOW: /a")
    fixed = Linter(select=["CF405"]).fix(octets).content
    assert fixed == rules("Disallow: /a", "Allow: /b")
    assert differing_profiles(octets, fixed) == ()


def test_an_equal_line_of_another_key_goes_only_where_asked() -> None:
    octets = rules("Disallow: /a", "", "Disalow: /a")
    assert Linter(select=["CF405"]).fix(octets).content == octets
    assert mended(octets, "CF405") == rules("Disallow: /a", "")


def test_a_longer_equal_rule_stays_where_its_length_may_count() -> None:
    octets = rules("Disallow: /a", "Disallow: /a*")
    assert lines(octets, "CF405") == [3]
    assert mended(octets, "CF405") == octets


@pytest.mark.parametrize(
    "value, form",
    [
        (b"/a*", b"/a"),
        (b"/a**b", b"/a*b"),
        (b"/a*$", b"/a"),
        (b"*", b"/"),
        (b"/*", b"/"),
        (b"**/x**", b"*/x"),
        (b"a", b""),
        (b"", b""),
        (b"/%7e", b"/~"),
        (b"/a$", b"/a$"),
    ],
)
def test_forms(value: bytes, form: bytes) -> None:
    assert form_of(value) == form


def test_a_folder_without_slash_is_told_of_by_a_page() -> None:
    given = Given(b"", url="https://example.com/robots.txt", pages=PAGES)
    assert lines(rules("Disallow: /private"), "CF415", given) == [2]
    assert lines(rules("Disallow: /pri", "Disallow: /private-offers"), "CF415", given) == [2, 3]
    assert lines(rules("Disallow: /private/", "Allow: /private", "Disallow: /other"), "CF415", given) == []
    assert lines(rules("Disallow: /private"), "CF415", given._replace(url="https://other.example/robots.txt")) == []


def test_braces_are_a_warning_to_google_whose_parser_leaves_them() -> None:
    found = Linter(profile="google", select=["CF409"]).lint(rules("Disallow: /{id}/")).findings
    assert [finding.severity for finding in found] == [Severity.WARNING]
    assert {witness.crawler for witness in found[0].witnesses if witness.allowed} == {"Googlebot"}


def test_nobody_is_asked_for_a_segment_of_dots() -> None:
    found = Linter(select=["CF403"]).lint(rules("Disallow: /.*")).findings
    assert not any(witness.allowed for witness in found[0].witnesses)
