"""Files, agents and URLs for the laws, drawn from a grammar: realistic and hostile ones, not only random bytes.

A file is drawn as a list of lines without line breaks, so that a law can change it in a known way. Weights are
expressed by repetition. Patterns and paths consist of the same few pieces, so that they match often.
"""

from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from canfetch.core.agent import Agent

Lines = list[bytes]

# --- pieces of lines -------------------------------------------------------------------------------------------------

UTF_16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
LINE_ENDS: Final = [b"\n", b"\r", b"\r\n"]
SEPARATORS: Final = [b": "] * 12 + [b":"] * 4 + [b" : ", b":\t", b" ", b"\t", b" \t", b"\v: ", b":\f", b"::", b"=", b""]
USER_AGENT_KEYS: Final = [b"User-agent"] * 8 + [
    *(
        b"user-agent",
        b"USER-AGENT",
        b" User-agent",
        b"Useragent",
        b"user agent",
        b"User-agents",
        b"User\xe2\x80\x91agent",
    ),
]
RULE_KEYS: Final = (
    [b"Disallow"] * 6
    + [b"Allow"] * 6
    + [
        *(
            b"disallow",
            b"ALLOW",
            b"\tDisallow",
            b"Dissallow",
            b"disalow",
            b"DisallowAITraining",
            b"Allowed",
            b"isallow",
        ),
    ]
)
TOKENS: Final = [b"a", b"A", b"b", b"FooBot", b"fOObot", b"Foo-Bot", b"MJ12bot", b"caf\xc3\xa9", b"caf\xe9", b"*", b"*"]
TOKEN_TAILS: Final = [b""] * 10 + [
    b"/1.0",
    b" x",
    b"*",
    b", b",
    b"\0",
    b" # a:b",
    b"#\xff",
    b"\v",
    b"\t",
    b".",
    b" \x1f",
]
OTHER_LINES: Final = [
    *(b"Sitemap: https://example.com/s.xml", b"site-map: s", b"SITEMAP s", b"Sitemap:", b"Sitemaps: \xff"),
    *(b"Crawl-delay: 1", b"crawl-delay:2.5 # s", b"Crawl-delay", b"Host: example.com", b"Clean-param: a /b"),
    *(b"", b"", b" \t", b"\v", b"# Disallow: /", b"#", b"#\xff\0"),
    *(
        b"words",
        b"two words",
        b"three words here",
        b": /",
        b":",
        b"\0",
        b"\0Disallow: /",
        b"\xef\xbb\xbfAllow: /",
        b"\xff",
    ),
    *(b"User-agent", b"Disallow", b"Allow # /", b"Disallow:", b"Allow: # all", b"<html>", b"Disallow: secret"),
]

# --- pieces of patterns and of paths ---------------------------------------------------------------------------------

PIECES: Final = [
    b"/",
    b"/",
    b"/",
    b"a",
    b"a",
    b"b",
    b"ab",
    b".",
    b"?",
    b"?",
    b"=",
    b"&",
    b";",
    b":",
    b"@",
    b"'",
    b"+",
] + [
    *(b"%61", b"%2F", b"%2f", b"%3a", b"%2A", b"%24", b"%25", b"%41", b"%7e", b"~", b"%", b"%4", b"1", b"%31", b"%zz"),
    *(
        b"\xe3\x83\x84",
        b"%E3%83%84",
        b"\xff",
        b"%ff",
        b" ",
        b"\t",
        b"/index.html",
        b"/index.htm",
        b"/..",
        b"/./",
        b"//",
    ),
]
PATTERN_PIECES: Final = PIECES + [b"*", b"*", b"*", b"**", b"$", b"$", b"\0", b'"', b"<", b"\x7f", b"/" + b"a" * 16_640]
PATH_PIECES: Final = PIECES + [b"*", b"$", b"\0", b"\\", b"|", b"\x7f", b"[", b"!"]


def join_pieces(pieces: list[bytes], most: int) -> SearchStrategy[bytes]:
    """Join up to `most` of the pieces."""
    return st.lists(st.sampled_from(pieces), max_size=most).map(b"".join)


def patterns() -> SearchStrategy[bytes]:
    """Draw the value of a rule, including void and empty ones."""
    start = st.sampled_from([b"/"] * 10 + [b"*", b"", b"$", b"a", b"%2F"])
    end = st.sampled_from([b""] * 6 + [b"$", b"*", b"*$", b"$$", b" # c", b"#", b" "])
    return st.tuples(start, join_pieces(PATTERN_PIECES, 5), end).map(b"".join)


def paths() -> SearchStrategy[bytes]:
    """Draw a path with or without a query: one slash, and no fragment."""
    special = st.sampled_from(
        [b"/", b"/robots.txt", b"/%72obots.txt", b"/a/../robots.txt", b"/index.html", b"/a/b?c=/d"]
    )
    drawn = join_pieces(PATH_PIECES, 6).map(lambda content: b"/" + content.lstrip(b"/"))
    return st.one_of(drawn, drawn, drawn, special)


