"""Bodies are decoded incrementally, and never past the limit."""

import bz2
import gzip
import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.servers.encoded import raw_deflate
from tests.transports.harness import split_at

from canfetch.access.responses import FailureKind
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.response_body import (
    BodyDecoder,
    BrotliDecoder,
    Decoder,
    DeflateDecoder,
    GzipDecoder,
    StdlibZstdDecoder,
    ZstandardDecoder,
    accept_encoding,
)

LIMIT = 20_000
BOMB_BYTES = 50_000_000


def library(name: str) -> Any:
    return pytest.importorskip(name)


def stdlib_zstd() -> Any:
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name)
        except ImportError:
            continue
    return pytest.skip("neither the standard library nor a backport has zstd")


Codec = tuple[Callable[[bytes], bytes], Callable[[], Decoder]]

CODINGS: dict[str, Callable[[], Codec]] = {
    "gzip": lambda: (gzip.compress, GzipDecoder),
    "deflate": lambda: (zlib.compress, DeflateDecoder),
    "raw-deflate": lambda: (raw_deflate, DeflateDecoder),
    "br": lambda: (lambda data: library("brotli").compress(data, quality=4), lambda: BrotliDecoder(library("brotli"))),
    "zstd": lambda: (library("zstandard").compress, lambda: ZstandardDecoder(library("zstandard"))),
    "stdlib-zstd": lambda: (stdlib_zstd().compress, lambda: StdlibZstdDecoder(stdlib_zstd())),
}
MEMBERS = ["gzip", "zstd", "stdlib-zstd"]


@pytest.fixture(params=CODINGS)
def codec(request: pytest.FixtureRequest) -> Codec:
    return CODINGS[request.param]()


class _WithDecoder(BodyDecoder):
    """A body decoder for the given coding."""

    def __init__(self, decoder: Decoder, max_bytes: int) -> None:
        super().__init__((), max_bytes)
        self._decoder = decoder


def decode_or_kind(decoder: Decoder, chunks: list[bytes], *, limit: int = LIMIT) -> bytes | FailureKind:
    body = _WithDecoder(decoder, limit)
    try:
        for chunk in chunks:
            body.feed(chunk)
        return body.finish()
    except TransportError as error:
        return error.kind


@given(data=st.binary(max_size=2_000), cuts=st.lists(st.integers(0, 2_000), max_size=5), limit=st.integers(0, 2_500))
@pytest.mark.parametrize("name", ["gzip", "deflate", "raw-deflate", "br", "zstd", "stdlib-zstd"])
def test_law_chunk_boundaries_do_not_matter(name: str, data: bytes, cuts: list[int], limit: int) -> None:
    compress, decoder = CODINGS[name]()
    assert decode_or_kind(decoder(), split_at(compress(data), cuts), limit=limit) == data[: limit + 1]


@given(data=st.binary(min_size=1, max_size=300))
@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd", "stdlib-zstd"])
def test_law_any_bytes_are_decoded_or_rejected(name: str, data: bytes) -> None:
    decoded = decode_or_kind(CODINGS[name]()[1](), [data], limit=100)
    if isinstance(decoded, bytes):
        assert len(decoded) <= 101
    else:
        assert decoded in {FailureKind.ENCODING, FailureKind.INCOMPLETE}


@given(length=st.integers(1, 200))
@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd", "stdlib-zstd"])
def test_law_truncated_data_is_incomplete(name: str, length: int) -> None:
    compress, decoder = CODINGS[name]()
    whole = compress(bytes(range(200)))
    assert decode_or_kind(decoder(), [whole[: min(length, len(whole) - 1)]]) is FailureKind.INCOMPLETE


@pytest.mark.slow
def test_bomb_is_decoded_up_to_the_limit(codec: Codec) -> None:
    compress, decoder = codec
    body = _WithDecoder(decoder(), LIMIT)
    body.feed(compress(bytes(BOMB_BYTES)))
    assert body.full
    assert body.finish() == bytes(LIMIT + 1)


