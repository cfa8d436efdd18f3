"""Drafts render the rules that were added, and reject invalid input."""

import contextlib
import re
from collections.abc import Callable

import pytest
from hypothesis import given, reject
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
# `%41` is `A`: two spellings of a path cannot be both allowed and disallowed.
RULES = st.lists(
    st.tuples(PATTERNS, st.booleans()), min_size=1, max_size=6, unique_by=lambda rule: rule[0].replace("%41", "A")
).map(dict)


def unique_ignoring_case(tokens: list[str]) -> bool:
    return len({token.lower() for token in tokens}) == len(tokens)


GROUPS = st.lists(st.tuples(TOKENS, RULES), min_size=1, max_size=4).filter(
    lambda groups: unique_ignoring_case([token for token, _ in groups])
)


@pytest.mark.slow
@given(groups=GROUPS)
def test_rendered_drafts_parse_back_to_the_same_rules(groups: list[tuple[str, dict[str, bool]]], engine: str) -> None:
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
    # Digits in names and a leading `*` in patterns are outside the grammar, but intended.
    assert {record.notes for record in robots.records} <= {canfetch.Note.NONE, canfetch.Note.OUTSIDE_GRAMMAR}


@pytest.mark.slow
@given(
    rules=st.dictionaries(
        st.from_regex(r"/([ab]{1,2}/){0,2}[ab]{0,2}", fullmatch=True), st.booleans(), min_size=1, max_size=6
    ),
    targets=st.lists(st.from_regex(r"(/[ab]{1,3}){1,3}/?", fullmatch=True), min_size=1),
)
def test_first_match_profiles_agree_with_longest_match_profiles(rules: dict[str, bool], targets: list[str]) -> None:
    draft = Draft()
    group = draft.group("*")
    for pattern, allow in rules.items():
        (group.allow if allow else group.disallow)(pattern)
    files = [canfetch.parse(draft.render(), profile=name) for name in ("rfc9309", "draft1996")]
    for target in targets:
        assert len({robots.allows(target, agent="ExampleBot") for robots in files}) == 1


def test_layout_of_a_draft() -> None:
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


def test_longer_names_come_before_names_that_they_contain() -> None:
    draft = Draft()
    draft.group("Googlebot").disallow("/a/")
    draft.group("Googlebot-Image").disallow("/b/")
    assert [group.tokens for group in draft.groups] == [("Googlebot-Image",), ("Googlebot",)]
    # Two groups that contain names of each other: no order satisfies both, and any one is used.
    draft.group("bot", "Examplebot-News").disallow("/c/")
    draft.group("Examplebot").disallow("/d/")
    assert len(draft.groups) == 4


def test_allow_everything_works_in_every_profile(profile: canfetch.Profile) -> None:
    draft = Draft()
    draft.group("ExampleBot").allow_everything()
    draft.group("*").disallow("/")
    robots = canfetch.parse(draft.render(), profile=profile.name)
    assert robots.allows("/x", agent="ExampleBot")
    assert not robots.allows("/x", agent="OtherBot")


@given(path=st.text(min_size=0, max_size=12).map(lambda text: "/" + text))
def test_literal_path_matches_the_path_itself(path: str) -> None:
    pattern = literal_path(path)
    # A fragment is not part of a target, dot segments are resolved before matching, and `//` starts a host.
    sent = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", path).replace("#", "%23")
    if sent.startswith("//") or {".", ".."} & set(re.sub("%2[Ee]", ".", sent.partition("?")[0]).split("/")):
        reject()
    draft = Draft()
    draft.group("*").disallow(pattern)
    robots = canfetch.parse(draft.render())
    assert not robots.allows(sent, agent="ExampleBot")
    assert not robots.allows(sent + "z", agent="ExampleBot")


