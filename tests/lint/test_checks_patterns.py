"""Checks of path patterns."""

from itertools import combinations

import pytest
from tests.lint.selected_check import fixed, lines

from canfetch import parse
from canfetch.core.equivalence import differing_profiles
from canfetch.lint import Linter, LintInput, Severity, SitePage
from canfetch.lint.analysis.canonical_rules import canonical_form
from canfetch.pages.page_rules import parse_page

PAGES = (SitePage("https://example.com/private-offers.html", parse_page()),)


def rules(*values: str) -> bytes:
    return "\n".join(("User-agent: *", *values, "")).encode("utf-8", "surrogateescape")


REPORTED = [
    ("CF431", ("Disallow: /*sale",)),
    ("CF431", ("Disallow: *print*",)),
    ("CF431", ("Disallow: /**view$",)),
    # The `Allow` names the type, is next to the rule, or cannot be meant otherwise.
    ("CF430", ("Allow: /pdf/", "Disallow: /cart/", "Disallow: /*.pdf$", "Disallow: /*?")),
    ("CF430", ("Disallow: /*.PDF", "", "Allow: /Pdf/", "Disallow: /cart/")),
    ("CF430", ("Disallow: /cart/", "Allow: /info/", "Disallow: /*.pdf$")),
    ("CF430", ("Disallow: /*.gif$", "Disallow: /*.pdf$", "Allow: /images/", "Allow: /a/")),
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
    ("CF405", ("Allow: /\udcc3\udca9", "Allow: /%C3%A9")),
    ("CF405", ("Allow: /%2f", "Allow: /%2F")),
    ("CF405", ("Allow: /{a", "Allow: /{a*")),
    ("CF406", ("Disallow: /a/b/c", "Disallow: /a/")),
    ("CF406", ("Disallow: /", "Disallow: /a/*.gif$")),
    ("CF406", ("Disallow: /*.php", "Disallow: /x/a.php?b")),
    ("CF406", ("Disallow: /a/", "Disallow: /a/b/", "Allow: /c/")),
    ("CF406", ("Disallow: /a/*/b", "Disallow: /a/*/x/*/b")),
    ("CF406", ("Disallow: /*.pdf$", "Disallow: /x/*.pdf$")),
    ("CF406", ("Disallow: /*a", "Disallow: *ab")),
    ("CF406", ("Disallow: */a/", "Disallow: /a/b")),
    ("CF406", ("Disallow: /", "Disallow: */a")),
    # The `Allow` line is longer than the covering rule, but no URL matches it and the covered rule.
    ("CF406", ("Disallow: /a", "Allow: /*z", "Disallow: /a/b$")),
    # Another rule wins over the `Allow` line for the same URLs.
    ("CF406", ("Disallow: /a", "Allow: /*z", "Disallow: /a*bz", "Disallow: /*bz")),
    ("CF406", ("Disallow: /a?b=c/", "Disallow: /a?b=c/d/", "Allow: /*e")),
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
    ("CF416", ("Disallow: /\\d+/",)),
    ("CF416", ("Disallow: /a\\w*z",)),
    ("CF417", ("Allow: /a%2Dz",)),
    ("CF418", ("Allow: /robots.txt",)),
    ("CF418", ("Disallow: /robots.txt$", "Disallow: /a")),
    ("CF420", ("Disallow: /*$",)),
    ("CF420", ("Allow: /a**$",)),
    # A rule that is longer in a pointless way decides, whatever shorter rules cover the `Allow`.
    ("CF426", ("Disallow: /shop/", "Allow: /shop/", "Disallow: /shop/*", "Allow: /")),
    ("CF426", ("Allow: /shop/", "Disallow: /shop/*", "Allow: /sh")),
    ("CF429", ("Allow: all",)),
    ("CF429", ("Disallow: Nothing # yet",)),
]
NOT_REPORTED = [
    # The word is delimited, does not end a common word, or another rule decides.
    ("CF431", ("Disallow: /*/print",)),
    ("CF431", ("Disallow: /*?print",)),
    ("CF431", ("Disallow: /*print=",)),
    ("CF431", ("Disallow: /*wishlist",)),
    ("CF431", ("Disallow: /*Print",)),
    ("CF431", ("Disallow: /*print", "Allow: /blueprint")),
    ("CF431", ("Allow: /*print", "Disallow: /a")),
    # The start of several names, and no folder.
    ("CF415", ("Disallow: /de-",)),
    # Another rule opens the file, or the `Allow` is longer.
    ("CF430", ("Allow: /pdf/", "Allow: /pdf/*.pdf$", "Disallow: /*.pdf$")),
    ("CF430", ("Allow: /pdf/", "Disallow: /*.pdf$", "Allow: /pdf/x.p")),
    ("CF430", ("Allow: /pdf/list/", "Disallow: /*.pdf$")),
    # The `Allow` opens a folder that another rule blocks.
    ("CF430", ("Disallow: /pd", "Allow: /pdf/", "Disallow: /*.pdf$")),
    ("CF430", ("Disallow: /*", "Allow: /pdf/", "Disallow: /*.pdf$")),
    # Lists of folders and rules of another kind are not exceptions.
    ("CF430", ("Disallow: /a/", "Allow: /b/", "Allow: /c/", "Disallow: /*.pdf$")),
    ("CF430", ("Disallow: /a/", "Allow: /b/", "# types", "Disallow: /*.pdf$")),
    ("CF430", ("Allow: /pdf/", "Disallow: /pdf/drafts/")),
    ("CF430", ("Allow: /", "Disallow: /*.pdf$")),
    ("CF430", ("Allow: /*/pdf/", "Disallow: /*.pdf$")),
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
    # Google's parser neither decodes nor encodes these characters.
    ("CF405", ("Allow: /%7Ea", "Allow: /~a")),
    ("CF405", ("Disallow: /{a", "Disallow: /%7Ba")),
    ("CF405", ("Disallow: /a b", "Disallow: /a%20b")),
    ("CF406", ("Disallow: /%7Ea", "Disallow: /~a/b")),
    ("CF406", ("Disallow: /~a", "Disallow: /%7Ea/b")),
    ("CF405", ("Disallow: /a", "User-agent: b", "Disallow: /a")),
    ("CF406", ("Disallow: /a/", "Allow: /a/b/", "Disallow: /a/b/c/")),
    ("CF406", ("Disallow: /a", "Allowed: /a/b", "Disallow: /a/b/c")),
    ("CF406", ("Disallow: /a", "User-agents: b", "Disallow: /a/b/c")),
    ("CF406", ("Disallow: /a/", "Allow: /*.gif", "Disallow: /a/b.gif")),
    ("CF406", ("Disallow: /a",)),
    ("CF406", ("Disallow: /a$", "Disallow: /ab")),
    # Only the longer rule matches `/?q=user/login%2F`.
    ("CF406", ("Disallow: /*login/", "Disallow: /?q=user/login/")),
    ("CF406", ("Disallow: /*a$", "Disallow: /x*a")),
    ("CF406", ("Disallow: /*a*b", "Disallow: /b*a")),
    ("CF406", ("Disallow: /a", "Allow: /*z", "Disallow: /a/b")),
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
    # Browsers do not encode these characters, so an encoded rule does not match their links for Google.
    ("CF409", ("Disallow: /a|b^c",)),
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
    ("CF416", ("Disallow: \\win\\path",)),
    ("CF416", ("Disallow: \\\\win\\data",)),
    ("CF417", ("Disallow: /%2F",)),
    ("CF417", ("Disallow: /~a",)),
    ("CF418", ("Disallow: /robots.txt.bak",)),
    ("CF418", ("Disallow: /a/robots.txt",)),
    ("CF420", ("Disallow: /a$",)),
    ("CF420", ("Disallow: /*a$",)),
]


