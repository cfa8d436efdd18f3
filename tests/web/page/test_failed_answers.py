"""What the page shows if verdicts cannot be computed, and the page whose verdicts the server computes."""

import csv
import io
import re
from typing import Final

import pytest
from playwright.sync_api import Route, expect
from tests.web.page.conftest import NewPage, OpenPage
from tests.web.page.test_exports import exported

pytestmark = pytest.mark.service

CLIENT: Final = "User-agent: *\nDisallow: /cart\n"
# Each question to the worker fails while `isBroken` is true, as after a crash.
BROKEN_WORKER: Final = """
  window.isBroken = false;
  window.Worker = class extends Worker {
    postMessage(message) {
      if (isBroken) this.onerror(new ErrorEvent("error", { message: "out of memory" }));
      else super.postMessage(message);
    }
  };
"""


@pytest.fixture
def served(new_page: NewPage) -> OpenPage:
    """Return the page as a build without the engine writes it."""
    tester = new_page()

    def without_engine(route: Route) -> None:
        response = route.fetch()
        body = re.sub(r'(<meta name="canfetch-engine" content=")[^"]*', r"\1", response.text())
        assert body != response.text()
        route.fulfill(response=response, body=body)

    tester.page.route(tester.site.address, without_engine)
    tester.open()
    return tester


def fail(route: Route) -> None:
    route.fulfill(status=503, json={"type": "about:blank", "title": "Service Unavailable", "status": 503})


def expect_no_result(tester: OpenPage) -> None:
    """Expect that nothing of the example is shown, and that the page offers to try again."""
    expect(tester.find(".message-title")).to_have_text("The verdicts could not be computed.")
    expect(tester.control("retry")).to_be_visible()
    expect(tester.control("export")).to_be_disabled()
    for part in ("[data-summary]", ".sizes", "[data-readers]"):
        expect(tester.find(part)).to_have_text("")
    expect(tester.find("[data-differs]")).to_have_text("\u2013")
    expect(tester.find("[data-part=why]")).not_to_contain_text("Line")


@pytest.mark.parametrize("question", ["parse", "matrix", "explain"])
@pytest.mark.parametrize("way", ["fetch", "open", "paste"])
def test_after_a_failure_nothing_of_the_file_before_is_shown(served: OpenPage, question: str, way: str) -> None:
    served.site.sites.add("https://client.example/robots.txt", CLIENT.encode())
    served.expect_blocked(64)
    served.page.route(f"**/v1/{question}", fail)
    if way == "fetch":
        served.fetch("client.example")
    elif way == "open":
        served.open_file(CLIENT.encode())
    else:
        served.paste_file(CLIENT)
    if question == "explain":
        # The verdicts are known, and only the explanation is not.
        expect(served.rows).to_have_text(["/cart", "/"])
        served.expect_blocked(5)
        return
    expect_no_result(served)
    served.page.unroute(f"**/v1/{question}")
    served.control("retry").click()
    expect(served.rows).to_have_text(["/cart", "/"])
    served.expect_blocked(5)
    expect(served.find(".sizes")).to_contain_text("2 lines")


def test_after_a_failure_of_the_worker_nothing_of_the_file_before_is_shown(new_page: NewPage) -> None:
    tester = new_page()
    tester.page.add_init_script(BROKEN_WORKER)
    tester.open()
    tester.expect_blocked(64)
    tester.page.evaluate("isBroken = true")
    tester.open_file(CLIENT.encode())
    expect_no_result(tester)
    tester.page.evaluate("isBroken = false")
    tester.control("retry").click()
    expect(tester.rows).to_have_text(["/cart", "/"])
    tester.expect_blocked(5)


def test_a_slow_answer_leaves_no_verdicts_of_the_file_before_and_an_export_waits_for_it(served: OpenPage) -> None:
    served.expect_blocked(64)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    served.page.route("**/v1/matrix", hold)
    served.open_file(CLIENT.encode())
    expect(served.find("[data-summary]")).to_have_text("")
    expect(served.control("export")).to_be_disabled()
    served.page.unroute("**/v1/matrix")
    for route in held:
        route.continue_()
    served.expect_blocked(5)
    held.clear()
    served.page.route("**/v1/matrix", hold)
    served.replace_file("User-agent: *\nDisallow: /cart\nDisallow: /$\n")
    served.control("export").click()
    expect(served.find("dialog")).to_have_count(0)
    served.page.unroute("**/v1/matrix")
    for route in held:
        route.continue_()
    expect(served.control("export-csv")).to_be_visible()
    served.page.keyboard.press("Escape")
    rows = list(csv.reader(io.StringIO(exported(served, "csv", "matrix").decode("utf-8-sig"))))
    assert [row[1] for row in rows[1:]] == ["blocked", "blocked"]


def test_the_server_finds_where_readings_differ(served: OpenPage, new_page: NewPage) -> None:
    with_engine = new_page()
    with_engine.open()
    for tester in (served, with_engine):
        expect(tester.find("[data-differs]")).to_have_text("5")
    lists = [exported(tester, "csv", "list") for tester in (served, with_engine)]
    assert lists[0] == lists[1]
    assert lists[0].decode().count("readings differ") == 5
    served.control("only-differing").click()
    with_engine.control("only-differing").click()
    expect(served.rows).to_have_text(with_engine.rows.all_inner_texts())
