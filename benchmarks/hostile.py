"""Files and URLs made to be slow: each trap is a robots.txt of at most 500 KiB and a URL of 2 KiB, with its idea.

Their sources: the measured cases of earlier surveys (exponential and quadratic matchers, repeated grams, agents that
share rules), and attacks on what a fast engine is likely to do: rare-gram indexes, substring searches with a
rare-octet filter, tries, sorting, percent normalisation, line and key reading.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from benchmarks.inputs import AGENT, ORIGIN, Dice

FILE_OCTETS = 500 * 1024
URL_OCTETS = 2048
STAR = b"user-agent:*\n"


@dataclass(frozen=True, slots=True)
class Trap:
    """One hostile file with the URL that goes with it.

    `url_may_vary`: the last octets of the URL do not matter, so that a series of distinct ones can be asked.
    """

    name: str
    octets: bytes
    url: str
    agent: str = AGENT
    url_may_vary: bool = True


def filled(lines: Iterable[bytes], *, start: bytes = STAR, limit: int = FILE_OCTETS) -> bytes:
    """Put lines together until the file is full."""
    parts = [start]
    size = len(start)
    for line in lines:
        size += len(line) + 1
        if size > limit:
            break
        parts.append(line + b"\n")
    return b"".join(parts)


def url_of(unit: str, end: str = "") -> str:
    """Write a URL of full length whose path repeats `unit` and ends with `end`."""
    room = URL_OCTETS - len(ORIGIN) - 1 - len(end)
    return f"{ORIGIN}/{(unit * (room // len(unit) + 1))[:room]}{end}"


def words(alphabet: bytes = b"bcdefghijklmnopqrstuvwxy") -> Iterator[bytes]:
    """Give distinct short texts: b, c, ..., bb, bc, ..."""
    for length in itertools.count(1):
        for letters in itertools.product(alphabet, repeat=length):
            yield bytes(letters)


def distinct_text(octets: int, seed: int = 5) -> str:
    """Write a text in which nearly every run of four octets occurs once."""
    dice = Dice(seed)
    return "".join(dice.pick("abcdefghijklmnopqrstuvwxyz0123456789-_") for _ in range(octets))


def wildcard_run() -> Trap:
    """P1: one rule of a thousand stars; a matcher that backtracks never returns."""
    return Trap("one rule /a*a*...b", STAR + b"disallow:/" + b"a*" * 1000 + b"b\n", url_of("a"))


def wildcard_runs() -> Trap:
    """P2: 61 distinct rules of some four thousand stars each."""
    lines = (b"disallow:/" + b"*a" * (4100 - number) + b"b" for number in range(61))
    return Trap("61 rules of 4,000 stars", filled(lines), url_of("a"))


def late_words() -> Trap:
    """P3: every rule finds its first segment everywhere and its second nowhere."""
    return Trap("27,000 rules /*a*b<i>", filled(b"allow:/*a*z" + word for word in words()), url_of("a"))


def repeated_gram() -> Trap:
    """All rules share one gram, and the URL repeats it: walking the postings at each place is a product."""
    lines = (b"allow:/*aaaa*x*y*" + word for word in words())
    return Trap("shared gram, repeated", filled(lines), url_of("a"))


def near_miss_tail() -> Trap:
    """Each rule's rare grams are all in the URL, in front of a tail that the rule wants first."""
    text = distinct_text(URL_OCTETS)
    url = url_of(text, "zz")
    path = url[len(ORIGIN) :]
    lines = (
        b"allow:/*zz*" + path[place : place + length].encode()
        for length in range(4, 30)
        for place in range(1, len(path) - 40)
    )
    return Trap("near misses /*zz*S", filled(lines), url, url_may_vary=False)


def swapped_neighbours() -> Trap:
    """Each rule is a text of the URL with its last octet changed: every gram but one occurs."""
    text = distinct_text(URL_OCTETS)
    url = url_of(text)
    path = url[len(ORIGIN) :]
    lines = (
        b"allow:/*" + path[place : place + length].encode() + b"*" + path[place - 2 : place + 3].encode()
        for length in range(5, 40)
        for place in range(8, len(path) - 60)
    )
    return Trap("near misses, order swapped", filled(lines), url, url_may_vary=False)


def periodic_search() -> Trap:
    """Texts of two octets only: no octet is rare, and a search for each needle advances slowly."""
    lines = (
        b"allow:/*" + bytes(b"ab"[number >> bit & 1] for bit in range(17)) + b"a" * 6 for number in range(1 << 17)
    )
    return Trap("needles of two letters", filled(lines), url_of("aab"))


