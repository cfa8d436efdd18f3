"""A draft says what it was given, and refuses what cannot be meant."""

import contextlib
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import canfetch
from canfetch.author.draft import Draft, DraftGroup
from canfetch.author.validation import literal_path

TOKENS = st.from_regex(r"[A-Za-z][A-Za-z0-9_.-]{0,8}", fullmatch=True)
PATTERN_CHARACTERS = st.sampled_from([*"abAB/*?=&.-~!:;,@+'()[]_", "%20", "%2F", "%C3%A9", "%41"])
PATTERNS = st.builds(
    lambda start, rest, end: start + "".join(rest) + end,
    st.sampled_from(["/", "*"]),
    st.lists(PATTERN_CHARACTERS, max_size=8),
    st.sampled_from(["", "$"]),
).filter(lambda pattern: re.search(r"\*\*|/\.\.?(?:[/?$]|$)", pattern) is None)
# `%41` is `A`: one path in two writings is allowed or disallowed.
RULES = st.lists(
    st.tuples(PATTERNS, st.booleans()), min_size=1, max_size=6, unique_by=lambda rule: rule[0].replace("%41", "A")
).map(dict)


def unique_folded(tokens: list[str]) -> bool:
    return len({token.lower() for token in tokens}) == len(tokens)


GROUPS = st.lists(st.tuples(TOKENS, RULES), min_size=1, max_size=4).filter(
    lambda groups: unique_folded([token for token, _ in groups])
)


@given(groups=GROUPS)
def test_what_a_draft_accepts_parses_back_to_the_rules_given(
    groups: list[tuple[str, dict[str, bool]]], engine: str
) -> None:
    draft = Draft()
    for token, rules in groups:
        group = draft.group(token)
        for pattern, allow in rules.items():
            (group.allow if allow else group.disallow)(pattern)
    robots = canfetch.parse(draft.render(), engine=engine)
    read = {
        (
            next(iter(group.tokens)).lower(),
            frozenset((rule.allow, rule.pattern.decode()) for rule in group.rules),
        )
        for group in robots.groups
    }
    assert len(robots.groups) == len(groups)
    assert read == {
        (token.lower(), frozenset((allow, pattern) for pattern, allow in rules.items())) for token, rules in groups
    }
    # Digits in names and `*` in front of patterns are beyond the grammar, and meant.
    assert {record.notes for record in robots.records} <= {canfetch.Note.NONE, canfetch.Note.OUTSIDE_GRAMMAR}


@given(
    rules=st.dictionaries(
        st.from_regex(r"/([ab]{1,2}/){0,2}[ab]{0,2}", fullmatch=True), st.booleans(), min_size=1, max_size=6
    ),
    targets=st.lists(st.from_regex(r"(/[ab]{1,3}){1,3}/?", fullmatch=True), min_size=1),
)
def test_readers_of_the_first_match_come_to_what_the_others_do(rules: dict[str, bool], targets: list[str]) -> None:
    draft = Draft()
    group = draft.group("*")
    for pattern, allow in rules.items():
        (group.allow if allow else group.disallow)(pattern)
    readings = [canfetch.parse(draft.render(), profile=name) for name in ("rfc9309", "draft1996", "cpython-old")]
    for target in targets:
        assert len({robots.allows(target, agent="ExampleBot") for robots in readings}) == 1


def test_a_draft_is_laid_out_in_one_way() -> None:
    draft = Draft()
    draft.comment("For crawlers.")
    draft.sitemap("https://www.example.com/a.xml", "https://www.example.com/b.xml")
    draft.license("https://www.example.com/license.xml")
    draft.group("*").disallow("/private/", "/old/").allow("/private/press/").crawl_delay(2.5)
    own = draft.group("Googlebot", "bingbot").comment("Search engines").allow_everything()
    own.content_usage(training=False, search=True).content_usage(path="/blog/", training=True)
    own.content_signal(training=False, search=True, ai_use=False).license("https://www.example.com/search.xml")
    assert draft.render().decode() == (
        "# For crawlers.\n"
        "\n"
        "License: https://www.example.com/license.xml\n"
        "\n"
        "User-agent: *\n"
        "Allow: /private/press/\n"
        "Disallow: /private/\n"
        "Disallow: /old/\n"
        "Crawl-delay: 2.5\n"
        "\n"
        "# Search engines\n"
        "User-agent: Googlebot\n"
        "User-agent: bingbot\n"
        "Disallow:\n"
        "Content-Usage: train-ai=n, search=y\n"
        "Content-Usage: /blog/ train-ai=y\n"
        "Content-Signal: search=yes, ai-input=no, ai-train=no\n"
        "License: https://www.example.com/search.xml\n"
        "\n"
        "Sitemap: https://www.example.com/a.xml\n"
        "Sitemap: https://www.example.com/b.xml\n"
    )


