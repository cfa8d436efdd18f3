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


def pairs() -> Iterator[bytes]:
    """Give distinct texts of pairs of letters between stars: no three octets of them are in a row."""
    letters = [bytes(two) for two in itertools.product(b"abcdefgh", repeat=2)]
    for count in itertools.count(1):
        for chosen in itertools.product(letters, repeat=count):
            yield b"*".join(chosen)


def _with_gram(query: str = "") -> str:
    """Write a URL of `q` with one `qqe` at the start, so that it holds every gram of the needles above."""
    url = url_of("q", query)
    start = len(ORIGIN) + 1
    return f"{url[:start]}qqeqqq{url[start + 6 :]}"


HASH = 0x9E3779B1  # 2 to the 32nd over the golden ratio: the usual multiplier, with an inverse modulo 2 to the 32nd
GRAM_OCTETS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!&'()+,;=:@/"
SLOTS = 1 << 17


def colliding() -> list[bytes]:
    """Give grams whose slots crowd together: all those in the first tenth of the table, lowest first."""
    found = []
    for one, two, three in itertools.product(GRAM_OCTETS, repeat=3):
        slot = ((one | two << 8 | three << 16) * HASH % (1 << 32) >> 8) & (SLOTS - 1)
        if slot < SLOTS // 11:
            found.append((slot, bytes((one, two, three))))
    return [gram for _, gram in sorted(found)]


def _colliding_url() -> str:
    path = b"".join(colliding()[:670])
    return f"{ORIGIN}/{path.decode()}"[:URL_OCTETS]


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
    lines = (b"allow:/*" + bytes(b"ab"[number >> bit & 1] for bit in range(17)) + b"a" * 6 for number in range(1 << 17))
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


SHARED_AGENTS = 80


def agents_with_their_own() -> Trap:
    """Agents that share most rules and have one more each: every agent selects other groups than the others."""
    agents = [b"user-agent:a%d" % number for number in range(SHARED_AGENTS)]
    lines = [*itertools.chain.from_iterable((agent, b"allow:/own") for agent in agents), *agents]
    lines += [b"allow:/*" + word + b"*z" for word in itertools.islice(words(), 29_000)]
    return Trap(f"{SHARED_AGENTS} agents, each of other groups", filled(lines, start=b""), url_of("a"), agent="a1")


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
    return Trap("octets to encode", filled(lines), url_of("é")[: URL_OCTETS // 2 + 12])


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


def rare_pair() -> Trap:
    """A search by a needle's two rarest octets finds them at every place of the URL, and the needle nowhere.

    `q` is rarer than `e` in usual text, so such a search tests the pair `qq`; the URL holds every gram of the needle.
    Stars and pairs of letters behind it make the rules distinct and give an index no gram of their own.
    """
    lines = (b"allow:*qqqqqqqqe*" + word for word in pairs())
    return Trap("common pair, no needle", filled(lines), _with_gram())


def rare_pair_repeated() -> Trap:
    """The same needle in equal rules, as many as fit."""
    return Trap("common pair, equal rules", filled(itertools.repeat(b"allow:*qqqqqqqqe")), _with_gram())


def rare_pair_two_forms() -> Trap:
    """The same, with reserved data in a query, so that both forms of the URL are searched."""
    lines = itertools.repeat(b"allow:*qqqqqqqqe*?:")
    return Trap("common pair, in two forms", filled(lines), _with_gram("?:"), url_may_vary=False)


def dollars_two_forms() -> Trap:
    """The worst that `search.py` met: the URL's dollars grow to three octets each, and both forms are searched."""
    url = url_of("$", "?:")
    start = len(ORIGIN) + 1
    lines = itertools.repeat(b"allow:*$$$$$$$$$$e$$$*?:")
    return Trap("dollars, in two forms", filled(lines), f"{url[:start]}$$e{url[start + 3 :]}", url_may_vary=False)


def near_keys() -> Trap:
    """Keys that differ from the known ones in their last octet, or lack the colon."""
    keys = (b"allo v", b"user-agenu:", b"useragenx:v", b"dissalloww v", b"sitemaq:v", b"sitemapx v")
    return Trap("keys nearly right", filled(itertools.islice(itertools.cycle(keys), FILE_OCTETS)), url_of("a"))


def rare_pair_long() -> Trap:
    """Longer needles of the same kind, beyond what a search by pairs takes."""
    lines = itertools.repeat(b"allow:*" + b"q" * 200 + b"e" + b"q" * 200)
    return Trap("common pair, long needles", filled(lines), _with_gram())


def pairs_of_octets() -> Trap:
    """Segments of two octets, a thousand to a rule, in two forms: the cost of beginning a search."""
    lines = (b"allow:*?:" + b"*ab" * number for number in range(960, 700, -1))
    return Trap("segments of two octets", filled(lines), url_of("ab", "?:abababab"))


def middle_out() -> Trap:
    """Needles that agree with the URL at every place until their middle: a search that compares from the left."""
    lines = itertools.repeat(b"allow:*" + b"q" * 24 + b"e" + b"q" * 25)
    return Trap("needles odd in the middle", filled(lines), _with_gram())


def last_octet_repeated() -> Trap:
    """The same with shorter needles: more rules, fewer comparisons each."""
    lines = itertools.repeat(b"allow:*qqqqqqeqqqqqqq")
    return Trap("short needles odd in the middle", filled(lines), _with_gram())


def colliding_grams() -> Trap:
    """Grams of three octets that a multiplicative hash sends to neighbouring slots of an open table."""
    return Trap("grams that collide", filled(b"allow:*" + gram for gram in colliding()), _colliding_url())


def raw_query() -> Trap:
    """One rule whose query is octets to encode, in both forms."""
    lines = [b"allow:/?:" + b"\xff" * (FILE_OCTETS - 40)]
    return Trap("a query of octets to encode", filled(lines), url_of("a", "?:"))


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
        agents_with_their_own,
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
        rare_pair,
        rare_pair_repeated,
        rare_pair_two_forms,
        dollars_two_forms,
        near_keys,
        rare_pair_long,
        pairs_of_octets,
        middle_out,
        last_octet_repeated,
        colliding_grams,
        raw_query,
    )
}