Make = Callable[[DraftGroup], object]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda group: group.disallow(""), "expected a pattern that starts with '/' or '\\*'"),
        (lambda group: group.disallow("private/"), "expected a pattern that starts with '/' or '\\*'"),
        (lambda group: group.allow("/a b"), "' ' is not allowed"),
        (lambda group: group.allow("/a\tb"), r"'\\t' is not allowed"),
        (lambda group: group.allow("/a\nDisallow: /"), r"'\\n' is not allowed"),
        (lambda group: group.allow("/a\r"), r"'\\r' is not allowed"),
        (lambda group: group.allow("/a\0"), r"'\\x00' is not allowed"),
        (lambda group: group.allow("/\x7f"), r"'\\x7f' is not allowed"),
        (lambda group: group.allow("/f\u00fcr"), "'\u00fc' is not allowed"),
        (lambda group: group.allow("/\ud800"), "is not allowed"),
        (lambda group: group.allow("/a#b"), "'#' starts a comment; write %23"),
        (lambda group: group.allow("/a$b"), "write %24"),
        (lambda group: group.allow("/a$$"), "write %24"),
        (lambda group: group.allow("/50%"), "write %25"),
        (lambda group: group.allow("/50%zz"), "write %25"),
        (lambda group: group.allow("/" + "a" * 1024), "it has 1025 characters; expected at most 1024"),
        (lambda group: group.allow("/a").disallow("/a"), "both allows and disallows '/a'"),
        (lambda group: group.disallow("/a").allow("/a"), "both allows and disallows '/a'"),
        (
            lambda group: group.allow("/~a").disallow("/%7Ea"),
            r"both allows and disallows '/%7Ea' \(the same as '/~a'\): remove one",
        ),
        (lambda group: group.disallow("/%c3%a9").allow("/%C3%A9"), "the same as '/%c3%a9'"),
        (lambda group: group.allow("/*%61$", "/b").disallow("/*a$"), r"the same as '/\*%61\$'"),
        (
            lambda group: group.disallow("/../x"),
            "'/../x': it matches nothing, because crawlers resolve",
        ),
        (lambda group: group.disallow("/a/./x"), "write the resolved path"),
        (lambda group: group.disallow("/a/%2e%2E/x"), "it matches nothing, because"),
        (lambda group: group.disallow("/*/../x"), "it matches nothing, because"),
        (lambda group: group.disallow("/a/..$"), "it matches nothing, because"),
        (lambda group: group.disallow("/a/.?x"), "it matches nothing, because"),
        *(
            (
                lambda group, sign=sign: group.disallow(f"/a{sign}b"),
                rf"write %{ord(sign):02X} \(canfetch.author.literal_path",
            )
            for sign in '"<>\\^`{|}'
        ),
        (lambda group: group.disallow("/(a|b)/.*"), r"URLs contain '\|' only as an escape; write %7C"),
        (lambda group: group.disallow("/a**b"), r"'\*\*' matches the same as '\*'"),
        (lambda group: group.disallow("**"), r"'\*\*' matches the same as '\*'"),
        (lambda group: group.disallow("/robots.txt"), "crawlers may always fetch /robots.txt itself"),
        (lambda group: group.allow("/robots.txt$"), "may always fetch /robots.txt"),
        (lambda group: group.allow("/%72obots.txt*"), "may always fetch /robots.txt"),
        (lambda group: group.allow("/a").allow_everything(), "already has rules"),
        (lambda group: group.allow_everything().allow("/a"), "already allows everything"),
        (lambda group: group.crawl_delay(-1), "expected a number of seconds from 0.001 to 86400"),
        (lambda group: group.crawl_delay(float("nan")), "expected a number of seconds from 0.001 to 86400"),
        (lambda group: group.crawl_delay(float("inf")), "expected a number of seconds from 0.001 to 86400"),
        (lambda group: group.crawl_delay(True), "expected a number of seconds from 0.001 to 86400"),
        (lambda group: group.crawl_delay(0), "invalid crawl delay 0: expected a number of seconds from 0.001"),
        (lambda group: group.crawl_delay(0.0001), "invalid crawl delay 0.0001: expected a number"),
        (lambda group: group.crawl_delay("5"), "invalid crawl delay '5': expected a number"),
        (lambda group: group.crawl_delay(None), "invalid crawl delay None: expected a number"),
        (lambda group: group.crawl_delay(86_401), "from 0.001 to 86400"),
        (lambda group: group.crawl_delay(1).crawl_delay(2), "already has a crawl delay"),
        (lambda group: group.content_usage(), "no usage preference: expected true or false"),
        (lambda group: group.content_usage(training="no"), "invalid training 'no': expected true or false"),
        (
            lambda group: group.content_usage(path="*", search=True),
            "expected a path that starts with '/'",
        ),
        (lambda group: group.content_usage(path="/a b", search=True), "' ' is not allowed"),
        (
            lambda group: group.content_usage(search=True).content_usage(search=False),
            "already has Content-Usage for all paths",
        ),
        (
            lambda group: group.content_usage(path="/a", search=True).content_usage(path="/a", training=True),
            "already has Content-Usage for '/a'",
        ),
        (
            lambda group: group.content_usage(path="/~a", search=True).content_usage(path="/%7Ea", training=True),
            "already has Content-Usage for '/%7Ea'",
        ),
        (
            lambda group: group.content_usage(search=True).content_usage(path="/", search=False),
            "already has Content-Usage for '/'",
        ),
        (
            lambda group: group.content_signal(training=True).content_usage(training=False),
            "Content-Usage and Content-Signal contradict each other about training: use the same value in both",
        ),
        (
            lambda group: group.content_usage(search=True, ai_use=False).content_signal(search=True, ai_use=True),
            "contradict each other about ai-use",
        ),
        (
            lambda group: group.content_usage(path="/*", search=True).content_signal(search=False),
            "contradict each other about search",
        ),
        (lambda group: group.content_signal(), "no usage preference: expected true or false"),
        (lambda group: group.content_signal(search=True).content_signal(search=True), "already has a Content-Signal"),
        (lambda group: group.license("/license.xml"), "invalid license URL '/license.xml': expected an absolute URL"),
        (lambda group: group.comment("a\nDisallow: /"), "expected one line of printable ASCII"),
        (lambda group: group.comment("\u00fc"), "expected one line of printable ASCII"),
        (lambda group: group.comment("a" * 1025), "expected at most 1024 characters"),
    ],
)
def test_invalid_input_for_a_group(make: Make, message: str) -> None:
    with pytest.raises(canfetch.errors.InvalidDraft, match=message):
        make(Draft().group("ExampleBot"))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda draft: draft.group(), "requires at least one product token"),
        (lambda draft: draft.group(""), "invalid product token"),
        (lambda draft: draft.group("Example Bot"), "invalid product token"),
        (lambda draft: draft.group("ExampleBot/1.0"), "invalid product token"),
        (lambda draft: draft.group("Example*"), "invalid product token"),
        (lambda draft: draft.group("-"), "invalid product token"),
        (lambda draft: draft.group("a\nDisallow: /"), "invalid product token"),
        (lambda draft: draft.group("\u00fcbot"), "invalid product token"),
        (lambda draft: draft.group("ExampleBot", "examplebot"), "'examplebot' already has a group"),
        (lambda draft: (draft.group("*").disallow("/"), draft.group("*")), r"'\*' already has a group"),
        (lambda draft: (draft.group("ExampleBot"), draft.render()), "the group of ExampleBot has no rules"),
        (lambda draft: draft.sitemap("/sitemap.xml"), "invalid sitemap URL '/sitemap.xml': expected an absolute URL"),
        (lambda draft: draft.sitemap("//www.example.com/sitemap.xml"), "expected an absolute URL"),
        (lambda draft: draft.sitemap("mailto:x"), "expected an absolute URL"),
        (lambda draft: draft.sitemap("https://"), "expected an absolute URL"),
        (lambda draft: draft.sitemap("https://www.example.com/a b"), "' ' is not allowed"),
        (lambda draft: draft.sitemap("https://www.example.com/#a"), "'#' starts a comment"),
        (lambda draft: draft.sitemap("https://www.example.com/\nDisallow: /"), "is not allowed"),
        (
            lambda draft: draft.sitemap("https://www.example.com/a.xml", "https://www.example.com/a.xml"),
            "duplicate sitemap URL 'https://www.example.com/a.xml'",
        ),
        (lambda draft: draft.license("license"), "invalid license URL 'license'"),
        (lambda draft: draft.comment("a\rb"), "expected one line of printable ASCII"),
        (
            lambda draft: (
                draft.group("*").disallow(*(f"/{number}{'a' * 1000}" for number in range(520))),
                draft.render(),
            ),
            "expected at most 512000",
        ),
    ],
)
def test_invalid_input_for_a_draft(make: Callable[[Draft], object], message: str) -> None:
    with pytest.raises(canfetch.errors.InvalidDraft, match=message):
        make(Draft())


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda draft: draft.group("*").disallow(None), "a pattern must be a str, not NoneType"),
        (lambda draft: draft.group("*").allow(b"/a"), "a pattern must be a str, not bytes"),
        (lambda draft: draft.group("*").allow(["/a"]), "a pattern must be a str, not list"),
        (lambda draft: draft.group("*").content_usage(path=1, search=True), "a path must be a str, not int"),
        (lambda draft: draft.group("*").comment(None), "a comment must be a str, not NoneType"),
        (lambda draft: draft.group("*").license(None), "a license URL must be a str, not NoneType"),
        (lambda draft: draft.group(None), "a product token must be a str, not NoneType"),
        (lambda draft: draft.sitemap(None), "a sitemap URL must be a str, not NoneType"),
        (lambda draft: draft.comment(b"a"), "a comment must be a str, not bytes"),
        (lambda _: literal_path(None), "a path must be a str, not NoneType"),  # type: ignore[arg-type]  # the mistake
        (lambda _: literal_path(b"/a"), "a path must be a str, not bytes"),  # type: ignore[arg-type]  # the mistake
    ],
)
def test_values_of_other_types_raise_type_error(make: Callable[[Draft], object], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make(Draft())


def test_similar_paths_do_not_contradict_each_other() -> None:
    draft = Draft()
    group = draft.group("ExampleBot").allow("/a%2Fb", "/a$", "/.well-known/", "/..a", "/robots.txt.bak", "/a/...$")
    group.disallow("/a/b", "/a", "/.*", "/(x)/a?", "/*/robots.txt").allow("/a$")
    # Preferences for another path, or for another use, do not contradict each other.
    group.content_usage(path="/blog/", training=True).content_signal(training=False).content_usage(search=True)
    assert len(group.rules) == 11
    assert draft.render()


@pytest.mark.slow
@given(
    rules=st.dictionaries(
        st.lists(st.sampled_from([*"ab/.*$?~|{(<^", "..", "%7E", "%7e", "%2F", "%41", "robots.txt"]), max_size=6).map(
            lambda pieces: "/" + "".join(pieces)
        ),
        st.booleans(),
        max_size=4,
    )
)
def test_linter_finds_nothing_that_drafts_reject(rules: dict[str, bool]) -> None:
    draft = Draft()
    group = draft.group("ExampleBot").disallow("/first/")
    for pattern, allow in rules.items():
        with contextlib.suppress(canfetch.errors.InvalidDraft):
            (group.allow if allow else group.disallow)(pattern)
    found = {finding.check.code for finding in canfetch.lint.Linter().lint(draft.render()).findings}
    assert not found & {"CF312", "CF402", "CF404", "CF409", "CF410", "CF412", "CF418"}


@pytest.mark.parametrize("path", ["", "a", "*", "https://example.com/"])
def test_literal_path_must_start_with_a_slash(path: str) -> None:
    with pytest.raises(canfetch.errors.InvalidDraft, match="expected a path that starts with '/'"):
        literal_path(path)


def test_literal_path_escapes_special_and_non_ascii_characters() -> None:
    assert literal_path("/a*b$c#d e/f\u00fcr%20%C3%BC50%25") == "/a%2Ab%24c%23d%20e/f%C3%BCr%20%C3%BC50%25"