def test_a_longer_name_stands_before_the_name_in_it() -> None:
    draft = Draft()
    draft.group("Googlebot").disallow("/a/")
    draft.group("Googlebot-Image").disallow("/b/")
    assert [group.tokens for group in draft.groups] == [("Googlebot-Image",), ("Googlebot",)]
    # Two groups, each of which holds a name of the other: no order is right, and one is taken.
    draft.group("bot", "Examplebot-News").disallow("/c/")
    draft.group("Examplebot").disallow("/d/")
    assert len(draft.groups) == 4


def test_a_group_that_allows_everything_does_so_in_every_profile(profile: canfetch.Profile) -> None:
    draft = Draft()
    draft.group("ExampleBot").allow_everything()
    draft.group("*").disallow("/")
    robots = canfetch.parse(draft.render(), profile=profile.name)
    assert robots.allows("/x", agent="ExampleBot")
    assert not robots.allows("/x", agent="OtherBot")


@given(path=st.text(min_size=0, max_size=12).map(lambda text: "/" + text))
def test_a_literal_path_is_the_path_itself(path: str) -> None:
    pattern = literal_path(path)
    # A URL would end at its fragment, and dot segments are resolved before anything is compared.
    sent = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", path).replace("#", "%23")
    if {".", ".."} & set(re.sub("%2[Ee]", ".", sent.partition("?")[0]).split("/")):
        return
    draft = Draft()
    draft.group("*").disallow(pattern)
    robots = canfetch.parse(draft.render())
    if not sent.startswith("//"):
        assert not robots.allows(sent, agent="ExampleBot")
        assert not robots.allows(sent + "z", agent="ExampleBot")


Make = Callable[[DraftGroup], object]


