"""Attacks on substring search and on indexes of rare grams (short byte sequences)."""

from __future__ import annotations

import itertools

from benchmarks.hostile.trap import URL_BYTES, Trap, fill, make_url, pairs, varied, words
from benchmarks.inputs import ORIGIN, Dice

HASH = 0x9E3779B1  # 2 to the 32nd over the golden ratio: the usual multiplier, with an inverse modulo 2 to the 32nd
GRAM_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!&'()+,;=:@/"
SLOTS = 1 << 17


def distinct_text() -> str:
    """Return a text in which almost every sequence of four bytes occurs once."""
    dice = Dice(5)
    return "".join(dice.pick("abcdefghijklmnopqrstuvwxyz0123456789-_") for _ in range(URL_BYTES))


def repeated_gram() -> Trap:
    """Rules that share one gram, which the URL repeats. Reading all its rules at every position is quadratic."""
    lines = (b"allow:/*aaaa*x*y*" + word for word in words())
    return Trap("shared gram, repeated", fill(lines), make_url("a"))


def near_miss_tail() -> Trap:
    """Rules whose rare grams are all in the URL, but before the segment that has to come first."""
    text = distinct_text()
    url = make_url(text, "zz")
    path = url[len(ORIGIN) :]
    lines = (
        b"allow:/*zz*" + path[position : position + length].encode()
        for length in range(4, 30)
        for position in range(1, len(path) - 40)
    )
    return Trap("near misses /*zz*S", fill(lines), url, url_may_vary=False)


def swapped_neighbours() -> Trap:
    """Rules whose two segments both occur in the URL, but in the opposite order."""
    text = distinct_text()
    url = make_url(text)
    path = url[len(ORIGIN) :]
    lines = (
        b"allow:/*" + path[position : position + length].encode() + b"*" + path[position - 2 : position + 3].encode()
        for length in range(5, 40)
        for position in range(8, len(path) - 60)
    )
    return Trap("near misses, order swapped", fill(lines), url, url_may_vary=False)


def periodic_search() -> Trap:
    """Texts of two different bytes only. No byte is rare, and a search advances slowly."""
    lines = (b"allow:/*" + bytes(b"ab"[number >> bit & 1] for bit in range(17)) + b"a" * 6 for number in range(1 << 17))
    return Trap("needles of two letters", fill(lines), make_url("aab"))