@pytest.mark.parametrize("code, values", REPORTED)
def test_check_reports(code: str, values: tuple[str, ...]) -> None:
    assert lines(rules(*values), code)


@pytest.mark.parametrize("code, values", NOT_REPORTED)
def test_check_does_not_report(code: str, values: tuple[str, ...]) -> None:
    assert lines(rules(*values), code) == []


@pytest.mark.parametrize(
    "code, before, after",
    [
        ("CF401", "Disallow: wp-admin/", "Disallow: /wp-admin/"),
        ("CF429", "Disallow: none", "Disallow:"),
        ("CF429", "Allow:  ALL # of it", "Allow:  / # of it"),
        # What closes a site is for its owner to write.
        ("CF429", "Disallow: all", "Disallow: all"),
        ("CF429", "Allow: none", "Allow: none"),
        ("CF401", "Disallow: no", "Disallow: no"),
        ("CF401", "Disallow: www.example.com/x", "Disallow: www.example.com/x"),
        ("CF401", "Disallow: example.com/x", "Disallow: example.com/x"),
        ("CF403", "Disallow: /a** # why", "Disallow: /a # why"),
        ("CF404", "Disallow: /a***b**c*", "Disallow: /a*b*c*"),
        ("CF408", "Disallow: /%c3%a9%7e", "Disallow: /%C3%A9%7e"),
        ("CF409", "Disallow: /é{ü|", "Disallow: /%C3%A9%7B%C3%BC|"),
        ("CF411", "Disallow: **", "Disallow: /"),
        ("CF417", "Disallow: /%7Ea%2F%62", "Disallow: /~a%2Fb"),
        ("CF417", "Disallow: /%4%31", "Disallow: /%4%31"),
        ("CF420", "Disallow: /*$", "Disallow: /"),
    ],
)
def test_fix_rewrites_rule(code: str, before: str, after: str) -> None:
    assert fixed(rules(before), code) == rules(after)