# --- lines and files -------------------------------------------------------------------------------------------------


def user_agent_lines() -> SearchStrategy[bytes]:
    """Draw a line that is a user-agent line in most profiles."""
    value = st.tuples(st.sampled_from(TOKENS), st.sampled_from(TOKEN_TAILS)).map(b"".join)
    return st.tuples(st.sampled_from(USER_AGENT_KEYS), st.sampled_from(SEPARATORS), value).map(b"".join)


def rule_lines() -> SearchStrategy[bytes]:
    """Draw a line that is a rule in most profiles."""
    return st.tuples(st.sampled_from(RULE_KEYS), st.sampled_from(SEPARATORS), patterns()).map(b"".join)


def other_lines() -> SearchStrategy[bytes]:
    """Draw any other line: records of extensions, blank lines, comments, and invalid lines."""
    odd = st.binary(max_size=12).map(lambda content: content.replace(b"\n", b"").replace(b"\r", b""))
    return st.one_of(st.sampled_from(OTHER_LINES), st.sampled_from(OTHER_LINES), odd)


def files(most: int = 14) -> SearchStrategy[Lines]:
    """Draw the lines of a file that is not UTF-16. Most start with a user-agent line."""
    line = st.one_of(rule_lines(), rule_lines(), rule_lines(), user_agent_lines(), other_lines())
    lines = st.lists(line, max_size=most)
    led = st.tuples(user_agent_lines(), lines).map(lambda drawn: [drawn[0], *drawn[1]])
    return st.one_of(led, led, led, lines.filter(lambda drawn: b"".join(drawn)[:2] not in UTF_16_MARKS))


def plain_groups() -> SearchStrategy[Lines]:
    """Draw a group that is valid in each profile: it has a token and ends with a rule."""
    names = st.lists(st.sampled_from([b"a", b"b", b"FooBot", b"*"]), min_size=1, max_size=3)
    user_agents = names.map(lambda drawn: [b"User-agent: " + name for name in drawn])
    rules = st.lists(st.one_of(rule_lines(), other_lines()), max_size=4)
    last = st.sampled_from([b"Disallow: /a", b"Allow: /b", b"Disallow:", b"Disallow: /", b"Allow: /$"])
    return st.tuples(user_agents, rules, last).map(lambda drawn: [*drawn[0], *drawn[1], drawn[2]])


def any_content() -> SearchStrategy[bytes]:
    """Draw any bytes: from the grammar, with a piece replaced, in UTF-16, or random."""
    ends = st.sampled_from([*LINE_ENDS, b"\n\r", b"\0", b"\v", b"\n\n", b"\x85"])
    marks = st.sampled_from([b""] * 6 + [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef", b"\xff\xfe", b"\xfe\xff", b"\n"])
    grown = st.tuples(marks, files(), ends).map(lambda drawn: drawn[0] + drawn[2].join(drawn[1]))
    cut = st.tuples(grown, st.integers(0, 200), st.binary(max_size=3)).map(
        lambda drawn: drawn[0][: drawn[1]] + drawn[2] + drawn[0][drawn[1] + 1 :]
    )
    utf16 = grown.map(lambda content: content.decode("latin-1").encode("utf-16"))
    return st.one_of(grown, grown, cut, utf16, st.binary(max_size=60))


# --- agents and URLs -------------------------------------------------------------------------------------------------

AGENTS: Final = ["a", "B", "FooBot", "foobot", "foo-bot", "MJ12bot", "MJ", "caf\u00e9", "caf\udce9", "*", "unnamed"]


def agents() -> SearchStrategy[str | Agent]:
    """Draw a product token, or a chain of them."""
    chain = st.builds(
        lambda tokens, star: Agent(tokens, star_applies=star),
        st.lists(st.sampled_from(AGENTS), min_size=1, max_size=3),
        st.booleans(),
    )
    return st.one_of(st.sampled_from(AGENTS), st.sampled_from(AGENTS), chain)


def urls() -> SearchStrategy[bytes]:
    """Draw the bytes of a URL, with any origin or none."""
    before = st.sampled_from([b"", b"", b"https://example.com", b"HTTP://u:p@Example.com:81", b"//h", b"x+y://[::1]:8"])
    after = st.sampled_from([b"", b"", b"#", b"#a?b", b"?q=#"])
    return st.tuples(before, paths(), after).map(b"".join)


def any_url() -> SearchStrategy[str | bytes]:
    """Draw a valid or invalid URL, as str or bytes."""
    odd = st.sampled_from(
        [b"", b"a", b"//", b"///a", b"https://", b"https://[zz]/", b"https://\xff/", b"a://b:99999/", b"?"]
    )
    content = st.one_of(urls(), urls(), odd, st.binary(max_size=12))
    return st.one_of(content, content.map(lambda drawn: drawn.decode("utf-8", "surrogateescape")), st.text(max_size=8))
