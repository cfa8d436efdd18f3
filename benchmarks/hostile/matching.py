"""Attacks on matching as such: stars, heads, ends, and rules that all match."""

from __future__ import annotations

import itertools

from benchmarks.hostile.trap import FILE_OCTETS, STAR, Trap, filled, url_of, words


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


def one_line_of_stars() -> Trap:
    """One rule of a quarter of a million segments fills the file."""
    return Trap("one line of stars", filled([b"disallow:/" + b"*a" * (FILE_OCTETS // 2 - 20)]), url_of("a"))


def anchored() -> Trap:
    """Suffixes that the URL nearly has."""
    lines = (b"allow:/*a*" + word + b"aaaa$" for word in words())
    return Trap("suffixes", filled(lines), url_of("a"), url_may_vary=False)


TRAPS = (
    wildcard_run,
    wildcard_runs,
    late_words,
    prefix_chain,
    prefix_chain_wildcards,
    one_head,
    everything_matches,
    short_rules,
    short_wildcards,
    one_line_of_stars,
    anchored,
)
