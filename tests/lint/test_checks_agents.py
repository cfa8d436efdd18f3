"""Checks of user-agent lines."""

import pytest
from tests.lint.selected_check import fixed, lines

from canfetch.lint.analysis.crawler_suggestions import suggest_crawler

RULE = "\nDisallow: /a\n"


REPORTED = [
    ("CF501", "User-agent: Googelbot"),
    ("CF501", "User-agent: GPT-Bot"),
    ("CF501", "User-agent: Googlebot-Images"),
    ("CF501", "User-agent: googlebot-newss"),
    ("CF501", "User-agent: YandexImage"),
    ("CF501", "User-agent: Baiduspider-images"),
    ("CF501", "User-agent: AhrefBot"),
    ("CF501", "User-agent: Google Bot"),
    ("CF502", "User-agent: MJ12bot"),
    ("CF502", "User-agent: archive.org_bot"),
    ("CF502", "User-agent: Screaming Frog"),
    ("CF503", "User-agent: a, b"),
    ("CF503", "User-agent: *, b"),
    ("CF503", "User-agent: GPTBot ClaudeBot"),
    ("CF503", "User-agent: GPTBot; ClaudeBot"),
    ("CF503", "User-agent: gptbot|claudebot"),
    ("CF504", "User-agent: google-extended"),
    ("CF504", "User-agent: a\nUser-agent: Applebot-Extended"),
    ("CF505", "User-agent: *\nDisallow: /\nUser-agent: b"),
    ("CF505", "User-agent: *\nDisallow: *\nUser-agent: b"),
    ("CF506", "User-agent: ia_archiver"),
    ("CF506", "User-agent: a, Perplexity-User"),
    ("CF507", "User-agent: googleweblight"),
    ("CF507", "User-agent: msnbot\nUser-agent: bingbot"),
    ("CF508", "User-agent: Googlebot/2.1"),
    ("CF508", "User-agent: Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)"),
    ("CF508", "User-agent: Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/115.0"),
    ("CF509", "User-agent: *bot*"),
    ("CF509", "User-agent: Goo*"),
    ("CF510", "User-agent:"),
    ("CF510", "User-agent: # all"),
    ("CF511", "User-agent: openai"),
    ("CF511", "User-agent: All"),
    ("CF511", "User-agent: Baidu"),
    ("CF512", "User-agent: Googlebot\nDisallow: /x\nUser-agent: Googlebot-News"),
    ("CF512", "User-agent: Yandex\nDisallow: /x\nUser-agent: YandexBot"),
]
NOT_REPORTED = [
    ("CF501", "User-agent: GoogleBot"),
    ("CF501", "User-agent: SemrushBot-SA"),
    ("CF501", "User-agent: YandexVideo"),
    # Names of real crawlers that the registry does not have.
    ("CF501", "User-agent: Googlebot-Mobile"),
    ("CF501", "User-agent: YandexVideoParser"),
    ("CF501", "User-agent: YandexImageResizer"),
    ("CF501", "User-agent: YandexMedia"),
    ("CF501", "User-agent: Baiduspider-render"),
    ("CF501", "User-agent: SemrushBot-BA"),
    ("CF501", "User-agent: MyOwnCrawler"),
    ("CF501", "User-agent: *"),
    ("CF502", "User-agent: Googlebot-Image"),
    ("CF502", "User-agent: *"),
    ("CF503", "User-agent: Mozilla/5.0 (KHTML, like Gecko)"),
    ("CF503", "User-agent: a # b, c"),
    ("CF503", "User-agent: Screaming Frog"),
    ("CF503", "User-agent: GPTBot and ClaudeBot"),
    ("CF503", "User-agent: GPTBot;"),
    ("CF502", "User-agent: GPTBot ClaudeBot"),
    ("CF504", "User-agent: Googlebot-News"),
    ("CF504", "User-agent: Google-Extended\nAllow: /\nUser-agent: b"),
    ("CF505", "User-agent: *\nDisallow: /\nAllow: /a\nUser-agent: b"),
    ("CF505", "User-agent: *\nDisallow: /\nUser-agent: AdsBot-Google"),
    ("CF506", "User-agent: Claude-User"),
    ("CF506", "User-agent: ChatGPT-User\nAllow: /\nUser-agent: b"),
    ("CF507", "User-agent: msnbot"),
    ("CF507", "User-agent: Googlebot"),
    ("CF508", "User-agent: Mozilla"),
    ("CF508", "User-agent: archive.org_bot"),
    ("CF509", "User-agent: *"),
    ("CF509", "User-agent: * # all*"),
    ("CF510", "User-agent: *"),
    ("CF510", "User-agent: a"),
    ("CF511", "User-agent: Yandex"),
    ("CF511", "User-agent: Googlebot"),
    ("CF512", "User-agent: Googlebot\nUser-agent: Googlebot-Image"),
    ("CF512", "User-agent: Googlebot\nDisallow: /a/b\nUser-agent: Googlebot-Image"),
    ("CF512", "User-agent: Googlebot\nDisallow: /x\nUser-agent: Applebot"),
]


