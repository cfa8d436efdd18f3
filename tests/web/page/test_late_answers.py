"""What happens when the engine's answers or the page's own address are late."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import NewPage, OpenPage
from tests.web.page.test_sources import fragment

pytestmark = pytest.mark.service

# While `isHeld` is true, questions for explanations do not reach the worker.
HELD_EXPLANATIONS = """
  window.isHeld = false;
  const held = [];
  window.release = () => { isHeld = false; for (const send of held.splice(0)) send(); };
  window.Worker = class extends Worker {
    postMessage(message) {
      if (isHeld && message.kind === "explain") held.push(() => super.postMessage(message));
      else super.postMessage(message);
    }
  };
"""


@pytest.fixture
def held(new_page: NewPage) -> OpenPage:
    """Return the page with the example, whose next explanations are held until `release`."""
    tester = new_page()
    tester.page.add_init_script(HELD_EXPLANATIONS)
    tester.open()
    tester.expect_why("GPTBot may not fetch")
    expect(tester.find("[data-differs]")).to_have_text("5")
    tester.page.evaluate("isHeld = true")
    return tester


def append(tester: OpenPage, text: str) -> None:
    tester.editor.click()
    tester.page.keyboard.press("Control+End")
    tester.page.keyboard.insert_text(text)


def test_a_cell_that_is_selected_during_an_answer_is_explained(held: OpenPage) -> None:
    append(held, "\nUser-agent: Applebot\nDisallow: /\n")
    held.expect_blocked(78)
    held.cell("MJ12bot", "/shop/").click()
    held.page.evaluate("release()")
    held.expect_why("MJ12bot may not fetch")


def test_a_late_explanation_does_not_move_the_cursor_of_a_user_who_types(held: OpenPage) -> None:
    held.cell("MJ12bot", "/shop/").click()
    append(held, "# one")
    held.page.evaluate("release()")
    held.expect_why("MJ12bot may not fetch")
    held.page.keyboard.insert_text(", two")
    expect(held.editor).to_contain_text("# one, two")


def test_a_link_is_opened_although_the_address_changes_before_its_event(tester: OpenPage) -> None:
    link = fragment({"r": "User-agent: *\nDisallow: /a\n", "u": ["/a"], "a": ["GPTBot"]})
    tester.page.evaluate("link => { location.hash = link; history.replaceState(null, '', '#v1.other'); }", link)
    tester.expect_blocked(1)
    expect(tester.editor).to_contain_text("Disallow: /a")
