"""Parsing of files: RFC 9309 sections 2.1 and 2.2."""

import pytest

from canfetch.core.profiles import PROFILES
from canfetch.core.reference.parser import ParsedFile, parse_file


def read(content: bytes, profile: str = "rfc9309") -> ParsedFile:
    return parse_file(content, PROFILES[profile])


def groups(content: bytes, profile: str = "rfc9309") -> list[tuple[list[bytes], list[bytes]]]:
    return [
        (
            [token for token, _ in group.user_agents],
            [(b"A" if allow else b"D") + value for allow, value, _ in group.rules],
        )
        for group in read(content, profile).groups
    ]


@pytest.mark.parametrize("profile", ["rfc9309", "strict", "google2019", "google", "googlebot", "bing"])
@pytest.mark.parametrize(
    "content, expected",
    [
        # RFC 9309 section 5.1.
        (
            (
                b"User-Agent: *\nDisallow: /example/\nAllow: /publications/\n\n"
                b"User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n"
                b"User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\nUser-Agent: quxbot\n"
            ),
            [
                ([b"*"], [b"D/example/", b"A/publications/"]),
                ([b"foobot"], [b"D/", b"A/example/page.html", b"A/example/allowed.gif"]),
                ([b"barbot", b"bazbot"], [b"D/example/page.html"]),
                ([b"quxbot"], []),
            ],
        ),
        # Blank lines, comments, other records and invalid lines do not end a run of user-agent lines.
        (b"User-agent: a\n\n#\nUser-agent: b\nDisallow: /", [([b"a", b"b"], [b"D/"])]),
        (
            b"User-agent: a\nSitemap: s\nCrawl-delay: 1\nnot a record\n: x\nUser-agent: b\nAllow: /",
            [([b"a", b"b"], [b"A/"])],
        ),
        # An empty rule does.
        (b"User-agent: a\nDisallow:\nUser-agent: b\nDisallow: /", [([b"a"], [b"D"]), ([b"b"], [b"D/"])]),
        # Rules before the first group are ignored, and do not start a group.
        (b"Disallow: /\nUser-agent: a\nAllow: /", [([b"a"], [b"A/"])]),
        (b"Disallow: /", []),
        # A user-agent line without a token starts a group, too.
        (b"User-agent: a\nDisallow: /\nUser-agent:\nDisallow: /b", [([b"a"], [b"D/"]), ([b""], [b"D/b"])]),
        (b"User-agent: *Bot\nDisallow: /", [([b""], [b"D/"])]),
        (b"User-agent: a # one\nDisallow: /b#c\nDisallow: # all", [([b"a"], [b"D/b", b"D"])]),
        (b"User-agent: a\rDisallow: /b\r\nDisallow: /c", [([b"a"], [b"D/b", b"D/c"])]),
        (b"", []),
        (b"\n\r\n#", []),
    ],
)
def test_rfc9309_2_1_groups_and_rules(
    profile: str, content: bytes, expected: list[tuple[list[bytes], list[bytes]]]
) -> None:
    assert groups(content, profile) == expected


@pytest.mark.parametrize(
    "line", [b"Disallow: a", b"Disallow: *.gif$", b"Disallow: /a b", b"Dissallow: /", b"Disallow /a"]
)
def test_strict_ignores_rules_outside_the_grammar(line: bytes) -> None:
    content = b"User-agent: a\n" + line + b"\nUser-agent: b\nDisallow: /"
    assert groups(content, "strict") == [([b"a", b"b"], [b"D/"])]
    assert [tokens for tokens, _ in groups(content)] == [[b"a"], [b"b"]]


@pytest.mark.parametrize(
    "line", [b"User-agent: b/1.0", b"User-agent: b c", b"User-agent: MJ12bot", b"User-agent: b # \x01"]
)
def test_strict_user_agent_lines_outside_the_grammar_have_an_empty_token(line: bytes) -> None:
    content = b"User-agent: a\nDisallow: /a\n" + line + b"\nDisallow: /b"
    assert groups(content, "strict") == [([b"a"], [b"D/a"]), ([b""], [b"D/b"])]


@pytest.mark.parametrize(
    "content, expected",
    [
        (b"User-agent a\nDisallow\t/b # c", [([b"a"], [b"D/b"])]),
        (b"User-agent a b\nDisallow /b", []),
        (b"Useragent: a\nDisalow: /b\ndiasllow: /c", [([b"a"], [b"D/b", b"D/c"])]),
    ],
)
def test_google_misspellings_and_missing_colons(
    content: bytes, expected: list[tuple[list[bytes], list[bytes]]]
) -> None:
    assert [groups(content, name) for name in ("google", "googlebot", "rfc9309")] == [expected] * 3
    assert [groups(content, name) for name in ("strict", "google2019")] == [[], []]


