"""Attacks on pattern matching: wildcards, common prefixes, suffixes, and rules that all match."""

from __future__ import annotations

import itertools

from benchmarks.hostile.trap import FILE_BYTES, STAR, Trap, fill, make_url, words


def wildcard_run() -> Trap:
    """One rule with a thousand stars. A backtracking matcher never returns."""
    return Trap("one rule /a*a*...b", STAR + b"disallow:/" + b"a*" * 1000 + b"b\n", make_url("a"))


def wildcard_runs() -> Trap:
    """61 different rules with about four thousand stars each."""
    lines = (b"disallow:/" + b"*a" * (4100 - number) + b"b" for number in range(61))
    return Trap("61 rules of 4,000 stars", fill(lines), make_url("a"))


def late_words() -> Trap:
    """Rules whose first segment is found everywhere and whose second is found nowhere."""
    return Trap("27,000 rules /*a*b<i>", fill(b"allow:/*a*z" + word for word in words()), make_url("a"))


def prefix_chain() -> Trap:
    """Rules that are prefixes of each other and of the URL: a trie with one path and a rule at every node."""
    lines = (b"allow:/" + b"a" * number for number in range(2000))
    return Trap("chain of prefixes", fill(lines), make_url("a"))


def prefix_chain_wildcards() -> Trap:
    """The same chain, with a wildcard rule at every node."""
    lines = (b"allow:/" + b"a" * number + b"*z" + word for number, word in zip(range(2000), words(), strict=False))
    return Trap("chain of prefixes with stars", fill(lines), make_url("a"))


def one_head() -> Trap:
    """Rules with a common prefix that the URL has."""
    return Trap("common prefix /aaaa*<i>", fill(b"allow:/aaaa*z" + word for word in words()), make_url("a"))


def everything_matches() -> Trap:
    """64,000 equal rules that all match."""
    return Trap("64,000 times allow:/", fill(itertools.repeat(b"allow:/")), make_url("a"))


def short_rules() -> Trap:
    """As many different rules as fit."""
    return Trap("short distinct rules", fill(b"allow:/" + word for word in words()), make_url("a"))


def short_wildcards() -> Trap:
    """As many different rules as fit, too short for any gram."""
    return Trap("rules too short for grams", fill(b"allow:*" + word + b"*z" for word in words()), make_url("bcdefghij"))


def one_line_of_stars() -> Trap:
    """One rule with a quarter of a million segments."""
    return Trap("one line of stars", fill([b"disallow:/" + b"*a" * (FILE_BYTES // 2 - 20)]), make_url("a"))


def anchored() -> Trap:
    """Suffixes that the URL almost has."""
    lines = (b"allow:/*a*" + word + b"aaaa$" for word in words())
    return Trap("suffixes", fill(lines), make_url("a"), url_may_vary=False)


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