@pytest.mark.slow
def test_output_of_one_step_is_limited(codec: Codec) -> None:
    compress, decoder = codec
    assert len(decoder().decode(compress(bytes(BOMB_BYTES)), 1_000)) <= 1_000


@pytest.mark.parametrize("name", ["br", "zstd", "stdlib-zstd"])
@pytest.mark.parametrize("cuts", [[], [40], list(range(200))])
def test_trailing_data_is_rejected(name: str, cuts: list[int]) -> None:
    compress, decoder = CODINGS[name]()
    chunks = split_at(compress(b"User-agent: *\n") + b"Disallow: /\n", cuts)
    assert decode_or_kind(decoder(), chunks) is FailureKind.ENCODING


@pytest.mark.parametrize("name", ["gzip", "deflate", "raw-deflate"])
@pytest.mark.parametrize(
    "trailing",
    [b"Disallow: /\n", b"\x1f", b"\x1f\x1f\x8b", bytes(100), bytes(20) + gzip.compress(b"Disallow: /\n"), b"\n"],
    ids=["text", "half of a magic", "no magic", "zeros", "member after zeros", "newline"],
)
@pytest.mark.parametrize("cuts", [[], [40], list(range(200))])
def test_data_after_the_stream_is_ignored(name: str, trailing: bytes, cuts: list[int]) -> None:
    compress, decoder = CODINGS[name]()
    assert decode_or_kind(decoder(), split_at(compress(b"User-agent: *\n") + trailing, cuts)) == b"User-agent: *\n"


@pytest.mark.parametrize("cuts", [[], [40], list(range(200))])
def test_data_after_the_last_member_is_ignored(cuts: list[int]) -> None:
    padded = gzip.compress(b"User-agent: *\n") + gzip.compress(b"Disallow: /\n") + bytes(100)
    assert decode_or_kind(GzipDecoder(), split_at(padded, cuts)) == b"User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize("cuts", [[], [40], list(range(200))])
def test_invalid_member_is_rejected(cuts: list[int]) -> None:
    invalid = gzip.compress(b"User-agent: *\n") + b"\x1f\x8b\x08\x00" + b"Disallow: /\n" * 5
    assert decode_or_kind(GzipDecoder(), split_at(invalid, cuts)) in {FailureKind.ENCODING, FailureKind.INCOMPLETE}


def test_endless_data_after_gzip_is_rejected() -> None:
    padding = [bytes(10_000)] * 1_000
    assert decode_or_kind(GzipDecoder(), [gzip.compress(b"User-agent: *\n"), *padding]) is FailureKind.ENCODING


@pytest.mark.parametrize("name", MEMBERS)
@pytest.mark.parametrize("cuts", [[], [40], list(range(200))])
def test_several_members_are_decoded(name: str, cuts: list[int]) -> None:
    compress, decoder = CODINGS[name]()
    members = compress(b"User-agent: *\n") + compress(b"") + compress(b"Disallow: /\n")
    assert decode_or_kind(decoder(), split_at(members, cuts)) == b"User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize("name", MEMBERS)
@pytest.mark.parametrize("content", [b"", b"#"])
def test_the_number_of_members_is_limited(name: str, content: bytes) -> None:
    """Each costs as much time as kilobytes of content."""
    compress, decoder = CODINGS[name]()
    member = compress(content)
    chunks, limit = [member * 100] * 100, 500_000
    assert decode_or_kind(decoder(), chunks, limit=limit) == content * 10_000
    assert decode_or_kind(decoder(), [*chunks, member], limit=limit) is FailureKind.ENCODING


@pytest.mark.parametrize("name", MEMBERS)
def test_endless_empty_members_are_rejected(name: str) -> None:
    compress, decoder = CODINGS[name]()
    assert decode_or_kind(decoder(), [compress(b"") * 200] * 1_000) is FailureKind.ENCODING


