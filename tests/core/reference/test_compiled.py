"""The Python engine, through the interface of both engines."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from canfetch.core.contract import Decision
from canfetch.core.limits import COMPILED_RULES_LIMIT, COMPILED_SETS_LIMIT
from canfetch.core.reference.compiled import compile_file
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Rule
from canfetch.errors import InvalidURL, OriginMismatch, UnknownProfile

FILE = b"User-agent: a\nDisallow: /x\nSitemap: s\nAllow: /x/y\n\nUser-agent: *\nDisallow:\n"


def test_tables_are_copies() -> None:
    compiled = compile_file(FILE, "rfc9309")
    assert compiled.group_table() == [
        ([(b"a", 1)], [(False, b"/x", 2), (True, b"/x/y", 4)]),
        ([(b"*", 6)], [(False, b"", 7)]),
    ]
    assert compiled.other_records() == [(3, 1, 27, 34, 36, 37, 0)]
    # Changing the returned lists has no effect.
    compiled.group_table()[0][1].clear()
    compiled.other_records().clear()
    assert len(compiled.group_table()[0][1]) == 2
    assert len(compiled.other_records()) == 1


def test_an_unknown_profile_is_an_error() -> None:
    with pytest.raises(UnknownProfile):
        compile_file(b"", "bong")


@pytest.mark.parametrize(
    "profile, url, decision",
    [
        ("rfc9309", "/x", (False, "disallow-rule", Rule(False, b"/x", 2, 2), (), b"/x")),
        ("rfc9309", "/x/y", (True, "allow-rule", Rule(True, b"/x/y", 4, 4), (Rule(False, b"/x", 2, 2),), b"/x/y")),
        ("rfc9309", "/z", (True, "no-match", None, (), b"/z")),
        ("rfc9309", "/robots.txt", (True, "robots-txt", None, (), b"/robots.txt")),
        ("rfc9309", "/a/../%72obots.txt", (True, "robots-txt", None, (), b"/robots.txt")),
        ("google", "/robots.txt", (True, "no-match", None, (), b"/robots.txt")),
        ("googlebot", "/robots.txt", (True, "robots-txt", None, (), b"/robots.txt")),
        ("googlebot", "/%72obots.txt", (True, "no-match", None, (), b"/%72obots.txt")),
    ],
)
def test_decisions_and_reasons(profile: str, url: str, decision: tuple[object, ...]) -> None:
    rules = compile_file(FILE, profile).bind((b"a",), True, None, None)
    assert rules.decide(url) == decision
    assert rules.deciding_rule(url) == (decision[0], decision[2])
    assert rules.allows(url) is decision[0]
    assert rules.allows_many([url]) == [decision[0]]


@pytest.mark.parametrize("profile", ["rfc9309", "strict", "google2019"])
def test_rfc9309_2_2_2_an_empty_rule_matches_nothing(profile: str) -> None:
    rules = compile_file(FILE, profile).bind((b"b",), True, None, None)
    assert rules.decide("/x") == (True, "no-match", None, (), b"/x")
    assert rules.deciding_rule("/x") == (True, None)


@pytest.mark.parametrize("profile", ["google", "googlebot"])
def test_google_an_empty_rule_matches_with_specificity_0(profile: str) -> None:
    rules = compile_file(FILE, profile).bind((b"b",), True, None, None)
    assert rules.decide("/x") == (True, "empty-rule", Rule(False, b"", 7, 0), (), b"/x")
    assert rules.deciding_rule("/x") == (True, Rule(False, b"", 7, 0))
    assert rules.allows("/x")
    assert rules.allows_many(["/x"]) == [True]


def test_without_a_group_everything_is_allowed() -> None:
    rules = compile_file(FILE, "rfc9309").bind((b"b",), False, None, None)
    assert (rules.choice, rules.token_index, rules.group_indices) == ("none", -1, [])
    assert rules.decide("/x") == (True, "no-group", None, (), b"/x")
    assert rules.allows("/x")
    assert rules.allows_many(("/x",)) == [True]


def lines(decision: Decision) -> list[int]:
    _, _, rule, also_matched, _ = decision
    return [*([] if rule is None else [rule.line]), *(other.line for other in also_matched)]


def test_rfc9309_2_2_2_a_rule_matches_in_either_form() -> None:
    body = b"User-agent: *\nDisallow: /s?u=https://b\nAllow: /s?u=https%3A%2F%2Fb/c\n"
    rules = compile_file(body, "rfc9309").bind((b"b",), True, None, None)
    for url in ("/s?u=https://b", "/s?u=https%3a%2f%2Fb", "/s?u=https%3A//b"):
        assert not rules.allows(url)
        assert lines(rules.decide(url)) == [2]
    # The allow rule has the higher specificity.
    for url in ("/s?u=https://b/c", "/s?u=https%3A%2F%2Fb%2Fc"):
        assert rules.decide(url)[:2] == (True, "allow-rule")
        assert lines(rules.decide(url)) == [3, 2]


def test_urls_of_other_origins_are_checked() -> None:
    seen: list[tuple[object, int | None]] = []

    def check(url: AnyURL, index: int | None) -> None:
        seen.append((url, index))
        assert isinstance(url, str | bytes)
        if b"b" in (url if isinstance(url, bytes) else url.encode()):
            raise OriginMismatch("another", index=index)

    rules = compile_file(FILE, "rfc9309").bind((b"a",), True, b"https://e", check)
    # The canonical spelling of the file's origin, or no origin.
    assert rules.allows_many(["https://e/x", b"https://e", "https://e?q", "https://e#f", "/x", "//"]) == [
        False,
        True,
        True,
        True,
        False,
        True,
    ]
    assert seen == []
    # Another spelling, another scheme, a longer host, a network path.
    for url in ("HTTPS://E/x", "http://e/x", "https://ee/x", "https://e:443/x", "https://u@e/x", "//e/x"):
        assert not rules.allows(url)
    assert [url for url, _ in seen] == [
        "HTTPS://E/x",
        "http://e/x",
        "https://ee/x",
        "https://e:443/x",
        "https://u@e/x",
        "//e/x",
    ]
    with pytest.raises(OriginMismatch) as caught:
        rules.allows_many(["/x", b"https://b/"])
    assert caught.value.index == 1
    for method in (rules.allows, rules.decide, rules.deciding_rule):
        with pytest.raises(OriginMismatch):
            method("//b/x")
    with pytest.raises(InvalidURL):
        rules.allows("b")
    with pytest.raises(TypeError):
        rules.allows_many([7])  # type: ignore[list-item]


def test_an_origin_without_a_check_is_not_checked() -> None:
    assert not compile_file(FILE, "rfc9309").bind((b"a",), True, b"https://e", None).allows("https://b/x")


def test_compiled_rules_are_shared_and_bounded() -> None:
    body = b"".join(
        b"User-agent: a%d\nUser-agent: b%d\nDisallow: /%d\n" % (index, index, index) for index in range(100)
    )
    compiled = compile_file(body, "rfc9309")
    first = compiled.bind((b"a1",), True, None, None)
    assert compiled.bind((b"b1",), True, None, None)._rules is first._rules
    assert compiled.bind((b"A1",), False, None, None)._rules is first._rules
    for index in range(100):
        assert not compiled.bind((b"a%d" % index,), True, None, None).allows(f"/{index}")
        assert len(compiled._rule_sets) <= COMPILED_SETS_LIMIT
    # Rules that were bound before the cache was cleared still work.
    assert not first.allows("/1")


@pytest.mark.slow
def test_compiled_rules_that_agents_do_not_share_are_bounded_together() -> None:
    shared = b"".join(b"User-agent: a%d\n" % index for index in range(40))
    own = b"".join(b"User-agent: a%d\nDisallow: /own%d\n" % (index, index) for index in range(40))
    body = own + shared + b"".join(b"Disallow: /%d\n" % index for index in range(4000))
    compiled = compile_file(body, "rfc9309")
    for index in range(40):
        bound = compiled.bind((b"a%d" % index,), True, None, None)
        assert bound.rule_count == 4001
        assert not bound.allows(f"/own{index}")
        held = sum(rule_set.rule_count for rule_set in compiled._rule_sets.values())
        assert held == compiled._cached_rule_count <= COMPILED_RULES_LIMIT


@pytest.mark.slow
def test_the_rules_of_one_agent_are_cached_however_many() -> None:
    body = b"User-agent: *\n" + b"Allow:/a\n" * (COMPILED_RULES_LIMIT + 1)
    compiled = compile_file(body, "rfc9309")
    bound = compiled.bind((b"a",), True, None, None)
    assert bound.rule_count == COMPILED_RULES_LIMIT + 1
    assert compiled.bind((b"b",), True, None, None)._rules is bound._rules


@pytest.mark.slow
def test_binding_is_thread_safe() -> None:
    body = b"".join(b"User-agent: a%d\nDisallow: /%d\n" % (index, index) for index in range(300))
    compiled = compile_file(body, "rfc9309")

    def is_allowed(index: int) -> bool:
        return compiled.bind((b"a%d" % (index % 300),), True, None, None).allows(f"/{index % 300}")

    with ThreadPoolExecutor(8) as threads:
        assert not any(threads.map(is_allowed, range(3000)))
