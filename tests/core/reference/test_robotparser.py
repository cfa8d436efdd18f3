"""The profiles of Python's urllib.robotparser. tests/differential compares them with the module itself."""

from urllib.parse import urlsplit

import pytest

import canfetch
from canfetch.core.agent_rules import find_deciding_rule
from canfetch.core.reference.robotparser.paths import old_path, old_target, rewritten_path, rewritten_target
from canfetch.core.verdict import GroupChoice, Reason, Verdict

OLD, NEW = "cpython-old", "cpython-new"


def decide(content: bytes, url: str, profile: str, agent: str = "FooBot") -> Verdict:
    return canfetch.parse(content, profile=profile).decide(url, agent=agent)


def groups(content: bytes, profile: str) -> list[tuple[tuple[str, ...], list[tuple[bool, bytes, int]]]]:
    robots = canfetch.parse(content, profile=profile)
    return [(group.tokens, [rule[:3] for rule in group.rules]) for group in robots.groups]


def test_python_before_the_rewrite_an_empty_line_ends_an_entry() -> None:
    content = (
        b"User-agent: a\n\nDisallow: /x\nUser-agent: b\nDisallow: /\n \nDisallow: /y\n\nDisallow: /z\nUser-agent: c"
    )
    assert groups(content, OLD) == [(("b",), [(False, b"/", 5), (False, b"/y", 7)])]
    assert groups(content, NEW) == [
        (("a",), [(False, b"/x", 3)]),
        (("b",), [(False, b"/", 5), (False, b"/y", 7), (False, b"/z", 9)]),
        (("c",), []),
    ]


@pytest.mark.parametrize("profile", [OLD, NEW])
def test_python_a_crawl_delay_ends_a_run_of_user_agent_lines(profile: str) -> None:
    content = b"User-agent: a\nCrawl-delay: 5\nUser-agent: b\nRequest-rate: 1/2\nUser-agent: c\nDisallow: /\n"
    assert [tokens for tokens, _ in groups(content, profile)] == [("a",), ("b",), ("c",)]
    robots = canfetch.parse(content, profile=profile)
    assert robots.crawl_delay(agent="a") == 5
    assert [row[6] for row in robots._compiled.other_records()] == [0, 1]


@pytest.mark.parametrize("profile", [OLD, NEW])
def test_python_other_records_have_byte_spans(profile: str) -> None:
    content = "Host: h\u00e9\x0bUser-agent: *\n  Sitemap :\t s # c\n: x\nDisallow: /\n\n\nx: y".encode()
    robots = canfetch.parse(content, profile=profile)
    rows = robots._compiled.other_records()
    spans = [(content[row[2] : row[3]], content[row[4] : row[5]]) for row in rows]
    assert spans == [(b"Host", "h\u00e9".encode()), (b"Sitemap", b"s"), (b"x", b"y")]
    assert [(row[0], row[1], row[6]) for row in rows] == [(1, 0, -1), (3, 1, 0), (8, 0, -1 if profile == OLD else 0)]
    assert robots.sitemaps == ("s",)


@pytest.mark.parametrize("profile", [OLD, NEW])
def test_python_a_group_name_is_part_of_the_crawlers(profile: str) -> None:
    content = b"User-agent: foo\nDisallow: /a\nUser-agent: foobot\nDisallow: /b\nUser-agent: *\nDisallow: /c\n"
    verdict = decide(content, "/a", profile, "FooBot-News")
    assert (verdict.allowed, verdict.group.choice, verdict.group.lines) == (False, GroupChoice.OWN_TOKEN, (1,))
    # After the rewrite, an equal name is preferred.
    assert decide(content, "/b", profile, "FooBot").allowed is (profile == OLD)
    assert decide(content, "/c", profile, "BarBot").group.choice is GroupChoice.STAR
    chain = canfetch.Agent(["BarBot", "FooBot"])
    assert canfetch.parse(content, profile=profile).decide("/x", agent=chain).group.choice is GroupChoice.FALLBACK
    alone = canfetch.Agent("BarBot", star_applies=False)
    assert canfetch.parse(content, profile=profile).decide("/c", agent=alone).reason is Reason.NO_GROUP
    assert canfetch.parse(content, profile=profile).decide("/c", agent="*").line == 6
    assert canfetch.parse(b"", profile=profile).decide("/c", agent="*").reason is Reason.NO_GROUP


