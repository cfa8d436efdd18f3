"""Checks of the file as a whole: inputs that they report, inputs that they do not report, and fixes."""

import pytest

from canfetch import allows
from canfetch.access.outcomes import OutcomeKind, make_outcome
from canfetch.access.policies import get_policy
from canfetch.lint import Linter, LintInput, Severity
from canfetch.lint.analysis.deliveries import example_delivery
from canfetch.lint.checks.file import too_large

LINTER = Linter(severities="all", findings_limit=None)


def codes(content: LintInput | bytes) -> set[str]:
    return {finding.check.code for finding in LINTER.lint(content).findings}


def fixed(content: bytes, code: str) -> bytes:
    return LINTER.fix(content, unsafe=True, only=[code]).content


PLAIN = b"User-agent: *\nDisallow: /a/\n"
LINE = b"#" * 99 + b"\n"
LONG = b"User-agent: *\nDisallow: /"


@pytest.mark.parametrize(
    "code, content",
    [
        ("CF103", PLAIN + LINE * 6_000),
        ("CF103", b"# one line without end " * 30_000),
        ("CF104", PLAIN + LINE * 4_800),
        ("CF105", b"\xef\xbb\xbf# a comment\nUser-agent: *\nDisallow:\n"),
        ("CF105", b"\xef\xbb\xbf"),
        ("CF106", b"\xfe\xff" + PLAIN.decode().encode("utf-16-be")),
        ("CF106", b"\xff\xfe"),
        ("CF106", PLAIN.decode().encode("utf-16-le")),
        ("CF106", PLAIN.decode().encode("utf-16-be")),
        ("CF106", PLAIN.decode().encode("utf-32")),
        ("CF106", PLAIN.decode().encode("utf-32-le")),
        ("CF107", PLAIN + b"# caf\xe9\n"),
        ("CF107", PLAIN + b"Sitemap: https://example.com/\xff\n"),
        ("CF107", b"User-agent: *\nDisallow: /a\xa0\n"),
        ("CF108", b"\xef\xbb\xbf\n  <HTML lang=en>\n"),
        ("CF108", b"<?xml version='1.0'?>\n<html/>\n"),
        ("CF108", b"<!-- cached -->\n<html>\n"),
        ("CF109", "User\u2013agent: *\nDisallow: /a/\n".encode()),
        ("CF109", "User-agent: *\n\u201cDisallow: /a/\u201d\n".encode()),
        ("CF109", "User-agent: \u2018FooBot\u2019\nDisallow: /a/\n".encode()),
        ("CF110", PLAIN + b"# a\0b\n"),
        ("CF110", b"\0" * 20 + PLAIN),
        ("CF110", b"\x89PNG\r\n\x1a\n\0\0\0\xff\xff"),
        ("CF111", PLAIN + b"# a\x0bb\n"),
        ("CF111", b"User-agent: *\x7f\nDisallow: /a/\n"),
        ("CF112", "User-agent: *\nDisallow:\u00a0/a/\n".encode()),
        ("CF112", "User-agent: *\nDisallow: /a\u200b/\n".encode()),
        ("CF112", "\ufeff\ufeffUser-agent: *\nDisallow: /a/\n".encode()),
        ("CF113", b""),
        ("CF113", b"\n\n# only comments\n"),
        ("CF114", b"User-agent: *\nDisallow: /a/\n#"),
        ("CF114", b" "),
        ("CF115", b"User-agent: *\rDisallow: /a/\r"),
        ("CF115", b"User-agent: *\r\nDisallow: /a/\r\n\n"),
        ("CF116", PLAIN + b"Sitemap: https://example.com/" + b"a" * 17_000 + b"\n"),
        ("CF116", LONG + b"a" * 1024 + b"\n"),
        ("CF117", b"User-agent: *\nDisallow: /a/\nSitemap: {{ site.url }}/sitemap.xml\n"),
        ("CF117", b"<?php echo $rules\nUser-agent: *\nDisallow: /a/\n"),
        ("CF117", b"User-agent: *\nDisallow: /a/\nSitemap: https://%%HOST%%/sitemap.xml\n"),
        ("CF118", b"User-agent: *\n" + b"Disallow: /a\n" * 2049),
    ],
)
def test_reported(code: str, content: bytes) -> None:
    assert code in codes(content)


