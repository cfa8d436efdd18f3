"""Pictures of the page, kept in build/screenshots/ to be looked at.

The documentation shows desktop-light-access and phone-dark-access, reduced to 256 colours.
"""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import ROOT, NewPage

pytestmark = pytest.mark.service

FOLDER = ROOT / "build" / "screenshots"


@pytest.mark.parametrize(
    "name, options",
    [
        pytest.param("desktop-light", {"viewport": {"width": 1440, "height": 900}}, id="desktop-light"),
        pytest.param(
            "desktop-dark", {"viewport": {"width": 1440, "height": 900}, "color_scheme": "dark"}, id="desktop-dark"
        ),
        pytest.param("phone", {"viewport": {"width": 390, "height": 844}, "has_touch": True}, id="phone"),
        pytest.param(
            "phone-dark",
            {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "dark"},
            id="phone-dark",
        ),
    ],
)
def test_pictures_of_the_views(new_page: NewPage, name: str, options: dict[str, Any]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    tester = new_page(device_scale_factor=2, reduced_motion="reduce", **options)
    tester.open()
    expect(tester.control("notes")).to_have_attribute("data-state", "ready")
    expect(tester.find("[data-differs]")).to_have_text("5")
    if name.startswith("phone"):
        tester.cell("GPTBot", "/blog/members/1").tap()
        expect(tester.find(".why-panel.open")).to_be_visible()
    pictures = [picture(tester.page, f"{name}-access")]
    for key, view in (("2", "usage"), ("3", "rules"), ("4", "compare")):
        tester.find("body").press(key)
        expect(tester.find(f"main[data-view={view}] [role=gridcell]").first).to_be_visible()
        pictures.append(picture(tester.page, f"{name}-{view}"))
    assert all(path.stat().st_size > 10_000 for path in pictures)


def picture(page: Any, name: str) -> Path:
    path = FOLDER / f"{name}.png"
    page.screenshot(path=path)
    return path
