"""The history of the browser, and the widths of columns."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import NewPage, OpenPage

pytestmark = pytest.mark.service


def expect_view(tester: OpenPage, view: str) -> None:
    expect(tester.find(f"main[data-view={view}]")).to_be_attached()


def test_back_and_forward_show_the_views_and_keep_the_draft(tester: OpenPage) -> None:
    tester.find("#tab-usage").click()
    expect_view(tester, "usage")
    tester.find("#tab-compare").click()
    expect_view(tester, "compare")
    tester.page.go_back()
    expect_view(tester, "usage")
    tester.page.go_back()
    expect_view(tester, "access")
    tester.ready()
    tester.replace_file("User-agent: *\nDisallow: /shop/\n")
    tester.expect_blocked(4 * 12)
    tester.page.go_forward()
    expect_view(tester, "usage")
    tester.page.go_back()
    expect_view(tester, "access")
    tester.expect_blocked(4 * 12)
    expect(tester.editor).to_contain_text("Disallow: /shop/")


def test_the_address_restores_the_view_after_going_back(tester: OpenPage) -> None:
    tester.find("#tab-rules").click()
    expect_view(tester, "rules")
    tester.find("#tab-usage").click()
    expect_view(tester, "usage")
    tester.page.go_back()
    expect_view(tester, "rules")
    tester.page.wait_for_function("() => location.hash.startsWith('#v1.')")
    tester.page.reload()
    expect_view(tester, "rules")
    tester.page.go_forward()
    expect_view(tester, "usage")


def test_going_back_from_another_link_restores_the_first_file(tester: OpenPage, new_page: NewPage) -> None:
    other = new_page()
    other.open()
    other.replace_file("User-agent: *\nDisallow: /other\n")
    other.control("link").click()
    expect(other.find(".toast")).to_contain_text("Link copied.")
    fragment = other.page.evaluate("location.hash")
    tester.replace_file("User-agent: *\nDisallow: /first\n")
    tester.page.wait_for_function("() => location.hash.startsWith('#v1.')")
    tester.page.evaluate("hash => { location.hash = hash; }", fragment)
    expect(tester.editor).to_contain_text("/other")
    tester.page.go_back()
    expect(tester.editor).to_contain_text("/first")


def test_the_column_of_urls_is_resized_until_long_ones_can_be_read(tester: OpenPage) -> None:
    path = "/" + "long-name/" * 12
    tester.set_urls(f"{path}\n/a")
    row = tester.rows.first
    expect(row).to_have_text(path)
    is_cut = "head => head.scrollWidth > head.clientWidth"
    assert row.evaluate(is_cut)
    edge = tester.control("column-edge")
    edge.focus()
    edge.press("Enter")
    assert not row.evaluate(is_cut)
    edge.press("Home")
    assert row.evaluate("head => head.offsetWidth") == 96
    box = edge.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tester.page.mouse.move(x, y)
    tester.page.mouse.down()
    tester.page.mouse.move(x + 100, y)
    tester.page.mouse.up()
    assert row.evaluate("head => head.offsetWidth") == 196