@pytest.mark.parametrize("profile", ["yandex", "draft1996", "original1994"])
@pytest.mark.parametrize(
    "content, expected",
    [
        (b"User-agent: a\n\nDisallow: /", [([b"a"], [])]),
        (b"User-agent: a\n \t\f\r\nUser-agent: b\nDisallow: /", [([b"a"], []), ([b"b"], [b"D/"])]),
        (b"User-agent: a\r\rDisallow: /", [([b"a"], [])]),
        (b"User-agent: a\nDisallow: /b\n\nDisallow: /c\nUser-agent: d", [([b"a"], [b"D/b"]), ([b"d"], [])]),
        # Comments and invalid lines are not blank.
        (b"User-agent: a\n#\n # b\nx\nDisallow: /", [([b"a"], [b"D/"])]),
    ],
)
def test_original1994_a_blank_line_ends_a_group(
    profile: str, content: bytes, expected: list[tuple[list[bytes], list[bytes]]]
) -> None:
    assert groups(content, profile) == expected


def test_original1994_allow_is_an_unknown_record() -> None:
    content = b"User-agent: a\nAllow: /b\nUser-agent: c\nDisallow: /d"
    assert groups(content, "original1994") == [([b"a", b"c"], [b"D/d"])]
    assert [row[6] for row in read(content, "original1994").others] == [0]


def test_draft1996_the_token_is_the_whole_value() -> None:
    content = b"User-agent: Foo, Bar/2.0 (x)\nUser-agent: *\nUser-agent: * a\nUser-agent: *b\nDisallow: /"
    for profile in ("draft1996", "original1994"):
        assert groups(content, profile) == [([b"Foo, Bar/2.0 (x)", b"*", b"* a", b"*b"], [b"D/"])]


def test_yandex_records_after_a_blank_line_are_in_no_group() -> None:
    content = b"User-agent: a\nCrawl-delay: 1\n\nCrawl-delay: 2\nUser-agent: b\nCrawl-delay: 3"
    assert [row[6] for row in read(content, "yandex").others] == [0, -1, 1]


def test_google_keys_match_by_prefix() -> None:
    content = b"User-agents: a\nDisallowAITraining: /\nAllowed: /b"
    assert groups(content, "google") == [([b"a"], [b"D/", b"A/b"])]
    assert groups(content) == []


def test_google_long_lines_and_nul() -> None:
    longest = b"Disallow: /" + b"a" * (16_663 - 11)
    content = b"User-agent: x\n" + longest + b"bc\nAllow: /a\0b\n"
    assert groups(content, "google") == [([b"x"], [b"D" + longest[10:], b"A/a"])]
    assert groups(content) == [([b"x"], [b"D" + longest[10:] + b"bc", b"A/a\0b"])]
    # A line of exactly the limit is read in full, whatever its line break.
    for end in (b"\n", b"\r\n", b""):
        assert groups(b"User-agent: x\n" + longest + end, "google") == [([b"x"], [b"D" + longest[10:]])]


def test_google_nul_ends_a_line_of_any_file() -> None:
    content = b"User-agent: a\0b\nDisallow: /a\0b\n"
    assert groups(content, "google") == [([b"a"], [b"D/a"])]
    assert groups(content) == [([b"a\0b"], [b"D/a\0b"])]


def test_lines_count_from_one() -> None:
    content = b"\xef\xbb\xbf\r\nUser-agent: a\rUser-agent: b\n\nDisallow: /\nSitemap: s"
    for name, profile in PROFILES.items():
        parsed = read(content, name)
        rules = [] if profile.blank_line_ends_group else [(False, b"/", 5)]
        assert parsed.groups == [([(b"a", 2), (b"b", 3)], rules)]
        assert [other[0] for other in parsed.others] == [6]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "mark"])
def test_other_records_have_lines_spans_and_groups(profile: str, mark: bytes) -> None:
    lines = [
        b"Sitemap: https://example.com/s.xml # one",
        b"User-agent: a",
        b"\tCrawl-delay :\t5 ",
        b"Disallow: /",
        b"a#b: c",
        b": nothing",
        b"Host:",
        b"Host: \t # none",
        b"User-agent: b",
        b"x: y: z\r\n",
    ]
    content = mark + b"\n".join(lines)
    others = read(content, profile).others
    texts = [(content[row[2] : row[3]], content[row[4] : row[5]], row[6], row[1]) for row in others]
    assert texts == [
        (b"Sitemap", b"https://example.com/s.xml", -1, 1),
        (b"Crawl-delay", b"5", 0, 0),
        (b"Host", b"", 0, 0),
        (b"Host", b"", 0, 0),
        (b"x", b"y: z", 1, 0),
    ]
    assert [row[0] for row in others] == [1, 3, 7, 8, 10]


def test_google_a_missing_colon_is_accepted_in_other_records() -> None:
    content = b"Sitemap s\nfoo bar\n"
    others = read(content, "google").others
    assert [(row[1], content[row[4] : row[5]]) for row in others] == [(1, b"s"), (0, b"bar")]
