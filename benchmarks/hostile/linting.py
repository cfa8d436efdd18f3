"""Attacks on the linter: files of 500 KiB with as many lines, groups, names, comments or findings as fit."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

from benchmarks.hostile.trap import FILE_BYTES, STAR, fill, words


def _after_each_word(start: bytes, end: bytes = b"") -> Iterator[bytes]:
    """Yield lines that differ in one word."""
    return (start + word + end for word in words())


def _repeated(*lines: bytes) -> Iterator[bytes]:
    return itertools.cycle(lines)


def _groups(agents: Iterable[bytes], rules: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a group for each pair of an agent and a rule."""
    for agent, rule in zip(agents, rules, strict=False):
        yield b"user-agent:" + agent
        yield rule


def _one_line(unit: bytes, start: bytes = b"disallow:/") -> bytes:
    return STAR + start + unit * ((FILE_BYTES - len(STAR) - len(start)) // len(unit))


def _covered_by_wildcards() -> Iterator[bytes]:
    """Yield 32 wildcards and then rules that only the last one covers."""
    yield from (b"allow:/*" + letter * 3 for letter in itertools.islice(words(), 31))
    yield b"allow:/*zz"
    yield from _after_each_word(b"allow:/", b"zz")


def _opposed() -> Iterator[bytes]:
    """Yield pairs of an allow rule and a longer disallow rule."""
    for word in words():
        yield b"allow:/" + word
        yield b"disallow:/" + word + b"/"


def _agents_of_one_group() -> Iterator[bytes]:
    yield from (b"user-agent:" + word for word in itertools.islice(words(), 20_000))
    yield from (b"allow:/" + word for word in words())


_KNOWN_AGENTS = (b"GPTBot", b"CCBot", b"anthropic-ai", b"Google-Extended", b"msnbot", b"Googlebot-Image", b"bingbot")

FILES: dict[str, Callable[[], bytes]] = {
    "equal groups for each of many agents": lambda: fill(_groups(words(), _repeated(b"allow:/a")), start=b""),
    "one agent, a group for each rule": lambda: fill(
        _groups(_repeated(b"a"), _after_each_word(b"disallow:/")), start=b""
    ),
    "an allow rule for each of many agents": lambda: fill(_groups(words(), _after_each_word(b"allow:/")), start=b""),
    "groups of `*` and another agent": lambda: fill(
        _groups(_repeated(b"*", b"b"), _repeated(b"disallow:/*/")), start=b""
    ),
    "a group with 20,000 agents": lambda: fill(_agents_of_one_group(), start=b""),
    "known agents": lambda: fill(_groups(itertools.cycle(_KNOWN_AGENTS), _after_each_word(b"disallow:/")), start=b""),
    "misspelt agents": lambda: fill(_repeated(b"user-agent:googlebto", b"user-agent:gptbto"), start=b""),
    "different misspelt agents": lambda: fill(_after_each_word(b"user-agent:gptbto"), start=b""),
    "lists of agents": lambda: fill(_repeated(b"user-agent:GPTBot,CCBot", b"disallow:/"), start=b""),
    "delays between agents": lambda: fill(_groups(words(), _repeated(b"crawl-delay:1")), start=b""),
    "agents with versions": lambda: fill(_after_each_word(b"user-agent:", b"/1"), start=b""),
    "empty agents": lambda: fill(_repeated(b"user-agent:"), start=b""),
    "blank lines in groups": lambda: fill(_groups(_repeated(b"a\n"), _repeated(b"allow:/"))),
    "empty rules": lambda: fill(_repeated(b"allow:", b"disallow:")),
    "rules outside of groups": lambda: fill(_after_each_word(b"allow:/"), start=b""),
    "rules without a slash": lambda: fill(_after_each_word(b"allow:")),
    "URLs as rules": lambda: fill(_after_each_word(b"allow:http://a/")),
    "opposed rules": lambda: fill(_opposed()),
    "conflicting rules": lambda: fill(_repeated(b"allow:/a", b"disallow:/a")),
    "rules covered by wildcards": lambda: fill(_covered_by_wildcards()),
    "covered rules": lambda: fill(itertools.chain([b"allow:/b"], _after_each_word(b"allow:/b"))),
    "rules that end with a star": lambda: fill(_after_each_word(b"allow:/", b"*")),
    "rules with two stars": lambda: fill(_after_each_word(b"allow:/**")),
    "rules that end with *$": lambda: fill(_after_each_word(b"allow:/", b"*$")),
    "rules with a dollar": lambda: fill(_after_each_word(b"allow:/$")),
    "rules of stars": lambda: fill(_repeated(b"allow:*")),
    "rules for folders": lambda: fill(_groups(words(), _repeated(b"disallow:/*/")), start=b""),
    "rules for queries": lambda: fill(_groups(words(), _repeated(b"disallow:/*?")), start=b""),
    "rules for index pages": lambda: fill(_after_each_word(b"allow:/", b"/index.htm")),
    "parameters of the home page": lambda: fill(_after_each_word(b"disallow:/?utm_")),
    "rules with a space": lambda: fill(_after_each_word(b"disallow:/ /")),
    "rules with quotes": lambda: fill(_after_each_word(b'disallow:"/', b'"')),
    "rules with brackets": lambda: fill(_after_each_word(b"disallow:/(a|", b")")),
    "rules with templates": lambda: fill(_after_each_word(b"disallow:/{{", b"}}")),
    "rules with dots": lambda: fill(_after_each_word(b"disallow:/../")),
    "rules with accents": lambda: fill(_after_each_word(b"disallow:/\xc3\xa9")),
    "rules with invalid UTF-8": lambda: fill(_after_each_word(b"disallow:/\xff")),
    "rules with lower-case escapes": lambda: fill(_after_each_word(b"disallow:/%c3%a9")),
    "rules with needless escapes": lambda: fill(_after_each_word(b"disallow:/%41%42")),
    "rules with revealing names": lambda: fill(_after_each_word(b"disallow:/admin/")),
    "rules with scripts": lambda: fill(_after_each_word(b"disallow:/js/")),
    "rules with two keys": lambda: fill(_repeated(b"disallow:/ allow:/")),
    "rules with a space before the colon": lambda: fill(_after_each_word(b"allow :/")),
    "rules cut by a hash": lambda: fill(_after_each_word(b"allow:/#")),
    "indented rules": lambda: fill(_after_each_word(b" allow:/")),
    "rules for prefixes of keys": lambda: fill(_after_each_word(b"allowed:/")),
    "unknown keys": lambda: fill(_after_each_word(b"", b":")),
    "unknown keys with a value": lambda: fill(_after_each_word(b"", b":/")),
    "long unknown keys": lambda: fill(_after_each_word(b"abcdefghij", b":")),
    "keys with bullets": lambda: fill(_repeated(b"*allow:/", b"- disallow:/")),
    "keys with other colons": lambda: fill(_after_each_word(b"allow=/")),
    "translated keys": lambda: fill(_repeated(b"erlauben:/a")),
    "text": lambda: fill(_after_each_word(b"a ", b" b")),
    "words": lambda: fill(_after_each_word(b"")),
    "comments": lambda: fill(_repeated(b"#")),
    "comments with words": lambda: fill(_after_each_word(b"#")),
    "comments of other languages": lambda: fill(_repeated(b"//")),
    "lines of spaces": lambda: fill(_repeated(b" ")),
    "a suppression on each line": lambda: fill(_after_each_word(b"allow:/a", b"#canfetch: allow covered-rule")),
    "suppressions": lambda: fill(_repeated(b"#canfetch: allow covered-rule")),
    "unknown suppressions": lambda: fill(_after_each_word(b"#canfetch: allow ")),
    "a line with many suppressions": lambda: _one_line(b"covered-rule,", b"#canfetch: allow "),
    "sitemaps": lambda: fill(_after_each_word(b"sitemap:http://a/")),
    "equal sitemaps": lambda: fill(_repeated(b"sitemap:http://a/")),
    "relative sitemaps": lambda: fill(_after_each_word(b"sitemap:/")),
    "empty sitemaps": lambda: fill(_repeated(b"sitemap:")),
    "crawl delays": lambda: fill(_repeated(b"crawl-delay:1", b"crawl-delay:x", b"crawl-delay:99")),
    "crawl delays between agents": lambda: fill(_repeated(b"user-agent:a", b"crawl-delay:1"), start=b""),
    "parameters": lambda: fill(_after_each_word(b"clean-param:")),
    "hosts": lambda: fill(_after_each_word(b"host:")),
    "content signals": lambda: fill(_after_each_word(b"content-signal:search=")),
    "content usage": lambda: fill(_after_each_word(b"content-usage:ai=")),
    "noindex rules": lambda: fill(_after_each_word(b"noindex:/")),
    "NUL bytes": lambda: STAR + b"\0" * (FILE_BYTES - len(STAR)),
    "a NUL byte on each line": lambda: fill(_repeated(b"\0")),
    "a control character on each line": lambda: fill(_repeated(b"\x01")),
    "an invisible character on each line": lambda: fill(_repeated("\u200b".encode())),
    "an invalid byte on each line": lambda: fill(_repeated(b"\xff")),
    "curly quotes on each line": lambda: fill(_repeated("allow:“/".encode())),
    "alternating line ends": lambda: fill(_repeated(b"\r")),
    "alternating line ends with CR": lambda: fill(_repeated(b"\r\r")),
    "conflict marks": lambda: fill(_repeated(b"<<<<<<< a", b"=======", b">>>>>>> b")),
    "one line of escapes": lambda: _one_line(b"%41"),
    "one line of percent signs": lambda: _one_line(b"%"),
    "one line of braces": lambda: _one_line(b"{"),
    "one line of commas": lambda: _one_line(b",", b"user-agent:a"),
    "one line of names": lambda: _one_line(b"GPTBot,", b"user-agent:"),
    "one line of spaces": lambda: _one_line(b" a"),
    "one line of keys": lambda: _one_line(b" allow:/"),
    "one line of hashes": lambda: _one_line(b"#"),
    "one line of equals signs": lambda: _one_line(b"=", b"content-signal:"),
    "one line of ampersands": lambda: _one_line(b"a&", b"clean-param:"),
    "one line of accents": lambda: _one_line("é".encode()),
    "one line of slashes": lambda: _one_line(b"/"),
    "one line of dots": lambda: _one_line(b"/.."),
}
