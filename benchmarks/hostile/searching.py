"""Attacks on the search for a rule's literal octets in a target, and on an index of its rarest octets in a row."""

from __future__ import annotations

import itertools

from benchmarks.hostile.trap import URL_OCTETS, Trap, filled, pairs, url_of, varied, words
from benchmarks.inputs import ORIGIN, Dice

HASH = 0x9E3779B1  # 2 to the 32nd over the golden ratio: the usual multiplier, with an inverse modulo 2 to the 32nd
GRAM_OCTETS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!&'()+,;=:@/"
SLOTS = 1 << 17


def distinct_text(octets: int, seed: int = 5) -> str:
    """Write a text in which nearly every run of four octets occurs once."""
    dice = Dice(seed)
    return "".join(dice.pick("abcdefghijklmnopqrstuvwxyz0123456789-_") for _ in range(octets))


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


def _with_gram(query: str = "") -> str:
    """Write a URL of `q` with one `qqe` at the start, so that it holds every gram of the needles above."""
    url = url_of("q", query)
    start = len(ORIGIN) + 1
    return f"{url[:start]}qqeqqq{url[start + 6 :]}"


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
    lines = varied(b"allow:*qqqqqqqqe", b"*?:")
    return Trap("common pair, in two forms", filled(lines), _with_gram("?:"), url_may_vary=False)


def dollars_two_forms() -> Trap:
    """The URL's dollars grow to three octets each, both forms are searched, and the needle is longer than a vector."""
    lines = varied(b"allow:*$$$$$$$$$$e$$$", b"*?:")
    return Trap("dollars, in two forms", filled(lines), _of_dollars("$$e"), url_may_vary=False)


def dollars_and_accent() -> Trap:
    """The worst that `search.py` met for the native engine: the needle ends in octets to encode as well."""
    lines = varied("allow:*$$$$$$$$é".encode(), b"*?:")
    return Trap("dollars and an accent, in two forms", filled(lines), _of_dollars("$$é"), url_may_vary=False)


def _of_dollars(run: str) -> str:
    """Write a URL of dollars that begins with a run which holds every gram of the needle, with both forms."""
    rest = url_of("$", "?:")[len(ORIGIN) + 1 + len(run.encode()) :]
    return f"{ORIGIN}/{run}{rest}"


def rare_pair_long() -> Trap:
    """Longer needles of the same kind, beyond what a search by pairs takes."""
    lines = varied(b"allow:*" + b"q" * 200 + b"e" + b"q" * 200)
    return Trap("common pair, long needles", filled(lines), _with_gram())


def pairs_of_octets() -> Trap:
    """Segments of two octets, a thousand to a rule, in two forms: the cost of beginning a search."""
    lines = (b"allow:*?:" + b"*ab" * number for number in range(960, 700, -1))
    return Trap("segments of two octets", filled(lines), url_of("ab", "?:abababab"))


def middle_out() -> Trap:
    """Needles that agree with the URL at every place until their middle: a search that compares from the left."""
    lines = varied(b"allow:*" + b"q" * 24 + b"e" + b"q" * 25)
    return Trap("needles odd in the middle", filled(lines), _with_gram())


def last_octet_repeated() -> Trap:
    """The same with shorter needles: more rules, fewer comparisons each."""
    lines = varied(b"allow:*qqqqqqeqqqqqqq")
    return Trap("short needles odd in the middle", filled(lines), _with_gram())


def _behind(end: str) -> str:
    start = "$abc" * 12 + "x"
    return f"{ORIGIN}/{start}{url_of('$', end)[len(ORIGIN) + 1 + len(start) :]}"


def all_behind_us() -> Trap:
    """The second segment occurs often, but only in front of the first: an ordered list of its places is all passed."""
    return Trap("places all passed", filled(varied(b"allow:*x*$abc")), _behind(""), url_may_vary=False)


def all_behind_us_two_forms() -> Trap:
    """The same in two forms."""
    lines = varied(b"allow:*x*$abc", b"*?:")
    return Trap("places all passed, in two forms", filled(lines), _behind("?:"), url_may_vary=False)


def all_but_one_behind_us() -> Trap:
    """The same, but for one place at the end, behind which the rule wants what is not there."""
    lines = varied(b"allow:*x*$abc*x")
    return Trap("places passed but the last", filled(lines), _behind("$abc"), url_may_vary=False)


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


def colliding_grams() -> Trap:
    """Grams of three octets that a multiplicative hash sends to neighbouring slots of an open table."""
    return Trap("grams that collide", filled(b"allow:*" + gram for gram in colliding()), _colliding_url())


TRAPS = (
    repeated_gram,
    near_miss_tail,
    swapped_neighbours,
    periodic_search,
    long_needles,
    rare_pair,
    rare_pair_repeated,
    rare_pair_two_forms,
    dollars_two_forms,
    dollars_and_accent,
    rare_pair_long,
    pairs_of_octets,
    middle_out,
    last_octet_repeated,
    all_behind_us,
    all_behind_us_two_forms,
    all_but_one_behind_us,
    colliding_grams,
)