def test_zstd_window_is_limited() -> None:
    zstandard = library("zstandard")
    wide = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    ).compressobj()
    data = wide.compress(bytes(100_000)) + wide.flush()
    with pytest.raises(TransportError) as caught:
        ZstandardDecoder(zstandard).decode(data, LIMIT)
    assert caught.value.kind is FailureKind.ENCODING


@pytest.mark.parametrize(
    "fields",
    [
        (),
        (("Content-Encoding", ""),),
        (("Content-Encoding", "identity"),),
        (("Content-Encoding", "Identity, identity"),),
        # Not codings. Chromium passes such bodies through as well.
        (("Content-Encoding", "none"),),
        (("Content-Encoding", "utf-8"),),
        (("Content-Encoding", "aws-chunked"),),
        (("Content-Encoding", "text/plain"), ("Content-Encoding", "8bit, binary")),
    ],
)
def test_identity_is_not_decoded(fields: tuple[tuple[str, str], ...]) -> None:
    body = BodyDecoder(fields, 3)
    full = []
    for chunk in (b"abc", b"def"):
        body.feed(chunk)
        full.append(body.full)
    assert full == [False, True]
    assert body.finish() == b"abcd"


@pytest.mark.parametrize(
    "fields",
    [
        (("content-encoding", "compress"),),
        (("content-encoding", "aws-chunked, dcz"),),
        (("Content-Encoding", "gzip, compress"),),
        (("Content-Encoding", "gzip, gzip, gzip, gzip, gzip"),),
        (("Content-Encoding", "gzip;q=1"),),
    ],
)
def test_unsupported_coding_is_rejected(fields: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(TransportError) as caught:
        BodyDecoder(fields, LIMIT).feed(bz2.compress(b"x"))
    assert caught.value.kind is FailureKind.ENCODING
    # No bytes are an empty body in every coding.
    assert BodyDecoder(fields, LIMIT).finish() == b""


@pytest.mark.parametrize("cuts", [[], [40], list(range(200))])
def test_several_codings(cuts: list[int]) -> None:
    # RFC 9110 section 8.4: the last one was applied last.
    fields = (("Content-Encoding", "gzip, deflate"), ("Content-Encoding", "identity, x-gzip"))
    text = b"User-agent: *\nDisallow: /\n"
    data = gzip.compress(zlib.compress(gzip.compress(text)))
    body = BodyDecoder(fields, LIMIT)
    for chunk in split_at(data, cuts):
        body.feed(chunk)
    assert body.finish() == text
    cut = BodyDecoder(fields, LIMIT)
    cut.feed(data[:-12])
    with pytest.raises(TransportError) as caught:
        cut.finish()
    assert caught.value.kind is FailureKind.INCOMPLETE


@pytest.mark.slow
def test_bomb_within_a_bomb_is_not_expanded() -> None:
    bomb = gzip.compress(gzip.compress(bytes(BOMB_BYTES)))
    body = BodyDecoder((("Content-Encoding", "gzip, gzip"),), LIMIT)
    body.feed(bomb)
    assert body.full
    # Bytes between two decoders are limited as those that are received.
    noise = gzip.compress(bytes(BOMB_BYTES))
    body = BodyDecoder((("Content-Encoding", "deflate, gzip"),), LIMIT)
    with pytest.raises(TransportError) as caught:
        body.feed(noise)
    assert caught.value.kind is FailureKind.ENCODING


def test_names_that_are_no_codings_leave_the_coding() -> None:
    body = BodyDecoder((("Content-Encoding", "aws-chunked, gzip"),), LIMIT)
    body.feed(gzip.compress(b"Disallow: /"))
    assert body.finish() == b"Disallow: /"


def test_accept_encoding_starts_with_gzip() -> None:
    assert accept_encoding().startswith("gzip, deflate")
