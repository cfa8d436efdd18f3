"""The four marks of the matrix, compared as pictures without colours."""

import struct
import zlib
from itertools import combinations
from typing import Any, Final

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import NewPage, OpenPage

pytestmark = pytest.mark.service

MARKS: Final = {
    "no rule": ".none:not(.differs)",
    "allowed": ".allowed:not(.differs)",
    "blocked": ".blocked:not(.differs, .selected)",
    "differs": ".none.differs",
}


def grey_pixels(png: bytes) -> list[list[int]]:
    """Return the lightness of each pixel of a PNG with 8 bits a channel, as Chromium writes it."""
    at, data, width, channels = 8, b"", 0, 0
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, _, depth, colour = struct.unpack_from(">IIBB", content)
            assert depth == 8
            channels = {2: 3, 6: 4}[colour]
        elif kind == b"IDAT":
            data += content
        at += 12 + length
    raw, stride = zlib.decompress(data), width * channels
    above = bytes(stride)
    rows = []
    for start in range(0, len(raw), stride + 1):
        above = unfilter(raw[start], raw[start + 1 : start + 1 + stride], above, channels)
        rows.append([sum(above[x : x + 3]) // 3 for x in range(0, stride, channels)])
    return rows


def unfilter(kind: int, line: bytes, above: bytes, channels: int) -> bytes:
    """Undo the filter of a line of a PNG."""
    result = bytearray(line)
    for at in range(len(line)):
        left = result[at - channels] if at >= channels else 0
        corner = above[at - channels] if at >= channels else 0
        up = above[at]
        estimate = left + up - corner
        nearest = min((left, up, corner), key=lambda value: abs(estimate - value))
        result[at] = (line[at] + (0, left, up, (left + up) // 2, nearest)[kind]) & 255
    return bytes(result)


def picture(tester: OpenPage, mark: str) -> list[list[int]]:
    """Return the lightness of the pixels of the first cell with a mark."""
    box: Any = tester.find(f".grid .cell{mark}").first.bounding_box()
    # All cells have the same size, except for fractions of a pixel.
    clip: Any = {"x": round(box["x"]), "y": round(box["y"]), "width": int(box["width"]), "height": int(box["height"])}
    return grey_pixels(tester.page.screenshot(clip=clip))


def distinct_pixels(one: list[list[int]], other: list[list[int]]) -> int:
    """Return the number of pixels whose lightness differs clearly."""
    return sum(
        abs(a - b) > 60 for row, others in zip(one, other, strict=True) for a, b in zip(row, others, strict=True)
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("forced", ["none", "active"])
def test_marks_differ_in_lightness_and_shape(new_page: NewPage, scheme: str, forced: str) -> None:
    tester = new_page(color_scheme=scheme, forced_colors=forced, device_scale_factor=2)
    tester.open()
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    expect(tester.find("[data-differs]")).to_have_text("5")
    pictures = {name: picture(tester, mark) for name, mark in MARKS.items()}
    distances = {(a, b): distinct_pixels(pictures[a], pictures[b]) for a, b in combinations(pictures, 2)}
    assert {pair: count for pair, count in distances.items() if count < 40} == {}
