"""Comparison of the profiles of urllib.robotparser with the module of the running interpreter.

The profile is chosen by the behaviour of the module, not by its version, because the rewrite was backported.
"""

import os
import urllib.robotparser
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import canfetch

KEYS = ["User-agent", "user-agent", "Disallow", "Allow", "disallow", "Crawl-delay", "Request-rate", "Sitemap", "Host"]
KEYS += ["Useragent", " Disallow ", "allow\t", ""]
NAMES = ["*", "FooBot", "foobot", "Foo", "BarBot", "", "a", "%61", "FooBot/1.0", "* x", "*Bot", "Bot"]
PATHS = ["/", "/a", "/a/b", "/%61", "/a%2fb", "/a b", "/\u00e9", "/a?b", "/a?b=c&d", "/a*b", "/a$", "*", "*.gif$", ""]
PATHS += ["a", "//x", "/;p", "/a;p?q#r", "http://example.com/a", "/%zz", "?", "/[x", "//[", "/a%3Fb", "/*", "/a**b"]
PATHS += ["$", "/b$c", "/*a*b", "/a$*"]
NUMBERS = ["5", "1/2", "x", "\u0663", "-1", ""]
URLS = ["/", "/a", "/a/b", "/a/bc", "/%61x", "/a%2Fb", "/a/b?", "/a b", "/\u00e9", "/%C3%A9", "/a?b", "/a?b=c&d=e"]
URLS += ["/a*b", "/aXb", "/a$", "/x.gif", "/;p", "/a;p?q", "/robots.txt", "https://example.com", "//x//y", "/a%3Fb"]
URLS += ["https://example.com/a#f", "https://example.com/a?#", "//example.com/a", "/[x", "/%", "/a\tb", "/a%23b"]
URLS += ["https://example.com//x", "https://example.com/[", "/\x0bq", "https://[a]/", "/a#?b", "https://a\u2100b/a"]
ENDS = ["\n", "\r\n", "\r", "\n\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\n \n", "\n#c\n", " # c\n"]
AGENTS = ["FooBot", "BarBot", "xfoobotx", "z", "Foo-Bot"]


def running_profile() -> str:
    """Return the profile of the running interpreter, from a question with different answers."""
    parser = urllib.robotparser.RobotFileParser()
    parser.parse(["User-agent: *", "Disallow: /", "Allow: /a"])
    return "cpython-new" if parser.can_fetch("a", "/a") else "cpython-old"


def parsed(text: str) -> urllib.robotparser.RobotFileParser | None:
    parser = urllib.robotparser.RobotFileParser()
    try:
        parser.parse(text.splitlines())
    except ValueError:
        # urllib.parse raises for a rule, which canfetch ignores.
        return None
    return parser


def answer(parser: urllib.robotparser.RobotFileParser, agent: str, url: str) -> bool:
    try:
        return parser.can_fetch(agent, url)
    except ValueError:
        return True


def draw_file(dice: Random) -> str:
    text = dice.choice(["", "", "\ufeff", "\n"])
    for _ in range(dice.randrange(1, 10)):
        key = dice.choice(KEYS)
        values = NAMES if "gent" in key else NUMBERS if "-" in key else PATHS
        text += key + dice.choice([":", ": ", ":  ", " "]) + dice.choice(values) + dice.choice(ENDS)
    return text


def test_python_agrees_with_the_running_interpreter(triples: int) -> None:
    files = triples // 25
    profile = running_profile()
    dice = Random(138907)  # noqa: S311 - no secret
    compared = allowed = 0
    for _ in range(files):
        text = draw_file(dice)
        parser = parsed(text)
        # As bytes, because a text that is a URL is warned about.
        robots = canfetch.parse(text.encode(), profile=profile)
        if parser is None:
            continue
        for agent in AGENTS:
            for url in dice.sample(URLS, 4):
                try:
                    ours = robots.allows(url, agent=agent)
                except canfetch.InvalidURL:
                    # Such as `//[`, which robotparser allows or raises for.
                    continue
                assert ours is answer(parser, agent, url), (text, agent, url)
                compared += 1
                allowed += ours
    assert compared > 12 * files
    assert compared // 10 < allowed < compared


def test_python_agrees_with_the_running_interpreter_on_real_files(note: Callable[[str], None]) -> None:
    folder = os.environ.get("CANFETCH_CORPUS", "")
    if not folder:
        pytest.skip("CANFETCH_CORPUS is not set to a folder of real files")
    profile = running_profile()
    compared = files = 0
    for path in sorted(Path(folder).rglob("*")):
        if not path.is_file() or path.stat().st_size > canfetch_limit():
            continue
        text = path.read_bytes().decode("utf-8", "surrogateescape")
        parser = parsed(text)
        if parser is None:
            continue
        files += 1
        robots = canfetch.parse(path.read_bytes(), profile=profile)
        rules = [rule.pattern for group in robots.groups for rule in group.rules][:40]
        urls = ["/", "/a", *(rule.decode("utf-8", "replace").replace("*", "x").rstrip("$") for rule in rules)]
        tokens = [token for group in robots.groups for token in group.tokens][:5]
        for agent in ("FooBot", *(token for token in tokens if token.isalnum())):
            for url in urls:
                if url.startswith("/"):
                    try:
                        ours = robots.allows(url, agent=agent)
                    except canfetch.InvalidURL:
                        continue
                    assert ours is answer(parser, agent, url), (path.name, agent, url)
                    compared += 1
    note(f"{files} files of {folder}: {compared} questions in profile {profile}, no disagreement")
    assert compared > 1000


def canfetch_limit() -> int:
    return 512_000
