"""Attacks on reading a file: its lines, keys and groups, and the octets that have to be written otherwise."""

from __future__ import annotations

import itertools

from benchmarks.hostile.trap import FILE_OCTETS, STAR, URL_OCTETS, Trap, filled, url_of, varied, words

SHARED_AGENTS = 80


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


def near_keys() -> Trap:
    """Keys that differ from the known ones in their last octet, or lack the colon."""
    keys = (b"allo v", b"user-agenu:", b"useragenx:v", b"dissalloww v", b"sitemaq:v", b"sitemapx v")
    return Trap("keys nearly right", filled(itertools.islice(itertools.cycle(keys), FILE_OCTETS)), url_of("a"))


def one_long_line() -> Trap:
    """One rule fills the file."""
    return Trap("one long line", filled([b"disallow:/" + b"a" * (FILE_OCTETS - 40)]), url_of("a"))


def nul_octets() -> Trap:
    """A NUL in every rule."""
    return Trap("NUL in every rule", filled(b"allow:/\0" + word for word in words()), url_of("a"))


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


def rewritten() -> Trap:
    """Short rules to encode, in two forms: dear where a matcher rewrites them for each question."""
    lines = varied("allow:*ÿÿÿÿÿ$".encode(), b"*?:")
    return Trap(
        "rules to rewrite, in two forms", filled(lines), f"{url_of('ÿ')[: URL_OCTETS // 2]}?:", url_may_vary=False
    )


def raw_query() -> Trap:
    """One rule whose query is octets to encode, in both forms."""
    lines = [b"allow:/?:" + b"\xff" * (FILE_OCTETS - 40)]
    return Trap("a query of octets to encode", filled(lines), url_of("a", "?:"))


TRAPS = (
    agents_sharing_rules,
    agents_sharing_more_rules,
    group_for_each_rule,
    agents_with_their_own,
    agents_alone,
    blank_lines,
    carriage_returns,
    unknown_records,
    odd_keys,
    near_keys,
    one_long_line,
    nul_octets,
    raw_octets,
    escapes,
    broken_escapes,
    reserved_query,
    literal_dollars,
    rewritten,
    raw_query,
)
