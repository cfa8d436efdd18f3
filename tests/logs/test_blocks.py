"""Reading logs in blocks: line numbers, compression, damaged data, and lines without an end."""

import gzip
import io
import zlib
from collections.abc import Callable

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from canfetch.logs import log_blocks
from canfetch.logs.log_blocks import BLOCK_BYTES, MAX_LINE_BYTES, read_blocks

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "gzip-members": lambda data: gzip.compress(data[:7]) + gzip.compress(data[7:]),
    "zstd": zstandard.compress,
    # As pzstd writes it: the first frame is skipped.
    "pzstd": lambda data: b"\x50\x2a\x4d\x18\x04\0\0\0size" + zstandard.compress(data),
    "zstd-frames": lambda data: zstandard.compress(data[:7]) + zstandard.compress(data[7:]),
}


def read_lines(content: bytes) -> list[bytes]:
    return [line for block in read_blocks(io.BytesIO(content)) for line in block.lines.split(b"\n")]


@pytest.mark.parametrize("compress", COMPRESSORS)
def test_lines_are_whole(compress: str) -> None:
    content = b"".join(b"%d %s\n" % (number, b"x" * (number % 900)) for number in range(1, 3_000))
    assert len(content) > 4 * BLOCK_BYTES
    assert read_lines(COMPRESSORS[compress](content)) == content.splitlines()


@given(st.lists(st.binary(max_size=5), max_size=6).map(b"\n".join))
def test_law_lines_are_those_of_the_log(content: bytes) -> None:
    if content[:2] == b"\x1f\x8b":
        return
    content = content.removeprefix(b"\xef\xbb\xbf").lstrip(b"\0")
    expected = content.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    assert read_lines(content) == expected


def test_line_without_an_end_is_skipped() -> None:
    long = b"x" * (3 * MAX_LINE_BYTES + BLOCK_BYTES)
    blocks = list(read_blocks(io.BytesIO(b"first\n" + long + b"\nlast\n" + long)))
    assert [block.too_long for block in blocks] == [False, True, False, True]
    assert max(len(block.lines) for block in blocks) < 1_000


@pytest.mark.slow
@pytest.mark.parametrize("compress", ["gzip", "zstd"])
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_damaged_data_is_an_error_after_the_lines_before_it(compress: str, damage: str) -> None:
    content = COMPRESSORS[compress](b"".join(b"%d\n" % (number * number) for number in range(200_000)))
    middle = len(content) // 2
    broken = content[:middle] + (b"" if damage == "cut" else b"\xff" * 2_000)
    blocks = read_blocks(io.BytesIO(broken))
    assert next(blocks).lines.startswith(b"0\n1\n4\n9")
    with pytest.raises(OSError, match=r"damaged|ended|Error|invalid|CRC"):
        list(blocks)


def flush_without_end(package: str, content: bytes) -> bytes:
    """Return what a server that still writes has flushed so far."""
    if package == "gzip":
        deflate = zlib.compressobj(wbits=31)
        return deflate.compress(content) + deflate.flush(zlib.Z_SYNC_FLUSH)
    zstd = zstandard.ZstdCompressor().compressobj()
    return zstd.compress(content) + zstd.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)


def read_until_fault(content: bytes) -> tuple[list[bytes], str]:
    """Return the lines before the fault, and its message."""
    lines: list[bytes] = []
    with pytest.raises(OSError, match="damaged compressed data") as caught:
        lines.extend(line for block in read_blocks(io.BytesIO(content)) for line in block.lines.split(b"\n"))
    return lines, str(caught.value)


@pytest.mark.parametrize("package", ["gzip", "standard library", "zstandard"])
@pytest.mark.parametrize("number", [1, 100_000])
def test_every_complete_line_before_a_fault_is_read(package: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        log_blocks,
        "_PACKAGES",
        [name for name in log_blocks._PACKAGES if (name == "zstandard") == (package == "zstandard")],
    )
    lines = [b"%d %d" % (line, line * line) for line in range(number)]
    content = b"".join(line + b"\n" for line in lines)
    flushed = flush_without_end(package, content + b"a line that is not compl")
    assert read_until_fault(flushed) == (lines, "damaged compressed data: it ends before the end of a member")
    whole = COMPRESSORS["gzip" if package == "gzip" else "zstd"](content)
    assert read_until_fault(whole + flushed)[0] == lines * 2
    assert read_until_fault(whole + b"this is not compressed")[0] == lines
    cut = read_until_fault(whole[: len(whole) // 2])[0]
    assert cut == lines[: len(cut)]
    assert len(cut) >= number // 4


@pytest.mark.slow
def test_empty_log_has_no_lines() -> None:
    assert list(read_blocks(io.BytesIO(b""))) == []