@pytest.mark.parametrize("code, agents", REPORTED)
def test_check_reports(code: str, agents: str) -> None:
    assert lines((agents + RULE).encode(), code)


@pytest.mark.parametrize("code, agents", NOT_REPORTED)
def test_check_does_not_report(code: str, agents: str) -> None:
    assert lines((agents + RULE).encode(), code) == []


@pytest.mark.parametrize(
    "code, before, after",
    [
        ("CF501", "User-agent: Googelbot", "User-agent: Googlebot"),
        ("CF501", "User-agent: Googlebot-Images", "User-agent: Googlebot-Image"),
        ("CF501", "User-agent: YandexImage", "User-agent: YandexImages"),
        ("CF501", "User-agent: Googelbot\nUser-agent: googlebot", "User-agent: Googelbot\nUser-agent: googlebot"),
        ("CF503", "User-agent: a, B,a # c", "User-agent: a\nUser-agent: B # c"),
        ("CF503", "useragent: a,*", "useragent: a\nuseragent: *"),
        ("CF503", "User-agent: GPTBot | ClaudeBot", "User-agent: GPTBot\nUser-agent: ClaudeBot"),
        ("CF503", "User-agent: GPTBot  ClaudeBot", "User-agent: GPTBot\nUser-agent: ClaudeBot"),
        ("CF503", "User-agent: a, b c", "User-agent: a, b c"),
        ("CF503", "User-agent: a, b\nUser-agent: b", "User-agent: a, b\nUser-agent: b"),
        ("CF508", "User-agent: Googlebot/2.1", "User-agent: Googlebot"),
        ("CF508", "User-agent: Mozilla/5.0 (compatible; bingbot/2.0)", "User-agent: bingbot"),
        ("CF509", "User-agent: Googlebot*", "User-agent: Googlebot"),
        ("CF509", "User-agent: goo*", "User-agent: goo*"),
    ],
)
def test_fix_rewrites_name(code: str, before: str, after: str) -> None:
    assert fixed((before + RULE).encode(), code) == (after + RULE).encode()


@pytest.mark.parametrize("rule", ["Disallow: /", "Disallow: /css/", "Disallow: /$"])
def test_fix_does_not_block_search_engine(rule: str) -> None:
    content = f"User-agent: Googelbot\n{rule}\n".encode()
    assert lines(content, "CF501") == [1]
    assert fixed(content, "CF501") == content
    content = f"User-agent: a, *\n{rule}\n".encode()
    assert lines(content, "CF503") == [1]
    assert fixed(content, "CF503") == content


def test_fix_splits_list_with_line_ends_of_file() -> None:
    assert fixed(b"User-agent: a, b\r\nDisallow: /\r\n", "CF503") == (
        b"User-agent: a\r\nUser-agent: b\r\nDisallow: /\r\n"
    )


@pytest.mark.parametrize(
    "name, near",
    [
        ("googelbot", "Googlebot"),
        ("Baidu-Spider", "Baiduspider"),
        ("ClaudeBots", "ClaudeBot"),
        ("ClaudeBot", None),
        ("bot", None),
        ("", None),
        ("x" * 100_000, None),
        ("Googleböt", None),
    ],
)
def test_suggested_crawler(name: str, near: str | None) -> None:
    assert suggest_crawler(name) == near