@pytest.mark.parametrize(
    "code, content",
    [
        ("CF103", PLAIN + b"#" * (512_000 - len(PLAIN))),
        ("CF104", PLAIN + LINE * 4_000),
        ("CF104", PLAIN + LINE * 6_000),
        ("CF105", PLAIN),
        ("CF105", b"# \xef\xbb\xbf\n"),
        ("CF106", b"\xef\xbb\xbf" + PLAIN),
        ("CF107", "# caf\u00e9\nUser-agent: *\nDisallow: /caf\u00e9\n".encode()),
        ("CF107", b"User-agent: *\nDisallow: /caf%E9\n"),
        ("CF108", b"# <html>\nUser-agent: *\nDisallow: /<html>\n"),
        ("CF108", b"<User-agent: *>\n"),
        ("CF109", "User-agent: *\nDisallow: /men\u2019s/\n".encode()),
        ("CF109", "# \u201cquoted\u201d\nUser-agent: *\nDisallow:\n".encode()),
        ("CF110", PLAIN),
        ("CF111", b"User-agent:\t*\r\nDisallow: /a/\r\n"),
        ("CF111", b"User-agent: *\nDisallow: /a%0B\n"),
        ("CF112", "# a\u00a0comment\nUser-agent: *\nDisallow: /a/ # \u200b\n".encode()),
        ("CF112", "User-agent: *\nDisallow: /caf\u00e9/\n".encode()),
        ("CF113", b"User-agent: *\n"),
        ("CF113", b"Sitemap: https://example.com/sitemap.xml\n"),
        ("CF113", b"<html></html>\n"),
        ("CF114", b""),
        ("CF114", b"User-agent: *\rDisallow:\r"),
        ("CF115", b"User-agent: *\r\nDisallow: /a/\r\n"),
        ("CF115", b"User-agent: *\n\n\nDisallow: /a/"),
        ("CF116", LONG + b"a" * 1000 + b"\n"),
        ("CF116", PLAIN + b"#" * 20_000 + b"\n"),
        ("CF117", b"User-agent: *\nDisallow: /*{{url}}\n"),
        ("CF117", b"User-agent: *\nDisallow: /a%%20b\n# {{ comment }}\n"),
        ("CF118", b"User-agent: *\n" + b"Disallow: /a\n" * 2048),
    ],
)
def test_not_reported(code: str, content: bytes) -> None:
    assert code not in codes(content)


@pytest.mark.parametrize(
    "path, is_reported",
    [
        ("Robots.txt", True),
        ("site/robots.TXT", True),
        ("a\\robot.txt", True),
        ("robots.txt.txt", True),
        ("robots", True),
        ("killer-robots.txt", True),
        ("rebots.txt", True),
        ("roobts.txt", True),
        ("robot.tx", False),
        ("robots2.txt", False),
        ("staging-robots.txt", False),
        ("humans.txt", False),
        ("robots.txt", False),
        ("site/robots.txt", False),
        ("robots.staging.txt", False),
        ("example.com.robots.txt", False),
    ],
)
def test_file_name(path: str, *, is_reported: bool) -> None:
    assert ("CF101" in codes(LintInput(PLAIN, path=path))) is is_reported


@pytest.mark.parametrize(
    "url, is_reported",
    [
        ("https://example.com/a/robots.txt", True),
        ("https://example.com/Robots.txt", True),
        ("https://example.com", True),
        ("https://example.com/robots.txt", False),
        ("https://example.com:8443/robots.txt?v=2", False),
        ("no url", False),
    ],
)
def test_url_path(url: str, *, is_reported: bool) -> None:
    assert ("CF102" in codes(LintInput(PLAIN, url=url))) is is_reported


