"""Attacks on parsing: lines, keys, groups, and bytes that have to be encoded or normalised."""

from __future__ import annotations

import itertools

from benchmarks.hostile.trap import FILE_BYTES, STAR, URL_BYTES, Trap, fill, make_url, varied, words

SHARED_AGENTS = 80


def agents_sharing_rules() -> Trap:
    """One group with as many agents as rules (102 KiB). Copying the rules for each agent is quadratic."""
    count = 102 * 1024 // 34
    lines = [b"user-agent: bot%05d" % number for number in range(count)]
    lines += [b"disallow: /%04d" % number for number in range(count)]
    return Trap("3,000 agents x 3,000 rules", fill(lines, start=b""), make_url("a"), agent="bot00001")


def agents_sharing_more_rules() -> Trap:
    """The same in a file of full size."""
    lines = [b"user-agent:b%d" % number for number in range(14_000)]
    lines += [b"allow:/%d" % number for number in range(22_000)]
    return Trap("14,000 agents x 20,000 rules", fill(lines, start=b""), make_url("a"), agent="b1")


def group_for_each_rule() -> Trap:
    """A separate group for every rule, all for the same agent, which have to be merged."""
    lines = itertools.chain.from_iterable((b"user-agent:*", b"allow:*" + word + b"*z") for word in words())
    return Trap("a group for each rule", fill(lines, start=b""), make_url("bcdefghij"))


def agents_with_own_rules() -> Trap:
    """Agents that share most rules and have one rule of their own, so that each selects different groups."""
    agents = [b"user-agent:a%d" % number for number in range(SHARED_AGENTS)]
    lines = [*itertools.chain.from_iterable((agent, b"allow:/own") for agent in agents), *agents]
    lines += [b"allow:/*" + word + b"*z" for word in itertools.islice(words(), 29_000)]
    return Trap(f"{SHARED_AGENTS} agents with different groups", fill(lines, start=b""), make_url("a"), agent="a1")


def agents_only() -> Trap:
    """Only user-agent lines, as short as possible."""
    return Trap("only user-agent lines", fill((b"user-agent:" + word for word in words()), start=b""), make_url("a"))


def blank_lines() -> Trap:
    """Half a million empty lines."""
    return Trap("empty lines", fill(itertools.repeat(b"")), make_url("a"))


def carriage_returns() -> Trap:
    """Half a million empty lines that end with CR."""
    return Trap("empty lines, CR", STAR + b"\r" * (FILE_BYTES - len(STAR)), make_url("a"))


def unknown_records() -> Trap:
    """Records that are not rules, as short as possible."""
    return Trap("unknown records a:b", fill(itertools.repeat(b"a:b")), make_url("a"))


def odd_keys() -> Trap:
    """Misspelled keys: with typos, without a colon, or with a suffix."""
    keys = (b"disalow /", b"Dissallow\t/", b"ALLOWx:/", b"disallow-of:/", b"allow /")
    lines = (key + word for key, word in zip(itertools.cycle(keys), words(), strict=False))
    return Trap("misspelled keys", fill(lines), make_url("a"))


def near_keys() -> Trap:
    """Keys that differ from known ones in the last byte, or lack the colon."""
    keys = (b"allo v", b"user-agenu:", b"useragenx:v", b"dissalloww v", b"sitemaq:v", b"sitemapx v")
    return Trap("almost correct keys", fill(itertools.islice(itertools.cycle(keys), FILE_BYTES)), make_url("a"))


def one_long_line() -> Trap:
    """One rule that fills the file."""
    return Trap("one long line", fill([b"disallow:/" + b"a" * (FILE_BYTES - 40)]), make_url("a"))


def nul_bytes() -> Trap:
    """A NUL byte in every rule."""
    return Trap("NUL in every rule", fill(b"allow:/\0" + word for word in words()), make_url("a"))


def raw_bytes() -> Trap:
    """Rules and a URL in which every byte has to be encoded."""
    lines = (b"allow:/*" + "é".encode() * 8 + word for word in words())
    return Trap("bytes to encode", fill(lines), make_url("é")[: URL_BYTES // 2 + 12])


def escapes() -> Trap:
    """Rules and a URL of escapes that have to be normalised."""
    lines = (b"allow:/*%7e%c3%a9%2f%61" + word for word in words())
    return Trap("escapes to normalise", fill(lines), make_url("%7e%c3%a9%2f%61", "%7eabcdefgh"))


def broken_escapes() -> Trap:
    """Percent signs that are not escapes."""
    return Trap("broken escapes", fill(b"allow:/%%%%%%%%" + word for word in words()), make_url("%%%"))


def reserved_query() -> Trap:
    """Reserved characters in a query: each rule and the URL are matched in two forms."""
    lines = (b"allow:/*?*:*/a*z" + word for word in words())
    return Trap("rules of two forms", fill(lines), make_url("?:/a"))


def literal_dollars() -> Trap:
    """Literal dollar signs, which are encoded as three bytes each."""
    return Trap("literal dollars", fill(b"allow:/*$$$$$$" + word for word in words()), make_url("$"))


def encoded_rules() -> Trap:
    """Short rules to encode, in two forms: slow if a matcher encodes them for each URL."""
    lines = varied("allow:*ÿÿÿÿÿ$".encode(), b"*?:")
    return Trap(
        "rules to encode, in two forms", fill(lines), f"{make_url('ÿ')[: URL_BYTES // 2]}?:", url_may_vary=False
    )


def raw_query() -> Trap:
    """One rule with a query of bytes to encode, in both forms."""
    lines = [b"allow:/?:" + b"\xff" * (FILE_BYTES - 40)]
    return Trap("a query of bytes to encode", fill(lines), make_url("a", "?:"))


TRAPS = (
    agents_sharing_rules,
    agents_sharing_more_rules,
    group_for_each_rule,
    agents_with_own_rules,
    agents_only,
    blank_lines,
    carriage_returns,
    unknown_records,
    odd_keys,
    near_keys,
    one_long_line,
    nul_bytes,
    raw_bytes,
    escapes,
    broken_escapes,
    reserved_query,
    literal_dollars,
    encoded_rules,
    raw_query,
)
