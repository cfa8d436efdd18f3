"""Both engines at once: return their common answer, or raise an error that names the difference.

The second engine here is the Python engine with wrong answers, so that the tests run without a native engine.
"""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from canfetch.core import both
from canfetch.core.contract import Decision
from canfetch.core.engines import get_compiler
from canfetch.core.reference.compiled import BoundRules, CompiledFile, compile_file
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Rule
from canfetch.errors import EngineError, InvalidURL

FILE = b"User-agent: a\nDisallow: /x\nDisallow: /\nSitemap: s\n"
OTHER_FILE = b"User-agent: a\nUser-agent: b\nAllow: /x\n\nUser-agent: a\nFoo: s\n"
RULES = (Rule(False, b"/x", 2, 2), Rule(False, b"/", 3, 1))


def pair(native: CompiledFile) -> both.CompiledFilePair:
    return both.CompiledFilePair(compile_file(FILE, "rfc9309"), native)


@pytest.fixture
def agreeing() -> both.CompiledFilePair:
    return pair(compile_file(FILE, "rfc9309"))


@pytest.fixture
def differing() -> both.CompiledFilePair:
    return pair(compile_file(OTHER_FILE, "rfc9309"))


def test_common_answers_are_returned(agreeing: both.CompiledFilePair) -> None:
    assert agreeing.group_table() == [([(b"a", 1)], [(False, b"/x", 2), (False, b"/", 3)])]
    assert agreeing.other_records() == [(4, 1, 39, 46, 48, 49, 0)]
    rules = agreeing.bind((b"a",), True, None, None)
    assert (rules.choice, rules.token_index, rules.group_indices, rules.rule_count) == ("own-token", 0, [0], 2)
    assert not rules.allows("/x")
    assert rules.allows_many(url for url in ("/x", b"/robots.txt")) == [False, True]
    assert rules.decide("/x") == (False, "disallow-rule", RULES[0], RULES[1:], b"/x")
    assert rules.deciding_rule("/x") == (False, RULES[0])


def test_a_common_error_is_raised(agreeing: both.CompiledFilePair) -> None:
    rules = agreeing.bind((b"a",), True, None, None)
    with pytest.raises(InvalidURL):
        rules.allows("x")
    with pytest.raises(InvalidURL) as caught:
        rules.allows_many(["/", "x"])
    assert caught.value.index == 1
    with pytest.raises(TypeError):
        rules.decide(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call, what",
    [
        (lambda file: file.group_table(), "the groups"),
        (lambda file: file.other_records(), "the other records"),
        (lambda file: file.bind((b"b",), True, None, None).choice, "the choice of groups"),
        (lambda file: file.bind((b"b",), True, None, None).token_index, "the token"),
        (lambda file: file.bind((b"a",), True, None, None).group_indices, "the selected groups"),
        (lambda file: file.bind((b"a",), True, None, None).rule_count, "the number of rules"),
        (lambda file: file.bind((b"a",), True, None, None).allows("/x"), "'/x'"),
        (lambda file: file.bind((b"a",), True, None, None).allows_many(["/x"]), "a batch of URLs"),
        (lambda file: file.bind((b"a",), True, None, None).decide("/x"), "'/x'"),
        (lambda file: file.bind((b"a",), True, None, None).deciding_rule("/x"), "'/x'"),
    ],
)
def test_a_difference_raises_an_error_that_names_it(
    differing: both.CompiledFilePair, call: Callable[[Any], object], what: str
) -> None:
    with pytest.raises(EngineError, match=f"the engines differ on {what}: python returned .*, native returned "):
        call(differing)


def test_different_losing_rules_are_a_difference() -> None:
    content = FILE.replace(b"Disallow: /\n", b"Disallow: *\n")
    rules = pair(compile_file(content, "rfc9309")).bind((b"a",), True, None, None)
    assert rules.deciding_rule("/x") == (False, RULES[0])
    with pytest.raises(EngineError, match="the engines differ on '/x'"):
        rules.decide("/x")


class FaultyRules(BoundRules):
    """Rules that raise instead of returning, and return instead of raising."""

    def allows(self, url: AnyURL) -> bool:
        if url == "x":
            return True
        raise InvalidURL("no")

    def allows_many(self, urls: Iterable[AnyURL]) -> list[bool]:
        raise RuntimeError(f"a defect for {urls}")

    def decide(self, url: AnyURL) -> Decision:
        raise InvalidURL(f"another message about {url!r}")


def test_an_error_of_one_engine_is_a_difference() -> None:
    rules = compile_file(FILE, "rfc9309").bind((b"a",), True, None, None)
    faulty = FaultyRules(rules._rules, rules._selection, rules._profile, None, None)
    mixed = both.BoundRulesPair(rules, faulty)
    for url in ("/x", "x"):
        with pytest.raises(EngineError, match="InvalidURL"):
            mixed.allows(url)
    with pytest.raises(EngineError, match="another message"):
        mixed.decide("x")


def test_an_unexpected_exception_is_not_hidden() -> None:
    rules = compile_file(FILE, "rfc9309").bind((b"a",), True, None, None)
    faulty = FaultyRules(rules._rules, rules._selection, rules._profile, None, None)
    with pytest.raises(RuntimeError, match="a defect"):
        both.BoundRulesPair(rules, faulty).allows_many(["/x"])


def test_the_native_engine_is_one_of_both(both_engines: str) -> None:
    compiled = both.pair_compilers(compile_file, get_compiler("native"))(FILE, "rfc9309")
    rules = compiled.bind((b"a",), True, None, None)
    for _ in range(40):
        assert rules.decide("/x") == (False, "disallow-rule", RULES[0], RULES[1:], b"/x")
    assert both_engines == "both"