def test_python_entries_of_one_name_are_merged_after_the_rewrite() -> None:
    content = b"User-agent: a\nUser-agent: b\nDisallow: /1\nUser-agent: A\nUser-agent: b\nDisallow: /2\n"
    for agent, lines in (("a", (3, 6)), ("b", (3, 6)), ("xbx", (3, 6)), ("c", ())):
        for url, line in zip(("/1", "/2"), lines, strict=False):
            assert decide(content, url, NEW, agent).line == line
    # Only the name `b` is common to both entries as written.
    assert decide(content, "/1", NEW, "xax").allowed
    assert decide(content, "/1", OLD, "xax").line == 3
    assert decide(content, "/2", OLD, "a").allowed


@pytest.mark.parametrize(
    "value, url, old, new",
    [
        (b"/a", "/ab", 2, 2),
        (b"/%61%2fb", "/a/b", 2, 2),
        (b"*", "/x", 0, 2),
        (b"/*b", "/ab", 0, 2),
        (b"/a*b*c", "/axbxcx", 0, 2),
        (b"/a*b*c", "/axcxb", 0, 0),
        (b"/a*q*c", "/axc", 0, 0),
        (b"/*.gif$", "/i.gif", 0, 2),
        (b"/*.gif$", "/i.gif?x", 0, 0),
        (b"/*a*a$", "/xa", 0, 0),
        (b"/a$", "/a", 0, 2),
        (b"/a$", "/ab", 0, 0),
        (b"/a$b", "/a$b", 2, 0),
        (b"/a$*$", "/a", 0, 2),
        (b"/**b", "/xb", 0, 2),
        (b"/a?b=%3D*", "/a?b=%3Dc", 0, 2),
        (b"/a?b=c", "/a?b=c#d", 2, 2),
        (b"//[", "/x", 0, 0),
    ],
)
def test_python_paths_are_compared_decoded(value: bytes, url: str, old: int, new: int) -> None:
    content = b"User-agent: *\nDisallow: " + value + b"\n"
    assert (decide(content, url, OLD).line or 0, decide(content, url, NEW).line or 0) == (old, new)


def test_python_the_longest_match_decides_after_the_rewrite() -> None:
    content = b"User-agent: *\nAllow: /page\nDisallow: /*.ph\nAllow: /page.p\nDisallow: /x\nAllow: /x\n"
    verdict = decide(content, "/page.php", NEW)
    assert (verdict.line, [rule.line for rule in verdict.also_matched]) == (3, [4, 2])
    verdict = decide(content, "/page.php", OLD)
    assert (verdict.line, [rule.line for rule in verdict.also_matched]) == (2, [4])
    assert decide(content, "/x", NEW).line == 6
    assert decide(content, "/x", OLD).line == 5


def test_python_an_empty_disallow_allows() -> None:
    content = b"User-agent: *\nDisallow:\nDisallow: /\n"
    verdict = decide(content, "/x", OLD)
    assert (verdict.allowed, verdict.reason, verdict.line) == (True, Reason.EMPTY_RULE, 2)
    assert not decide(content, "/x", NEW).allowed
    assert decide(b"User-agent: *\nDisallow:\n", "/x", NEW).reason is Reason.EMPTY_RULE
    assert decide(b"User-agent: *\nAllow: /\n", "/x", NEW).reason is Reason.ALLOW_RULE


def test_python_robots_txt_is_exempt_after_the_rewrite() -> None:
    content = b"User-agent: *\nDisallow: /\n"
    assert decide(content, "https://example.com/robots.txt", NEW).reason is Reason.ROBOTS_TXT
    assert not decide(content, "/robots.txt", OLD).allowed


def test_python_urls_and_rules_that_cannot_be_split_do_not_match() -> None:
    # urllib.parse rejects this host, because its normal form contains a slash.
    url = "https://a\u2100b/x"
    assert (old_target(url), rewritten_target(url)) == (None, None)
    for profile in (OLD, NEW):
        verdict = decide(b"User-agent: *\nDisallow: /\n", url, profile)
        assert (verdict.allowed, verdict.reason) == (True, Reason.NO_MATCH)
        assert verdict.target == url.encode()
    assert old_path("//[") is None
    assert rewritten_path("/a$b") is None


