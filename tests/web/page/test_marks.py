"""The four marks of the matrix, compared as pictures without colours."""

from io import BytesIO
from itertools import combinations
from typing import Any, Final

import pytest
from matplotlib.image import imread
from playwright.sync_api import expect
from tests.web.page.conftest import NewPage, OpenPage

pytestmark = pytest.mark.service

MARKS: Final = {
    "no rule": ".none:not(.differs)",
    "allowed": ".allowed:not(.differs)",
    "blocked": ".blocked:not(.differs, .selected)",
    "differs": ".none.differs",
}


def picture(tester: OpenPage, mark: str) -> Any:
    """Return the lightness of the pixels of the first cell with a mark, from 0 to 1."""
    box: Any = tester.find(f".grid .cell{mark}").first.bounding_box()
    # All cells have the same size, except for fractions of a pixel.
    clip: Any = {"x": round(box["x"]), "y": round(box["y"]), "width": int(box["width"]), "height": int(box["height"])}
    return imread(BytesIO(tester.page.screenshot(clip=clip)))[..., :3].mean(axis=2)


def distinct_pixels(one: Any, other: Any) -> int:
    """Return the number of pixels whose lightness differs clearly."""
    return int((abs(one - other) > 60 / 255).sum())


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
