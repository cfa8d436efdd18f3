"""The registry: every entry complete, dated and sourced, and the chains that operators document."""

import datetime as dt
from typing import get_args

import pytest

import canfetch
from canfetch.agents import CRAWLERS, Crawler, Obeys, Purpose, crawler_named
from canfetch.errors import InvalidProductToken


@pytest.mark.parametrize("crawler", CRAWLERS, ids=lambda crawler: str(crawler.name))
def test_house_entry_is_complete_dated_and_sourced(crawler: Crawler) -> None:
    assert crawler.tokens
    assert all(token.isascii() and token.isprintable() for token in crawler.tokens)
    assert len({token.lower() for token in crawler.tokens}) == len(crawler.tokens)
    assert "*" not in crawler.tokens  # `star_applies` says that
    assert crawler.operator
    assert crawler.purpose in get_args(Purpose)
    assert crawler.obeys in get_args(Obeys)
    assert crawler.source.startswith("https://") or ":" in crawler.source  # a page's address, or who wrote what
    assert dt.date.fromisoformat(crawler.checked) >= dt.date(2026, 8, 1)
    assert crawler.agent.tokens == crawler.tokens
    assert crawler.agent.star_applies is crawler.star_applies


def test_house_names_are_unique_and_every_fall_back_is_an_entry() -> None:
    names = [crawler.name.lower() for crawler in CRAWLERS]
    assert len(set(names)) == len(names)
    assert {token.lower() for crawler in CRAWLERS for token in crawler.tokens} == set(names)


def test_house_every_purpose_is_used() -> None:
    assert {crawler.purpose for crawler in CRAWLERS} == set(get_args(Purpose))


@pytest.mark.parametrize(
    "name, tokens",
    [
        ("Googlebot", ["Googlebot"]),
        ("Googlebot-Image", ["Googlebot-Image", "Googlebot"]),
        ("Googlebot-Video", ["Googlebot-Video", "Googlebot"]),
        ("Googlebot-News", ["Googlebot-News", "Googlebot"]),
        ("GoogleOther-Image", ["GoogleOther-Image", "GoogleOther"]),
        ("Storebot-Google", ["Storebot-Google"]),
    ],
)
def test_google_chains(name: str, tokens: list[str]) -> None:
    assert canfetch.agent(name) == canfetch.Agent(tokens)


@pytest.mark.parametrize(
    "name",
    [
        "AdsBot-Google",
        "AdsBot-Google-Mobile",
        "AdsBot-Google-Mobile-Apps",
        "APIs-Google",
        "Mediapartners-Google",
    ],
)
def test_google_special_case_crawlers_ignore_star(name: str) -> None:
    assert canfetch.agent(name) == canfetch.Agent(name, star_applies=False)


def test_bing_old_group_speaks_to_bingbot() -> None:
    assert canfetch.agent("bingbot") == canfetch.Agent(["bingbot", "msnbot"])


def test_apple_applebot_follows_googlebot() -> None:
    assert canfetch.agent("Applebot") == canfetch.Agent(["Applebot", "Googlebot"])


@pytest.mark.parametrize("name", ["YandexBot", "YandexImages", "YandexOfTomorrow"])
def test_yandex_robots_fall_back_on_yandex(name: str) -> None:
    assert canfetch.agent(name) == canfetch.Agent([name, "Yandex"])


def test_yandex_itself_is_one_token() -> None:
    assert canfetch.agent("Yandex") == canfetch.Agent("Yandex")


@pytest.mark.parametrize("name", ["YandexCalendar", "YaDirectFetcher"])
def test_yandex_robots_that_only_their_own_name_reaches(name: str) -> None:
    assert canfetch.agent(name) == canfetch.Agent(name, star_applies=False)


@pytest.mark.parametrize("name", ["Google-Extended", "Applebot-Extended", "Googlebot-News"])
def test_house_tokens_that_fetch_nothing(name: str) -> None:
    crawler = crawler_named(name)
    assert crawler is not None
    assert crawler.token_only


def test_house_letter_case_of_a_known_name_is_the_registrys() -> None:
    assert canfetch.agent("googlebot-IMAGE") == canfetch.Agent(["Googlebot-Image", "Googlebot"])


@pytest.mark.parametrize("name", ["ExampleBot", "*", "MJ12bot"])
def test_house_unknown_name_is_itself_alone(name: str) -> None:
    assert crawler_named(name) is None
    assert canfetch.agent(name) == canfetch.Agent(name)


@pytest.mark.parametrize("name", ["", "Example Bot", "ExampleBot/1.0"])
def test_house_what_is_no_token_raises(name: str) -> None:
    with pytest.raises(InvalidProductToken):
        canfetch.agent(name)


def test_house_a_chain_decides_as_documented() -> None:
    robots = canfetch.parse("User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /private\n")
    image = canfetch.agent("Googlebot-Image")
    assert robots.allows("/x", agent=image)
    assert not robots.allows("/private", agent=image)
    assert not robots.allows("/x", agent="Googlebot-Image")  # a str is one exact token
    assert robots.allows("/private", agent=canfetch.agent("AdsBot-Google"))
