"""Both engines at once: an answer that both give, or an error that says on what they differ.

The engines here are the Python engine and one that lies, so that it runs where no native engine is built.
"""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from canfetch.core import both
from canfetch.core.contract import RuleRow
from canfetch.core.engines import compiler_of
from canfetch.core.reference import CompiledFile, compile_file
from canfetch.core.reference.compiled import BoundRules
from canfetch.errors import EngineError, InvalidURL

FILE = b"User-agent: a\nDisallow: /x\nSitemap: s\n"
OTHER_FILE = b"User-agent: a\nUser-agent: b\nAllow: /x\n\nUser-agent: a\nFoo: s\n"


def twice(native: CompiledFile) -> both.FileCompiledTwice:
    return both.FileCompiledTwice(compile_file(FILE, "rfc9309"), native)


def bound_twice(native: CompiledFile, tokens: tuple[bytes, ...] = (b"a",)) -> both.RulesBoundTwice:
    return twice(native).bind(tokens, True, None, None)


@pytest.fixture
def agreeing() -> CompiledFile:
    return compile_file(FILE, "rfc9309")


@pytest.fixture
def differing() -> CompiledFile:
    return compile_file(OTHER_FILE, "rfc9309")


def test_what_both_say_is_the_answer(agreeing: CompiledFile) -> None:
    compiled = twice(agreeing)
    assert compiled.group_table() == [([(b"a", 1)], [(False, b"/x", 2)])]
    assert compiled.other_records() == [(3, 1, 27, 34, 36, 37, 0)]
    rules = bound_twice(agreeing)
    assert (rules.choice, rules.token_index, rules.group_indices) == ("own-token", 0, [0])
    assert not rules.allows("/x")
    assert rules.allows_many(url for url in ("/x", b"/y")) == [False, True]
    assert rules.decide("/x") == (False, "disallow-rule", (False, b"/x", 2, 2), b"/x")
    assert rules.matched("/x") == [(False, b"/x", 2, 2)]


def test_an_error_of_both_is_raised(agreeing: CompiledFile) -> None:
    rules = bound_twice(agreeing)
    with pytest.raises(InvalidURL):
        rules.allows("x")
    with pytest.raises(InvalidURL) as caught:
        rules.allows_many(["/", "x"])
    assert caught.value.index == 1
    with pytest.raises(TypeError):
        rules.decide(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "ask, question",
    [
        (lambda file: file.group_table(), "the groups"),
        (lambda file: file.other_records(), "the other records"),
        (lambda file: file.bind((b"b",), True, None, None).choice, "the choice of groups"),
        (lambda file: file.bind((b"b",), True, None, None).token_index, "the token"),
        (lambda file: file.bind((b"a",), True, None, None).group_indices, "the groups chosen"),
        (lambda file: file.bind((b"a",), True, None, None).allows("/x"), "'/x'"),
        (lambda file: file.bind((b"a",), True, None, None).allows_many(["/x"]), "a batch of URLs"),
        (lambda file: file.bind((b"a",), True, None, None).decide("/x"), "'/x'"),
        (lambda file: file.bind((b"a",), True, None, None).matched("/x"), "the rules for '/x'"),
    ],
)
def test_a_difference_is_an_error_that_names_the_question(
    differing: CompiledFile, ask: Callable[[Any], object], question: str
) -> None:
    with pytest.raises(EngineError, match=f"the engines differ on {question}: python gives .*, native "):
        ask(twice(differing))


class Grumbling(BoundRules):
    """Rules that raise where others answer, and answer where others raise."""

    def allows(self, url: str | bytes) -> bool:
        if url == "x":
            return True
        raise InvalidURL("no")

    def allows_many(self, urls: Iterable[str | bytes]) -> list[bool]:
        raise RuntimeError(f"a defect, and no answer to {urls}")

    def matched(self, url: str | bytes) -> list[Any]:
        raise InvalidURL(f"another message about {url!r}")


def test_an_error_of_one_alone_is_a_difference() -> None:
    rules = compile_file(FILE, "rfc9309").bind((b"a",), True, None, None)
    grumbling = Grumbling(rules._rules, rules._selection, rules._profile, None, None)
    mixed = both.RulesBoundTwice(rules, grumbling)
    for url in ("/x", "x"):
        with pytest.raises(EngineError, match="InvalidURL"):
            mixed.allows(url)
    with pytest.raises(EngineError, match="another message"):
        mixed.matched("x")
    # What is no answer at all is not hidden.
    with pytest.raises(RuntimeError, match="a defect"):
        mixed.allows_many(["/x"])


def test_both_compile_the_file(both_engines: str) -> None:
    compiled = both.compile_twice(compile_file, compiler_of("native"))(FILE, "rfc9309")
    row: RuleRow = (False, b"/x", 2, 2)
    assert compiled.bind((b"a",), True, None, None).matched("/x") == [row]
    assert both_engines == "both"