def test_fix_does_not_add_slash_if_same_rule_exists() -> None:
    content = rules("Disallow: a", "Disallow: /a")
    assert lines(content, "CF401") == [2]
    assert fixed(content, "CF401") == content


@pytest.mark.slow
def test_two_spellings_are_repeated_only_if_they_are_the_same_for_google() -> None:
    found: list[bool] = []
    for number in sorted(set(range(256)) - set(b"\0\n\r#")):
        spellings = [b"/" + spelling + b"z" for spelling in (bytes([number]), b"%%%02X" % number, b"%%%02x" % number)]
        for one, other in combinations(spellings, 2):
            if canonical_form(one) == canonical_form(other):
                files = [b"User-agent: *\nDisallow: %s\n" % value for value in (one, other)]
                allowed = [
                    [parse(file, profile="google").allows(url, agent="x") for url in spellings] for file in files
                ]
                report = Linter(select=["CF405"]).lint(files[0] + b"Disallow: %s\n" % other)
                assert bool(report.findings) is (allowed[0] == allowed[1]), (one, other)
                found.append(bool(report.findings))
    assert found.count(True) > 300
    assert found.count(False) > 200


def test_removing_repeated_lines_keeps_every_verdict() -> None:
    content = rules("Disallow: /a", "Allow: /b", "Disallow: /a", "DISALLOW: /a")
    result = Linter(select=["CF405"]).fix(content).content
    assert result == rules("Disallow: /a", "Allow: /b")
    assert differing_profiles(content, result) == ()


def test_repeated_rule_with_other_key_is_removed_only_by_unsafe_fix() -> None:
    content = rules("Disallow: /a", "", "Disalow: /a")
    assert Linter(select=["CF405"]).fix(content).content == content
    assert fixed(content, "CF405") == rules("Disallow: /a", "")


def test_of_repeated_rules_with_other_lengths_the_one_that_decides_stays() -> None:
    content = rules("Disallow: /a", "Disallow: /a*")
    assert lines(content, "CF405") == [3]
    assert fixed(content, "CF405") == rules("Disallow: /a")
    # The rule without a star loses to the `Allow` line.
    content = rules("Disallow: /a", "Allow: /a", "Disallow: /a*")
    assert lines(content, "CF405") == [2]
    assert fixed(content, "CF405") == rules("Allow: /a", "Disallow: /a*")
    assert lines(rules("Allow: /", "Allow: /*", "Disallow: /a"), "CF405") == [2]


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
def test_canonical_form(value: bytes, form: bytes) -> None:
    assert canonical_form(value) == form


def test_folder_without_slash_is_reported_if_known_page_matches() -> None:
    given = LintInput(b"", url="https://example.com/robots.txt", pages=PAGES)
    assert lines(given._replace(content=rules("Disallow: /private")), "CF415") == [2]
    assert lines(given._replace(content=rules("Disallow: /pri", "Disallow: /private-offers")), "CF415") == [2, 3]
    content = rules("Disallow: /private/", "Allow: /private", "Disallow: /other")
    assert lines(given._replace(content=content), "CF415") == []
    other = given._replace(url="https://other.example/robots.txt")
    assert lines(other._replace(content=rules("Disallow: /private/")), "CF415") == []