@pytest.mark.parametrize(
    "code, content, after",
    [
        ("CF105", b"\xef\xbb\xbfUser-agent: *\n", b"User-agent: *\n"),
        ("CF106", b"\xff\xfe" + "Allow: /\u00e9\n".encode("utf-16-le"), "Allow: /\u00e9\n".encode()),
        ("CF107", b"User-agent: *\nDisallow: /caf\xe9\xa0\n", b"User-agent: *\nDisallow: /caf%C3%A9\n"),
        ("CF107", b"Allow: /cr\xe9\xe9e/a?eur\x80=1\n", b"Allow: /cr%C3%A9%C3%A9e/a?eur%E2%82%AC=1\n"),
        ("CF107", b"Disallow: /d\x92art/  # caf\xe9\n", b"Disallow: /d%E2%80%99art/  # caf\xe9\n"),
        # Short words in GBK, a word in UTF-8 next to another one, and a comment in Windows-1251.
        *[
            ("CF107", b"Disallow: /" + rest + b"\n", b"Disallow: /" + rest + b"\n")
            for rest in (
                b"\xba\xf3\xcc\xa8/",
                b"\xd6\xd0/",
                b"a\xd6\xd0/",
                b"caf\xe9/\xc3\xa9",
                b"caf\xe9  # \xca\xe0\xf2",
            )
        ],
        # Words in Windows-1251, Shift JIS and GBK, a cut character, and a byte that Windows-1252 lacks.
        *[
            ("CF107", b"Disallow: /" + word + b"/\n", b"Disallow: /" + word + b"/\n")
            for word in (b"\xca\xe0\xf2", b"\x83\x81\x83\x93", b"\xd6\xd0\xce\xc4", b"\xe4\xb8", b"a\x81")
        ],
        ("CF107", b"User-agent: *\nDisallow: /a\xa0\n", b"User-agent: *\nDisallow: /a\n"),
        ("CF109", "User\u2010agent: *\n".encode(), b"User-agent: *\n"),
        ("CF110", b"User-agent: *\nDisallow: /\0a\0\n", b"User-agent: *\nDisallow: /a\n"),
        ("CF111", b"# a\x07b\n", b"# ab\n"),
        ("CF112", "\u200bUser-agent:\u00a0*\u00a0\n".encode(), b"User-agent:*\n"),
        ("CF112", "Disallow: /a\u00a0b\n".encode(), "Disallow: /a\u00a0b\n".encode()),
        ("CF114", b"User-agent: *\r\nDisallow: /", b"User-agent: *\r\nDisallow: /\r\n"),
        ("CF115", b"Host: 1\r\nb: 2\r\nHost: 3\n\rd: 4\r", b"Host: 1\r\nb: 2\r\nHost: 3\r\n\r\nd: 4\r\n"),
        ("CF115", b"\nHost: 1\r\nHost: 2\r\n", b"\r\nHost: 1\r\nHost: 2\r\n"),
    ],
)
def test_fix(code: str, content: bytes, after: bytes) -> None:
    assert fixed(content, code) == after


def test_first_line_after_the_size_limit_is_quoted() -> None:
    content = b"User-agent: *\n" + b"#" * 511_980 + b"\nDisallow: /lost\n"
    found = next(finding for finding in LINTER.lint(content).findings if finding.check.code == "CF103")
    assert found.details["lost"] == "Disallow: /lost"
    assert found.line == int(found.details["line"]) == 3


def test_file_that_the_access_policy_ignores_because_of_its_size_is_reported() -> None:
    outcome = make_outcome(get_policy("yandex"), OutcomeKind.OVERSIZE, "more than 512,000 bytes")
    entry = example_delivery()._replace(policy="yandex", outcome=outcome, copy=None)
    (finding,) = LINTER.lint(LintInput(b"", delivery=entry)).findings
    assert (finding.check.code, finding.severity) == ("CF103", Severity.ERROR)
    assert finding.message() == "the file is too large (more than 512,000 bytes), so none of its rules apply"


def test_a_file_over_the_limit_has_no_effect_on_yandex() -> None:
    rules = b"User-agent: *\nDisallow: /fr\nDisallow: /fr/old/\n"
    crawlers = {}
    for content in (rules, rules + b"#" * 512_000):
        findings = LINTER.lint(content).findings
        found = next(finding for finding in findings if finding.check.code == "CF415")
        crawlers[len(content)] = {verdict.crawler for verdict in found.verdicts}
    small, large = crawlers.values()
    assert small - large == {"YandexBot"}
    assert "For Yandex, a file over 500 KB allows everything." in too_large.CHECK.how_to_fix


@pytest.mark.parametrize("count, shown", [(3000, "3000"), (60_000, "> 51198")])
def test_rules_after_the_size_limit_are_not_counted(count: int, shown: str) -> None:
    content = b"User-agent: *\n" + b"Allow: /a\n" * count
    found = next(finding for finding in LINTER.lint(content).findings if finding.check.code == "CF118")
    assert found.details["count"] == shown


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_undecoded_wide_characters_are_reported_once_and_not_fixed(encoding: str) -> None:
    content = PLAIN.decode().encode(encoding)
    assert codes(content) - {"CF113", "CF114"} == {"CF106"}
    assert fixed(content, "CF106") == content


def test_bytes_that_are_not_utf8_block_the_urls_that_they_mean_after_the_fix() -> None:
    content = b"User-agent: *\nDisallow: /caf\xe9/\n"
    finding = next(one for one in LINTER.lint(content).findings if one.check.code == "CF107")
    assert {(one.url, one.allowed, one.allowed_after_fix) for one in finding.verdicts} == {("/caf%C3%A9/", True, False)}
    for file, allowed in ((content, True), (fixed(content, "CF107"), False)):
        assert allows(file, "/caf\u00e9/", agent="Googlebot", profile="googlebot") is allowed
