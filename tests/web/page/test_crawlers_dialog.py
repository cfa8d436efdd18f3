"""The dialog in which crawlers are chosen."""

import pytest
from playwright.sync_api import expect
from tests.web.page.conftest import OpenPage

pytestmark = pytest.mark.service


def test_crawlers_are_found_by_operator_and_purpose(tester: OpenPage) -> None:
    tester.control("crawlers").click()
    tester.control("crawlers-clear").click()
    tester.control("crawlers-search").fill("openai training")
    expect(tester.find(".crawler-list li")).to_have_count(1)
    tester.control("crawlers-all").click()
    # The product token is the first word.
    tester.control("crawlers-search").fill("screaming")
    expect(tester.find(".crawler-list .crawler-name")).to_have_text("Screaming Frog")
    tester.control("crawlers-search").fill("GPTBot,CCBot")
    expect(tester.find("[data-result=invalid-token]")).to_contain_text("GPTBot,CCBot is not one product token")
    expect(tester.control("crawlers-add")).to_have_count(0)
    tester.control("crawlers-search").fill("GPTBto")
    expect(tester.find("[data-result=misspelt-token]")).to_contain_text("Did you mean GPTBot?")
    tester.control("crawlers-search").fill("MyOwnBot")
    expect(tester.find("[data-result=misspelt-token]")).to_have_count(0)
    tester.control("crawlers-add").click()
    tester.control("crawlers-apply").click()
    expect(tester.find(".grid-names .name")).to_have_text(["GPTBot", "MyOwnBot"])


def test_a_pasted_user_agent_header_is_identified(tester: OpenPage) -> None:
    tester.control("crawlers").click()
    tester.control("crawlers-clear").click()
    search = tester.control("crawlers-search")
    search.fill("User-Agent: Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)")
    expect(tester.find("[data-result=user-agent]")).to_have_text("This User-Agent header identifies AhrefsBot.")
    tester.find(".crawler-list [data-token=AhrefsBot] input").check()
    search.fill("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0")
    expect(tester.find("[data-result=user-agent]")).to_contain_text("identifies no crawler")
    tester.control("crawlers-apply").click()
    expect(tester.columns).to_have_text(["AhrefsBot"])