@pytest.mark.parametrize(
    "lines_of_rules, expected",
    [
        # Google's guide: the name of a folder should end with a slash. Rules in the folder show that it is one.
        (["Disallow: /a", "Disallow: /private", "Allow: /private/press/"], [3]),
        (["Disallow: /private", "Disallow: /b", "Disallow: /b/1", "Disallow: /private/x"], [2, 3]),
        # Otherwise, the first rule that may be for a folder is an example of all.
        (["Disallow: /tmp/", "Disallow: /help", "Disallow: /private"], [3]),
        (["Disallow: /private/", "Disallow: /*.gif", "Disallow: /a.html", "Disallow: /", "Allow: /b"], []),
        # The page is allowed, so nothing is blocked by mistake.
        (["Disallow: /private", "Allow: /private.html"], []),
        (["Disallow: /private", "Allow: /private.", "Disallow: /help"], [4]),
    ],
)
def test_google_guide_folder_without_slash_is_reported_without_known_pages(
    lines_of_rules: list[str], expected: list[int]
) -> None:
    assert lines(rules(*lines_of_rules), "CF415") == expected


def test_comment_about_a_folder_without_slash_may_be_for_the_pages_of_another_run() -> None:
    content = b"User-agent: *\nDisallow: /a\nDisallow: /b  # canfetch: allow directory-without-slash\n"
    assert [finding.check.code for finding in Linter(select=["CF415", "CF902"]).lint(content).findings] == ["CF415"]


def test_google_parser_does_not_encode_braces() -> None:
    found = Linter(severities="google", select=["CF409"]).lint(rules("Disallow: /{id}/")).findings
    assert [finding.severity for finding in found] == [Severity.WARNING]
    assert {verdict.crawler for verdict in found[0].verdicts if verdict.allowed} == {"Googlebot"}


@pytest.mark.slow
def test_trailing_star_has_no_effect() -> None:
    found = Linter(select=["CF403"]).lint(rules("Disallow: /.*")).findings
    assert found[0].verdicts == ()


def test_an_exception_that_is_too_short_names_both_lines_and_what_to_write() -> None:
    content = rules("Allow: /pdf/", "Disallow: /*.pdf$", "Disallow: /cart/")
    (found,) = Linter().lint(content).findings
    assert (found.check.code, found.line, found.severity) == ("CF430", 2, Severity.WARNING)
    expected = "`/pdf/` does not open `/pdf/x.pdf`, because `/*.pdf$` on line 3 is longer"
    assert found.message() == f"{expected}: write `Allow: /pdf/*.pdf$` instead"
    assert not parse(content).allows("/pdf/x.pdf", agent="x")
    assert parse(content.replace(b"/pdf/", b"/pdf/*.pdf$")).allows("/pdf/x.pdf", agent="x")
    assert Linter().fix(content).content == Linter().fix(content, unsafe=True).content == content


@pytest.mark.parametrize(
    "values, page",
    [
        (("Disallow: /p",), "/page/"),
        (("Disallow: /cart", "Disallow: /p"), "/page/"),
        (("Disallow: /x",), "/x.html"),
        (("Disallow: /*/print",), "/x/print.html"),
        (("Disallow: /cart",), "/cart.html"),
        # The file names the folder.
        (("Disallow: /p", "Disallow: /products/filter/"), "/products/"),
        (("Disallow: /cart", "Disallow: /de-", "Disallow: /de-at/intern/"), "/de-at/"),
        (("Disallow: /p", "Sitemap: https://example.com/products/sitemap.xml"), "/products/"),
        # A rule blocks it, or opens it.
        (("Disallow: /p", "Disallow: /products/", "Disallow: /products/filter/"), "/page/"),
        (("Disallow: /p", "Disallow: /products/filter/", "Allow: /products/"), "/page/"),
        (("Disallow: /p", "Allow: /products/offers/"), "/page/"),
    ],
)
def test_a_folder_without_slash_has_the_example_that_shows_the_harm(values: tuple[str, ...], page: str) -> None:
    found = [one.details["page"] for one in Linter(select=["CF415"]).lint(rules(*values)).findings]
    assert found == [page]


def test_a_word_after_a_star_is_noted_once_with_a_longer_word() -> None:
    (found,) = Linter(select=["CF431"]).lint(rules("Disallow: /*print", "Disallow: /*sale")).findings
    assert (found.line, found.severity) == (2, Severity.INFO)
    assert found.message() == "`/*print` also blocks `/blueprint`, because `*` matches letters before the word, too"
    assert not parse(rules("Disallow: /*print")).allows("/blueprint", agent="x")


def test_the_longer_words_end_with_the_word() -> None:
    from canfetch.lint.checks.patterns.word_after_star import _LONGER

    assert [word for word, longer in _LONGER.items() if not longer.endswith(word) or word == longer] == []