@pytest.mark.parametrize(
    "make, told",
    [
        (lambda group: group.disallow(""), "begin it with '/' or '\\*'"),
        (lambda group: group.disallow("private/"), "begin it with '/' or '\\*'"),
        (lambda group: group.allow("/a b"), "holds ' '"),
        (lambda group: group.allow("/a\tb"), r"holds '\\t'"),
        (lambda group: group.allow("/a\nDisallow: /"), r"holds '\\n'"),
        (lambda group: group.allow("/a\r"), r"holds '\\r'"),
        (lambda group: group.allow("/a\0"), r"holds '\\x00'"),
        (lambda group: group.allow("/\x7f"), r"holds '\\x7f'"),
        (lambda group: group.allow("/f\u00fcr"), "holds '\u00fc'"),
        (lambda group: group.allow("/\ud800"), "holds"),
        (lambda group: group.allow("/a#b"), "begins a comment: write %23"),
        (lambda group: group.allow("/a$b"), "write %24"),
        (lambda group: group.allow("/a$$"), "write %24"),
        (lambda group: group.allow("/50%"), "write %25"),
        (lambda group: group.allow("/50%zz"), "write %25"),
        (lambda group: group.allow("/" + "a" * 1024), "has 1025 characters"),
        (lambda group: group.allow("/a").disallow("/a"), "both allows and disallows '/a'"),
        (lambda group: group.disallow("/a").allow("/a"), "both allows and disallows '/a'"),
        (
            lambda group: group.allow("/~a").disallow("/%7Ea"),
            "both allows and disallows '/%7Ea', which is the path '/~a': keep one",
        ),
        (lambda group: group.disallow("/%c3%a9").allow("/%C3%A9"), "which is the path '/%c3%a9'"),
        (lambda group: group.allow("/*%61$", "/b").disallow("/*a$"), r"which is the path '/\*%61\$'"),
        (lambda group: group.disallow("/../x"), "'/../x' can match nothing, since crawlers resolve"),
        (lambda group: group.disallow("/a/./x"), "write the path that they come to"),
        (lambda group: group.disallow("/a/%2e%2E/x"), "can match nothing, since"),
        (lambda group: group.disallow("/*/../x"), "can match nothing, since"),
        (lambda group: group.disallow("/a/..$"), "can match nothing, since"),
        (lambda group: group.disallow("/a/.?x"), "can match nothing, since"),
        *(
            (
                lambda group, sign=sign: group.disallow(f"/a{sign}b"),
                f"write %{ord(sign):02X}; canfetch.author.literal_path",
            )
            for sign in '"<>\\^`{|}'
        ),
        (lambda group: group.disallow("/(a|b)/.*"), r"holds '\|', which no URL holds as itself: write %7C"),
        (lambda group: group.disallow("/a**b"), "has two stars in a row"),
        (lambda group: group.disallow("**"), "has two stars in a row"),
        (lambda group: group.disallow("/robots.txt"), "is about this file, which all may always fetch: leave it out"),
        (lambda group: group.allow("/robots.txt$"), "is about this file"),
        (lambda group: group.allow("/%72obots.txt*"), "is about this file"),
        (lambda group: group.allow("/a").allow_everything(), "has rules already"),
        (lambda group: group.allow_everything().allow("/a"), "allows everything already"),
        (lambda group: group.crawl_delay(-1), "from 0.001 to a day, or leave it out"),
        (lambda group: group.crawl_delay(float("nan")), "from 0.001 to a day, or leave it out"),
        (lambda group: group.crawl_delay(float("inf")), "from 0.001 to a day, or leave it out"),
        (lambda group: group.crawl_delay(True), "from 0.001 to a day, or leave it out"),
        (lambda group: group.crawl_delay(0), "a crawl delay of 0: give a number of seconds from 0.001"),
        (lambda group: group.crawl_delay(0.0001), "a crawl delay of 0.0001: give a number"),
        (lambda group: group.crawl_delay("5"), "a crawl delay of '5': give a number"),
        (lambda group: group.crawl_delay(None), "a crawl delay of None: give a number"),
        (lambda group: group.crawl_delay(86_401), "from 0.001 to a day"),
        (lambda group: group.crawl_delay(1).crawl_delay(2), "has a crawl delay already"),
        (lambda group: group.content_usage(), "nothing is said of any use"),
        (lambda group: group.content_usage(training="no"), "use training is 'no'"),
        (lambda group: group.content_usage(path="*", search=True), "does not begin with '/'"),
        (lambda group: group.content_usage(path="/a b", search=True), "holds ' '"),
        (lambda group: group.content_usage(search=True).content_usage(search=False), "speaks of all paths already"),
        (
            lambda group: group.content_usage(path="/a", search=True).content_usage(path="/a", training=True),
            "speaks of /a already",
        ),
        (
            lambda group: group.content_usage(path="/~a", search=True).content_usage(path="/%7Ea", training=True),
            "speaks of /%7Ea already",
        ),
        (
            lambda group: group.content_usage(search=True).content_usage(path="/", search=False),
            "speaks of / already",
        ),
        (
            lambda group: group.content_signal(training=True).content_usage(training=False),
            "Content-Usage and Content-Signal say the opposite of training: say the same in both",
        ),
        (
            lambda group: group.content_usage(search=True, ai_use=False).content_signal(search=True, ai_use=True),
            "say the opposite of ai-use",
        ),
        (lambda group: group.content_usage(path="/*", search=True).content_signal(search=False), "opposite of search"),
        (lambda group: group.content_signal(), "nothing is said of any use"),
        (lambda group: group.content_signal(search=True).content_signal(search=True), "a Content-Signal already"),
        (lambda group: group.license("/license.xml"), "license URL '/license.xml' is not absolute"),
        (lambda group: group.comment("a\nDisallow: /"), "not one line of printable ASCII"),
        (lambda group: group.comment("\u00fc"), "not one line of printable ASCII"),
        (lambda group: group.comment("a" * 1025), "too long"),
    ],
)
def test_a_group_refuses_what_cannot_be_meant(make: Make, told: str) -> None:
    with pytest.raises(canfetch.errors.InvalidDraft, match=told):
        make(Draft().group("ExampleBot"))