@pytest.mark.parametrize("profile", [OLD, NEW])
def test_python_many_urls_and_origins(profile: str) -> None:
    content = b"User-agent: *\nDisallow: /x\n"
    robots = canfetch.parse(content, profile=profile, url="https://example.com/robots.txt")
    rules = robots.rules_for("FooBot")
    assert rules.allows_many(["/x", b"/y", "https://example.com/x"]) == [False, True, False]
    assert rules.allows("//example.com/y")
    with pytest.raises(canfetch.OriginMismatch):
        rules.allows("https://example.org/x")
    with pytest.raises(canfetch.InvalidURL) as caught:
        rules.allows_many(["/x", "x"])
    assert caught.value.index == 1
    assert rules._bound.rule_count == 1
    assert decide(content, "https://example.com", profile).allowed
    # Two slashes at the start of a path are not confused with a host.
    assert rewritten_target("//x//y?#") == "////y?%23"
    assert rewritten_target("/a#?b=c") == "/a%23?b=c"


@pytest.mark.parametrize("profile", [OLD, NEW])
def test_python_an_empty_name_is_part_of_star(profile: str) -> None:
    assert not canfetch.parse(b"User-agent:\nDisallow: /\n", profile=profile).allows("/x", agent="*")
    content = b"User-agent:\nDisallow: /a\nUser-agent: *\nDisallow: /b\n"
    # After the rewrite, an equal name is preferred.
    assert canfetch.parse(content, profile=profile).decide("/a", agent="*").line == (2 if profile == OLD else None)


@pytest.mark.parametrize("profile", [OLD, NEW])
def test_python_names_are_compared_as_text(profile: str) -> None:
    group = decide("User-agent: B\u00d6T\nDisallow: /".encode(), "/", profile, "b\u00f6t").group
    assert (group.choice, group.lines) == (GroupChoice.OWN_TOKEN, (1,))
    assert decide(b"User-agent: *\nDisallow: /", "/", profile, "b\u00f6t").group.lines == (1,)


def test_python_many_names_and_entries_take_linear_time() -> None:
    # Comparing every name with every other would take minutes.
    same = b"User-agent: a\n" * 30_000 + b"Disallow: /"
    assert not decide(same, "/x", NEW, "a").allowed
    distinct = b"".join(b"User-agent: %05d-\n" % number for number in range(12_000)) + b"Disallow: /\n"
    assert decide(distinct, "/x", NEW, "zz").allowed
    assert decide(distinct + distinct, "/x", NEW, "11999-").group.lines == (12_000, 24_001)
    assert not decide(b"user-agent:a\n\ndisallow:/\n" * 15_000, "/x", NEW, "a").allowed


def test_python_hosts_with_many_combining_marks_are_invalid() -> None:
    # urllib.parse sorts them in quadratic time, which takes a minute here.
    value = "//\u00e4" + "\u0344\u0345" * 60_000 + "/x"
    assert old_path(value) is None
    assert old_path("//\u00e4" + "\u0344\u0345" * 15 + "/x") is not None
    assert (old_target("https:" + value), rewritten_target("https:" + value)) == (None, None)
    assert decide(f"User-agent: *\nDisallow: {value}\nDisallow: /y".encode(), "/y", OLD).line == 3


@pytest.mark.skipif(not hasattr(urlsplit, "cache_info"), reason="urllib.parse has no cache here")
def test_python_the_cache_of_urllib_is_not_used() -> None:
    urlsplit.cache_clear()  # type: ignore[attr-defined]
    for profile in (OLD, NEW):
        decide(b"User-agent: *\nDisallow: //h/a\nDisallow: /b;\n", "https://example.com/b;", profile)
    assert urlsplit.cache_info().currsize == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("value, url", [(b"/a;", "/a"), (b"/a;b", "/a;b"), (b"/a;b/c", "/a;b/c"), (b"/a;;", "/a;;")])
def test_python_empty_parameters_are_dropped_before_the_rewrite(value: bytes, url: str) -> None:
    assert decide(b"User-agent: *\nDisallow: " + value, url, OLD).line == 2


@pytest.mark.parametrize("profile", ["cpython-old", "cpython-new"])
@pytest.mark.parametrize("url", ["/", "/a", "/a/b", "/robots.txt", "https://example.com/a"])
def test_deciding_rule_is_that_of_the_verdict(profile: str, url: str) -> None:
    rules = canfetch.parse("User-agent: x\nAllow: /a/b\nDisallow: /a\n", profile=profile).rules_for("x")
    verdict = rules.decide(url)
    assert find_deciding_rule(rules, url) == (verdict.allowed, verdict.rule)
