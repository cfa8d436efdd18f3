"""Bodies are decoded as they come, to the octet, and never past the limit."""

import bz2
import gzip
import zlib
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch.access.responses import FailureKind
from canfetch.client.transports.codings import Brotli, Coding, Deflate, Gzip, StandardZstd, Zstandard
from canfetch.client.transports.decoding import Body, accept_encoding
from canfetch.client.transports.failing import Failed

LIMIT = 20_000
BOMB_OCTETS = 50_000_000


def raw_deflate(octets: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(octets) + stream.flush()


def library(name: str) -> Any:
    return pytest.importorskip(name)


def standard_zstd() -> Any:
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name)
        except ImportError:
            continue
    return pytest.skip("no zstd in the standard library, and no backport")


Made = tuple[Callable[[bytes], bytes], Callable[[], Coding]]

CODINGS: dict[str, Callable[[], Made]] = {
    "gzip": lambda: (gzip.compress, Gzip),
    "deflate": lambda: (zlib.compress, Deflate),
    "raw-deflate": lambda: (raw_deflate, Deflate),
    "br": lambda: (lambda octets: library("brotli").compress(octets, quality=4), lambda: Brotli(library("brotli"))),
    "zstd": lambda: (library("zstandard").compress, lambda: Zstandard(library("zstandard"))),
    "standard-zstd": lambda: (standard_zstd().compress, lambda: StandardZstd(standard_zstd())),
}
MEMBERS = ["gzip", "zstd", "standard-zstd"]


@pytest.fixture(params=CODINGS)
def made(request: pytest.FixtureRequest) -> Made:
    return CODINGS[request.param]()


def in_pieces(octets: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(min(cut, len(octets)) for cut in cuts), len(octets)]
    return [octets[start:end] for start, end in pairwise(places)]


class _Fed(Body):
    """A body in a coding of one's choice."""

    def __init__(self, coding: Coding, max_bytes: int) -> None:
        super().__init__((), max_bytes)
        self._coding = coding


def decoded_or_kind(coding: Coding, pieces: list[bytes], *, limit: int = LIMIT) -> bytes | FailureKind:
    body = _Fed(coding, limit)
    try:
        for piece in pieces:
            body.feed(piece)
        return body.octets()
    except Failed as failed:
        return failed.kind


@given(octets=st.binary(max_size=2_000), cuts=st.lists(st.integers(0, 2_000), max_size=5), limit=st.integers(0, 2_500))
@pytest.mark.parametrize("name", ["gzip", "deflate", "raw-deflate", "br", "zstd", "standard-zstd"])
def test_law_pieces_change_nothing(name: str, octets: bytes, cuts: list[int], limit: int) -> None:
    compress, coding = CODINGS[name]()
    assert decoded_or_kind(coding(), in_pieces(compress(octets), cuts), limit=limit) == octets[: limit + 1]


@given(octets=st.binary(min_size=1, max_size=300))
@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd", "standard-zstd"])
def test_law_any_octets_are_decoded_or_refused(name: str, octets: bytes) -> None:
    decoded = decoded_or_kind(CODINGS[name]()[1](), [octets], limit=100)
    if isinstance(decoded, bytes):
        assert len(decoded) <= 101
    else:
        assert decoded in {FailureKind.ENCODING, FailureKind.INCOMPLETE}


@given(kept=st.integers(1, 200))
@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd", "standard-zstd"])
def test_law_what_is_cut_short_is_incomplete(name: str, kept: int) -> None:
    compress, coding = CODINGS[name]()
    whole = compress(bytes(range(200)))
    assert decoded_or_kind(coding(), [whole[: min(kept, len(whole) - 1)]]) is FailureKind.INCOMPLETE


def test_bombs_stay_folded(made: Made) -> None:
    compress, coding = made
    body = _Fed(coding(), LIMIT)
    body.feed(compress(bytes(BOMB_OCTETS)))
    assert body.full
    assert body.octets() == bytes(LIMIT + 1)


def test_one_step_of_a_bomb_gives_little(made: Made) -> None:
    compress, coding = made
    assert len(coding().decode(compress(bytes(BOMB_OCTETS)), 1_000)) <= 1_000


@pytest.mark.parametrize("name", CODINGS)
@pytest.mark.parametrize("cuts", [[], [40], list(range(200))])
def test_octets_after_the_end_are_refused(name: str, cuts: list[int]) -> None:
    compress, coding = CODINGS[name]()
    pieces = in_pieces(compress(b"User-agent: *\n") + b"Disallow: /\n", cuts)
    assert decoded_or_kind(coding(), pieces) is FailureKind.ENCODING


@pytest.mark.parametrize("name", MEMBERS)
@pytest.mark.parametrize("cuts", [[], [40], list(range(200))])
def test_members_follow_each_other(name: str, cuts: list[int]) -> None:
    compress, coding = CODINGS[name]()
    members = compress(b"User-agent: *\n") + compress(b"") + compress(b"Disallow: /\n")
    assert decoded_or_kind(coding(), in_pieces(members, cuts)) == b"User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize("name", MEMBERS)
def test_members_that_say_nothing_are_stopped(name: str) -> None:
    compress, coding = CODINGS[name]()
    assert decoded_or_kind(coding(), [compress(b"") * 200] * 1_000) is FailureKind.ENCODING


def test_zstd_window_is_bounded() -> None:
    zstandard = library("zstandard")
    wide = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    ).compressobj()
    octets = wide.compress(bytes(100_000)) + wide.flush()
    with pytest.raises(Failed) as caught:
        Zstandard(zstandard).decode(octets, LIMIT)
    assert caught.value.kind is FailureKind.ENCODING


@pytest.mark.parametrize(
    "fields",
    [
        (),
        (("Content-Encoding", ""),),
        (("Content-Encoding", "identity"),),
        (("Content-Encoding", "Identity, identity"),),
    ],
)
def test_identity_is_no_coding(fields: tuple[tuple[str, str], ...]) -> None:
    body = Body(fields, 3)
    full = []
    for piece in (b"abc", b"def"):
        body.feed(piece)
        full.append(body.full)
    assert full == [False, True]
    assert body.octets() == b"abcd"


@pytest.mark.parametrize(
    "fields",
    [
        (("content-encoding", "bzip2"),),
        (("Content-Encoding", "gzip, gzip"),),
        (("Content-Encoding", "gzip"), ("Content-Encoding", "deflate")),
        (("Content-Encoding", "gzip;q=1"),),
    ],
)
def test_codings_that_nobody_asked_for_are_refused(fields: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(Failed) as caught:
        Body(fields, LIMIT).feed(bz2.compress(b"x"))
    assert caught.value.kind is FailureKind.ENCODING


def test_question_names_what_can_be_answered() -> None:
    assert accept_encoding().startswith("gzip, deflate")