@pytest.mark.parametrize(
    "make, told",
    [
        (lambda draft: draft.group(), "speaks to nobody"),
        (lambda draft: draft.group(""), "is no product token"),
        (lambda draft: draft.group("Example Bot"), "is no product token"),
        (lambda draft: draft.group("ExampleBot/1.0"), "is no product token"),
        (lambda draft: draft.group("Example*"), "is no product token"),
        (lambda draft: draft.group("-"), "is no product token"),
        (lambda draft: draft.group("a\nDisallow: /"), "is no product token"),
        (lambda draft: draft.group("\u00fcbot"), "is no product token"),
        (lambda draft: draft.group("ExampleBot", "examplebot"), "'examplebot' is named already"),
        (lambda draft: (draft.group("*").disallow("/"), draft.group("*")), r"'\*' is named already"),
        (lambda draft: (draft.group("ExampleBot"), draft.render()), "the group of ExampleBot has no rules"),
        (lambda draft: draft.sitemap("/sitemap.xml"), "sitemap URL '/sitemap.xml' is not absolute"),
        (lambda draft: draft.sitemap("//www.example.com/sitemap.xml"), "is not absolute"),
        (lambda draft: draft.sitemap("mailto:x"), "is not absolute"),
        (lambda draft: draft.sitemap("https://"), "is not absolute"),
        (lambda draft: draft.sitemap("https://www.example.com/a b"), "holds ' '"),
        (lambda draft: draft.sitemap("https://www.example.com/#a"), "begins a comment"),
        (lambda draft: draft.sitemap("https://www.example.com/\nDisallow: /"), "holds"),
        (
            lambda draft: draft.sitemap("https://www.example.com/a.xml", "https://www.example.com/a.xml"),
            "sitemap URL 'https://www.example.com/a.xml' is named already: name it once",
        ),
        (lambda draft: draft.license("license"), "license URL 'license' is not absolute"),
        (lambda draft: draft.comment("a\rb"), "not one line of printable ASCII"),
        (
            lambda draft: (
                draft.group("*").disallow(*(f"/{number}{'a' * 1000}" for number in range(520))),
                draft.render(),
            ),
            "keep to 512000",
        ),
    ],
)
def test_a_draft_refuses_what_cannot_be_meant(make: Callable[[Draft], object], told: str) -> None:
    with pytest.raises(canfetch.errors.InvalidDraft, match=told):
        make(Draft())


@pytest.mark.parametrize(
    "make, told",
    [
        (lambda draft: draft.group("*").disallow(None), "a pattern is a str, not NoneType"),
        (lambda draft: draft.group("*").allow(b"/a"), "a pattern is a str, not bytes"),
        (lambda draft: draft.group("*").allow(["/a"]), "a pattern is a str, not list"),
        (lambda draft: draft.group("*").content_usage(path=1, search=True), "a path is a str, not int"),
        (lambda draft: draft.group("*").comment(None), "a comment is a str, not NoneType"),
        (lambda draft: draft.group("*").license(None), "a license URL is a str, not NoneType"),
        (lambda draft: draft.group(None), "a product token is a str, not NoneType"),
        (lambda draft: draft.sitemap(None), "a sitemap URL is a str, not NoneType"),
        (lambda draft: draft.comment(b"a"), "a comment is a str, not bytes"),
        (lambda _: literal_path(None), "a path is a str, not NoneType"),  # type: ignore[arg-type]  # the mistake
        (lambda _: literal_path(b"/a"), "a path is a str, not bytes"),  # type: ignore[arg-type]  # the mistake
    ],
)
def test_what_is_no_text_is_named(make: Callable[[Draft], object], told: str) -> None:
    with pytest.raises(TypeError, match=told):
        make(Draft())


def test_paths_that_are_near_are_no_opposites() -> None:
    draft = Draft()
    group = draft.group("ExampleBot").allow("/a%2Fb", "/a$", "/.well-known/", "/..a", "/robots.txt.bak", "/a/...$")
    group.disallow("/a/b", "/a", "/.*", "/(x)/a?", "/*/robots.txt").allow("/a$")
    # Another path's usage may be another's, and of one use nothing may be said.
    group.content_usage(path="/blog/", training=True).content_signal(training=False).content_usage(search=True)
    assert len(group.rules) == 11
    assert draft.render()


@given(
    rules=st.dictionaries(
        st.lists(st.sampled_from([*"ab/.*$?~|{(<^", "..", "%7E", "%7e", "%2F", "%41", "robots.txt"]), max_size=6).map(
            lambda pieces: "/" + "".join(pieces)
        ),
        st.booleans(),
        max_size=4,
    )
)
def test_the_linter_finds_none_of_what_a_draft_refuses(rules: dict[str, bool]) -> None:
    draft = Draft()
    group = draft.group("ExampleBot").disallow("/first/")
    for pattern, allow in rules.items():
        with contextlib.suppress(canfetch.errors.InvalidDraft):
            (group.allow if allow else group.disallow)(pattern)
    found = {finding.check.code for finding in canfetch.lint.Linter().lint(draft.render()).findings}
    assert not found & {"CF312", "CF402", "CF404", "CF409", "CF410", "CF412", "CF418"}


@pytest.mark.parametrize("path", ["", "a", "*", "https://example.com/"])
def test_a_literal_path_begins_with_a_slash(path: str) -> None:
    with pytest.raises(canfetch.errors.InvalidDraft, match="begin it with '/'"):
        literal_path(path)


def test_a_literal_path_escapes_signs_and_what_is_not_ascii() -> None:
    assert literal_path("/a*b$c#d e/f\u00fcr%20%C3%BC50%25") == "/a%2Ab%24c%23d%20e/f%C3%BCr%20%C3%BC50%25"