def long_needles() -> Trap:
    """Needles that agree with the URL for most of their length at every place."""
    lines = (b"allow:/*" + b"a" * (600 + number % 300) + b"b" + b"a" * (number // 300) for number in range(2000))
    return Trap("needles a...ab", filled(lines), url_of("a"))


def prefix_chain() -> Trap:
    """Each head is a prefix of the next and of the URL: a trie of one path with a rule at every step."""
    lines = (b"allow:/" + b"a" * number for number in range(2000))
    return Trap("chain of prefixes", filled(lines), url_of("a"))


def prefix_chain_wildcards() -> Trap:
    """The same chain, with a wildcard rule hung on every step."""
    lines = (b"allow:/" + b"a" * number + b"*z" + word for number, word in zip(range(2000), words(), strict=False))
    return Trap("chain of prefixes with stars", filled(lines), url_of("a"))


def one_head() -> Trap:
    """All rules hang on one head that the URL has."""
    return Trap("one head /aaaa*<i>", filled(b"allow:/aaaa*z" + word for word in words()), url_of("a"))


def everything_matches() -> Trap:
    """Sixty thousand equal rules, all of which match."""
    return Trap("64,000 times allow:/", filled(itertools.repeat(b"allow:/")), url_of("a"))


def short_rules() -> Trap:
    """As many distinct rules as fit."""
    return Trap("short distinct rules", filled(b"allow:/" + word for word in words()), url_of("a"))


def short_wildcards() -> Trap:
    """As many distinct rules as fit, too short for any gram."""
    return Trap("rules too short for grams", filled(b"allow:*" + word + b"*z" for word in words()), url_of("bcdefghij"))


def agents_sharing_rules() -> Trap:
    """Agents and rules in equal parts, one group: copying the rules to each agent is a square (102 KiB)."""
    count = 102 * 1024 // 34
    lines = [b"user-agent: bot%05d" % number for number in range(count)]
    lines += [b"disallow: /%04d" % number for number in range(count)]
    return Trap("3,000 agents x 3,000 rules", filled(lines, start=b""), url_of("a"), agent="bot00001")


def agents_sharing_more_rules() -> Trap:
    """The same in a full file."""
    lines = [b"user-agent:b%d" % number for number in range(14_000)]
    lines += [b"allow:/%d" % number for number in range(22_000)]
    return Trap("14,000 agents x 20,000 rules", filled(lines, start=b""), url_of("a"), agent="b1")


def group_for_each_rule() -> Trap:
    """One agent named again before every rule: all groups are merged for it."""
    lines = itertools.chain.from_iterable((b"user-agent:*", b"allow:*" + word + b"*z") for word in words())
    return Trap("a group for each rule", filled(lines, start=b""), url_of("bcdefghij"))


def agents_alone() -> Trap:
    """User-agent lines and nothing else, as short as they can be."""
    return Trap("user-agent lines alone", filled((b"user-agent:" + word for word in words()), start=b""), url_of("a"))


def blank_lines() -> Trap:
    """Half a million empty lines."""
    return Trap("empty lines", filled(itertools.repeat(b"")), url_of("a"))


def carriage_returns() -> Trap:
    """Half a million empty lines that end in CR."""
    return Trap("empty lines, CR", STAR + b"\r" * (FILE_OCTETS - len(STAR)), url_of("a"))


def unknown_records() -> Trap:
    """Records that are no rule, as short as they can be."""
    return Trap("unknown records a:b", filled(itertools.repeat(b"a:b")), url_of("a"))


def odd_keys() -> Trap:
    """Keys that need a second look: typed wrongly, without a colon, with a longer end."""
    keys = (b"disalow /", b"Dissallow\t/", b"ALLOWx:/", b"disallow-of:/", b"allow /")
    lines = (key + word for key, word in zip(itertools.cycle(keys), words(), strict=False))
    return Trap("keys typed wrongly", filled(lines), url_of("a"))


def one_long_line() -> Trap:
    """One rule fills the file."""
    return Trap("one long line", filled([b"disallow:/" + b"a" * (FILE_OCTETS - 40)]), url_of("a"))


def one_line_of_stars() -> Trap:
    """One rule of a quarter of a million segments fills the file."""
    return Trap("one line of stars", filled([b"disallow:/" + b"*a" * (FILE_OCTETS // 2 - 20)]), url_of("a"))


def raw_octets() -> Trap:
    """Every octet of every rule has to be encoded, and of the URL too."""
    lines = (b"allow:/*" + "é".encode() * 8 + word for word in words())
    return Trap("octets to encode", filled(lines), url_of("é")[: URL_OCTETS // 2 + 30])


def escapes() -> Trap:
    """Every octet of every rule is an escape that may be written otherwise, and of the URL too."""
    lines = (b"allow:/*%7e%c3%a9%2f%61" + word for word in words())
    return Trap("escapes to rewrite", filled(lines), url_of("%7e%c3%a9%2f%61", "%7eabcdefgh"))


def broken_escapes() -> Trap:
    """Percent signs alone."""
    return Trap("broken escapes", filled(b"allow:/%%%%%%%%" + word for word in words()), url_of("%%%"))


def reserved_query() -> Trap:
    """Reserved data behind a question mark: each rule is read in two forms, and so is the URL."""
    lines = (b"allow:/*?*:*/a*z" + word for word in words())
    return Trap("rules of two forms", filled(lines), url_of("?:/a"))


def literal_dollars() -> Trap:
    """Dollar signs that are literal, each of which grows to three octets."""
    return Trap("literal dollars", filled(b"allow:/*$$$$$$" + word for word in words()), url_of("$"))


def anchored() -> Trap:
    """Suffixes that the URL nearly has."""
    lines = (b"allow:/*a*" + word + b"aaaa$" for word in words())
    return Trap("suffixes", filled(lines), url_of("a"), url_may_vary=False)


def nul_octets() -> Trap:
    """A NUL in every rule."""
    return Trap("NUL in every rule", filled(b"allow:/\0" + word for word in words()), url_of("a"))


TRAPS: dict[str, Callable[[], Trap]] = {
    make.__name__: make
    for make in (
        wildcard_run,
        wildcard_runs,
        late_words,
        repeated_gram,
        near_miss_tail,
        swapped_neighbours,
        periodic_search,
        long_needles,
        prefix_chain,
        prefix_chain_wildcards,
        one_head,
        everything_matches,
        short_rules,
        short_wildcards,
        agents_sharing_rules,
        agents_sharing_more_rules,
        group_for_each_rule,
        agents_alone,
        blank_lines,
        carriage_returns,
        unknown_records,
        odd_keys,
        one_long_line,
        one_line_of_stars,
        raw_octets,
        escapes,
        broken_escapes,
        reserved_query,
        literal_dollars,
        anchored,
        nul_octets,
    )
}