def long_needles() -> Trap:
    """Needles that match most of their length at every position of the URL."""
    lines = (b"allow:/*" + b"a" * (600 + number % 300) + b"b" + b"a" * (number // 300) for number in range(2000))
    return Trap("needles a...ab", fill(lines), make_url("a"))


def _with_gram(query: str = "") -> str:
    """Return a URL of `q` with `qqe` at the start, so that it contains every gram of the needles."""
    url = make_url("q", query)
    start = len(ORIGIN) + 1
    return f"{url[:start]}qqeqqq{url[start + 6 :]}"


def rare_pair() -> Trap:
    """A search for the two rarest bytes of a needle finds them at every position of the URL, but never the needle.

    `q` is rarer than `e` in usual text, so the search tests the pair `qq`. The URL contains every gram of the needle.
    The stars and pairs of letters after the needle make the rules different without adding a gram to the index.
    """
    lines = (b"allow:*qqqqqqqqe*" + word for word in pairs())
    return Trap("common pair, no needle", fill(lines), _with_gram())


def rare_pair_repeated() -> Trap:
    """The same needle in as many equal rules as fit."""
    return Trap("common pair, equal rules", fill(itertools.repeat(b"allow:*qqqqqqqqe")), _with_gram())


def rare_pair_two_forms() -> Trap:
    """The same with reserved characters in a query, so that both forms of the URL are searched."""
    lines = varied(b"allow:*qqqqqqqqe", b"*?:")
    return Trap("common pair, in two forms", fill(lines), _with_gram("?:"), url_may_vary=False)


def dollars_two_forms() -> Trap:
    """Dollar signs are encoded as three bytes each, both forms are searched, and the needle is longer than a vector."""
    lines = varied(b"allow:*$$$$$$$$$$e$$$", b"*?:")
    return Trap("dollars, in two forms", fill(lines), _dollar_url("$$e"), url_may_vary=False)


def dollars_and_accent() -> Trap:
    """The slowest file found by `search.py` for the native engine. The needle also ends with bytes to encode."""
    lines = varied("allow:*$$$$$$$$é".encode(), b"*?:")
    return Trap("dollars and an accent, in two forms", fill(lines), _dollar_url("$$é"), url_may_vary=False)


def _dollar_url(run: str) -> str:
    """Return a URL of dollar signs that starts with every gram of the needle and has two forms."""
    rest = make_url("$", "?:")[len(ORIGIN) + 1 + len(run.encode()) :]
    return f"{ORIGIN}/{run}{rest}"


def rare_pair_long() -> Trap:
    """Longer needles of the same kind, beyond the limit of a search by pairs."""
    lines = varied(b"allow:*" + b"q" * 200 + b"e" + b"q" * 200)
    return Trap("common pair, long needles", fill(lines), _with_gram())


def two_byte_segments() -> Trap:
    """Rules of a thousand segments of two bytes, in two forms: the cost of starting a search."""
    lines = (b"allow:*?:" + b"*ab" * number for number in range(960, 700, -1))
    return Trap("segments of two bytes", fill(lines), make_url("ab", "?:abababab"))


def middle_out() -> Trap:
    """Needles that match up to their middle at every position of the URL, for a search that compares from the left."""
    lines = varied(b"allow:*" + b"q" * 24 + b"e" + b"q" * 25)
    return Trap("needles odd in the middle", fill(lines), _with_gram())


def middle_out_short() -> Trap:
    """The same with shorter needles: more rules with fewer comparisons each."""
    lines = varied(b"allow:*qqqqqqeqqqqqqq")
    return Trap("short needles odd in the middle", fill(lines), _with_gram())


def _positions_before(end: str) -> str:
    start = "$abc" * 12 + "x"
    return f"{ORIGIN}/{start}{make_url('$', end)[len(ORIGIN) + 1 + len(start) :]}"


def all_skipped() -> Trap:
    """The second segment occurs often, but only before the first, so all of its positions are skipped."""
    return Trap("all positions skipped", fill(varied(b"allow:*x*$abc")), _positions_before(""), url_may_vary=False)


def all_skipped_two_forms() -> Trap:
    """The same in two forms."""
    lines = varied(b"allow:*x*$abc", b"*?:")
    return Trap("all positions skipped, in two forms", fill(lines), _positions_before("?:"), url_may_vary=False)


def all_but_one_skipped() -> Trap:
    """The same with one more position at the end, after which the third segment is missing."""
    lines = varied(b"allow:*x*$abc*x")
    return Trap("all positions but the last skipped", fill(lines), _positions_before("$abc"), url_may_vary=False)


def colliding() -> list[bytes]:
    """Return grams whose slots are in the first eleventh of the table, lowest first."""
    found = []
    for one, two, three in itertools.product(GRAM_BYTES, repeat=3):
        slot = ((one | two << 8 | three << 16) * HASH % (1 << 32) >> 8) & (SLOTS - 1)
        if slot < SLOTS // 11:
            found.append((slot, bytes((one, two, three))))
    return [gram for _, gram in sorted(found)]


def _colliding_url() -> str:
    path = b"".join(colliding()[:670])
    return f"{ORIGIN}/{path.decode()}"[:URL_BYTES]


def colliding_grams() -> Trap:
    """Grams of three bytes that a multiplicative hash maps to adjacent slots of an open-addressing table."""
    return Trap("grams that collide", fill(b"allow:*" + gram for gram in colliding()), _colliding_url())


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
    two_byte_segments,
    middle_out,
    middle_out_short,
    all_skipped,
    all_skipped_two_forms,
    all_but_one_skipped,
    colliding_grams,
)
