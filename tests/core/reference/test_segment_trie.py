"""Texts that share segments: the trie finds what comparing each text alone finds."""

import itertools
from random import Random

import pytest

from canfetch.core.patterns import matches, split_segments
from canfetch.core.reference.head_index import HeadIndex
from canfetch.core.reference.segment_trie import NEVER, Branch

TEXTS = [
    b"", b"$", b"*", b"*$", b"**", b"/", b"/$", b"/*", b"/a", b"/a$", b"/a*", b"/a*$", b"/a**$", b"/a$*", b"/a$*$",
    b"/a*b", b"/a**b", b"/a*b$", b"/a*b*", b"/a*b*a", b"/a*b*a$", b"/a*b*b*a", b"/a*b*ba", b"/a*bb", b"/*a$", b"/*a",
    b"*a*a$", b"*aa", b"*a*b*a", b"*b*a", b"$$", b"/a$$", b"/$a", b"/a*$b", b"/a*$$", b"/a*$*", b"/a*$*$",
]  # fmt: skip
TARGETS = [b"/" + bytes(letters) for length in range(5) for letters in itertools.product(b"ab$", repeat=length)]


def first_and_all(index: HeadIndex, target: bytes, texts: list[bytes]) -> tuple[int, list[int]]:
    return index.first(target, len(texts)), sorted(index.all(target))


@pytest.mark.parametrize("order", [1, -1])
def test_rfc9309_2_2_3_the_trie_agrees_with_each_text_alone(order: int) -> None:
    texts = TEXTS[::order]
    index = HeadIndex(enumerate(texts))
    for target in TARGETS:
        alone = [rank for rank, text in enumerate(texts) if matches(text, target)]
        assert first_and_all(index, target, texts) == (alone[0] if alone else len(texts), alone)


def test_rfc9309_2_2_3_many_texts_with_common_segments() -> None:
    dice = Random(9309)  # noqa: S311 - no secret

    def text(letters: str, length: int) -> bytes:
        return "".join(dice.choices(letters, k=dice.randrange(length))).encode()

    for _ in range(60):
        texts = [b"/" + text("ab*", 9) + dice.choice([b"", b"$", b"*x*y", b"*x$"]) for _ in range(400)]
        index = HeadIndex(enumerate(texts))
        for _ in range(20):
            target = b"/" + text("abxy", 30)
            alone = [rank for rank, one in enumerate(texts) if matches(one, target)]
            assert first_and_all(index, target, texts) == (alone[0] if alone else len(texts), alone)


def test_only_ranks_below_the_bound_are_found() -> None:
    index = HeadIndex(enumerate([b"/*a", b"/*b*c", b"/*b*d", b"/ab", b"/*ab$", b"/a*$x"]))
    assert [index.first(b"/ab", before) for before in range(7)] == [0, 0, 0, 0, 0, 0, 0]
    assert [index.first(b"/bd", before) for before in range(5)] == [0, 1, 2, 2, 2]
    assert [index.first(b"/bb", before) for before in range(5)] == [0, 1, 2, 3, 4]


def test_branches_are_created_only_where_texts_differ() -> None:
    trie = Branch(0)
    for rank, text in enumerate([b"*a*b*c", b"*a*b", b"*a*b*d$", b"*e$", b"*a*b*c*f"]):
        _, middles, anchored = split_segments(text)
        trie.add(rank, middles, anchored=anchored)
    assert trie.ends == [(b"e", 3)]
    assert list(trie.children) == [b"a"]
    shared = trie.children[b"a"]
    assert isinstance(shared, Branch)
    assert (shared.best_rank, shared.own_rank, list(shared.children)) == (0, NEVER, [b"b"])
    inner = shared.children[b"b"]
    assert isinstance(inner, Branch)
    assert (inner.best_rank, inner.own_rank, inner.ends, list(inner.children)) == (0, 1, [(b"d", 2)], [b"c"])
    assert trie.first(b"abcf", 0, 9) == 0
    assert sorted(trie.all(b"abcf", 0)) == [0, 1, 4]
    assert sorted(trie.all(b"abcd", 0)) == [0, 1, 2]
    assert trie.first(b"xe", 0, 9) == 3
    assert trie.first(b"e", 1, 9) == 9


def test_long_texts_with_many_stars() -> None:
    index = HeadIndex([(0, b"/" + b"*a" * 100_000 + b"*z"), (1, b"/" + b"*a" * 1000 + b"$")])
    assert index.first(b"/" + b"a" * 1000, 2) == 1
    assert index.first(b"/" + b"a" * 999, 2) == 2
    assert index.first(b"/" + b"a" * 100_000 + b"z", 2) == 0


def test_many_texts_that_differ_in_the_first_segment() -> None:
    texts = [b"/*%04d" % number for number in range(1000)] + [b"/*%d$" % number for number in range(10)]
    index = HeadIndex(enumerate(texts))
    for target in (b"/x0123", b"/012", b"/", b"/9876987", b"/x05000499"):
        alone = [rank for rank, text in enumerate(texts) if matches(text, target)]
        assert first_and_all(index, target, texts) == (alone[0] if alone else len(texts), alone)


def test_long_segments_of_repetitive_texts() -> None:
    dice = Random(2)  # noqa: S311 - no secret
    for length in (10, 20, 40, 70, 150):
        texts = [b"/*" + bytes(dice.choices(b"ab", weights=[9, 1], k=length)) for _ in range(400)]
        index = HeadIndex(enumerate(texts))
        whole = b"".join(text[2:] for text in texts[::40])
        for target in (b"/" + b"a" * 500, b"/" + whole, b"/x" + texts[7][2:] + b"y", b"/" + texts[9][2:-1]):
            alone = [rank for rank, text in enumerate(texts) if matches(text, target)]
            assert first_and_all(index, target, texts) == (alone[0] if alone else len(texts), alone)
