"""The registry: entries are complete, dated and sourced, and chains are those that operators document."""

import datetime as dt
from typing import get_args
from urllib.parse import urlsplit

import pytest

import canfetch
from canfetch.agents import (
    CRAWLERS,
    REGISTRY,
    Crawler,
    Obeys,
    Purpose,
    Registry,
    Verification,
    find_crawler,
    get_crawler,
)
from canfetch.core.extensions.known_records import KNOWN_RECORDS
from canfetch.errors import InvalidOption, InvalidProductToken


@pytest.mark.parametrize("crawler", CRAWLERS, ids=lambda crawler: str(crawler.name))
def test_entry_is_complete_dated_and_sourced(crawler: Crawler) -> None:
    assert crawler.tokens
    assert all(token.isascii() and token.isprintable() for token in crawler.tokens)
    assert len({token.lower() for token in crawler.tokens}) == len(crawler.tokens)
    assert "*" not in crawler.tokens  # see star_applies
    assert crawler.operator
    assert crawler.purposes
    assert set(crawler.purposes) <= set(get_args(Purpose))
    assert len(set(crawler.purposes)) == len(crawler.purposes)
    assert crawler.obeys in get_args(Obeys)
    assert crawler.source.startswith("https://") or ":" in crawler.source  # a URL, or an author and a document
    assert dt.date.fromisoformat(crawler.checked) >= dt.date(2026, 8, 1)
    # A token that is only used in robots.txt files has no header, and nothing to verify.
    assert bool(crawler.product_names) is not crawler.token_only
    assert not (crawler.token_only and crawler.verification.is_documented)
    assert all(name.startswith(".") and name == name.lower() for name in crawler.verification.host_names)
    assert all(url.startswith("https://") for url in crawler.verification.address_lists)
    assert {record.encode() for record in crawler.honours} <= set(KNOWN_RECORDS)
    assert crawler.agent.tokens == crawler.tokens
    assert crawler.agent.star_applies is crawler.star_applies


def test_names_are_unique_and_every_fallback_token_is_an_entry() -> None:
    names = [crawler.name.lower() for crawler in CRAWLERS]
    assert len(set(names)) == len(names)
    assert {token.lower() for crawler in CRAWLERS for token in crawler.tokens} == set(names)


def test_product_names_are_unique() -> None:
    names = [name.lower() for crawler in CRAWLERS for name in crawler.product_names]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "names",
    [
        "Googlebot Googlebot-Image Googlebot-Video Googlebot-News Storebot-Google Google-InspectionTool GoogleOther",
        "GoogleOther-Image GoogleOther-Video Google-CloudVertexBot Google-Extended APIs-Google AdsBot-Google",
        "AdsBot-Google-Mobile Mediapartners-Google Google-Safety AdsBot-Google-Mobile-Apps DuplexWeb-Google",
        "googleweblight Google-Agent Google-GeminiNotebook Google-NotebookLM FeedFetcher-Google Google-Read-Aloud",
        "Google-Site-Verification GoogleMessages Google-Pinpoint GoogleProducer Google-CWS",
        "YandexBot YandexImages YandexCalendar YandexMobileBot YaDirectFetcher YandexDirect YandexAdditional",
        "YandexAdditionalBot bingbot AdIdxBot BingPreview MicrosoftPreview BingVideoPreview msnbot Baiduspider",
        "Baiduspider-image Baiduspider-video Baiduspider-news Baiduspider-favo Baiduspider-cpro Baiduspider-ads",
        "Applebot Applebot-Extended DuckDuckBot DuckAssistBot SeznamBot Yeti NaverBot Slurp PetalBot Amazonbot",
        "Amzn-SearchBot Amzn-User CCBot archive.org_bot ia_archiver GPTBot OAI-SearchBot ChatGPT-User OAI-AdsBot",
        "ClaudeBot Claude-User Claude-SearchBot anthropic-ai Claude-Web PerplexityBot Perplexity-User",
        "meta-externalagent meta-externalfetcher meta-webindexer meta-externalads facebookexternalhit facebookcatalog",
        "MistralAI-User MistralAI-Index MistralAI-Training Bytespider TikTokSpider AI2Bot Diffbot YouBot cohere-ai",
        "cohere-training-data-crawler omgili omgilibot Webzio-Extended AhrefsBot SemrushBot MJ12bot dotbot Twitterbot",
        "LinkedInBot Slackbot Discordbot Pinterestbot",
    ],
)
def test_well_known_crawlers_are_in_the_registry(names: str) -> None:
    assert [name for name in names.split() if get_crawler(name) is None] == []


def test_every_purpose_is_used() -> None:
    assert {purpose for crawler in CRAWLERS for purpose in crawler.purposes} == set(get_args(Purpose))


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


def test_bing_bingbot_falls_back_to_msnbot() -> None:
    assert canfetch.agent("bingbot") == canfetch.Agent(["bingbot", "msnbot"])


def test_apple_applebot_falls_back_to_googlebot() -> None:
    assert canfetch.agent("Applebot") == canfetch.Agent(["Applebot", "Googlebot"])


@pytest.mark.parametrize("name", ["YandexBot", "YandexImages", "YandexOfTomorrow"])
def test_yandex_crawlers_fall_back_to_yandex(name: str) -> None:
    assert canfetch.agent(name) == canfetch.Agent([name, "Yandex"])


def test_yandex_itself_is_one_token() -> None:
    assert canfetch.agent("Yandex") == canfetch.Agent("Yandex")


@pytest.mark.parametrize("name", ["YandexCalendar", "YaDirectFetcher"])
def test_yandex_crawlers_that_ignore_star(name: str) -> None:
    assert canfetch.agent(name) == canfetch.Agent(name, star_applies=False)


@pytest.mark.parametrize("name", ["Google-Extended", "Applebot-Extended", "Googlebot-News"])
def test_tokens_that_never_fetch(name: str) -> None:
    crawler = get_crawler(name)
    assert crawler is not None
    assert crawler.token_only


def test_names_are_case_insensitive() -> None:
    assert canfetch.agent("googlebot-IMAGE") == canfetch.Agent(["Googlebot-Image", "Googlebot"])


@pytest.mark.parametrize("name", ["ExampleBot", "*", "Example2.bot"])
def test_unknown_name_is_a_chain_of_one_token(name: str) -> None:
    assert get_crawler(name) is None
    assert canfetch.agent(name) == canfetch.Agent(name)


@pytest.mark.parametrize("name", ["", "Example Bot", "ExampleBot/1.0"])
def test_invalid_token_raises(name: str) -> None:
    with pytest.raises(InvalidProductToken):
        canfetch.agent(name)


def test_chain_falls_back_to_the_second_token() -> None:
    robots = canfetch.parse("User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /private\n")
    image = canfetch.agent("Googlebot-Image")
    assert robots.allows("/x", agent=image)
    assert not robots.allows("/private", agent=image)
    assert not robots.allows("/x", agent="Googlebot-Image")  # a str is one exact token
    assert robots.allows("/private", agent=canfetch.agent("AdsBot-Google"))


GOOGLE = "+http://www.google.com/bot.html"


@pytest.mark.parametrize(
    "header, name",
    [
        (f"Mozilla/5.0 (compatible; Googlebot/2.1; {GOOGLE})", "Googlebot"),
        (
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; "
                f"{GOOGLE}) Chrome/120.0.0.0 Safari/537.36"
            ),
            "Googlebot",
        ),
        ("Googlebot-Image/1.0", "Googlebot-Image"),
        ("AdsBot-Google (+http://www.google.com/adsbot.html)", "AdsBot-Google"),
        ("Mediapartners-Google", "Mediapartners-Google"),
        ("APIs-Google (+https://developers.google.com/webmasters/APIs-Google.html)", "APIs-Google"),
        (
            (
                "Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) "
                "Chrome/79.0.3945.88 Safari/537.36"
            ),
            "Storebot-Google",
        ),
        ("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", "bingbot"),
        ("Mozilla/5.0 (compatible; adidxbot/2.0; +http://www.bing.com/bingbot.htm)", "AdIdxBot"),
        (
            "Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b",
            "BingPreview",
        ),
        ("Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)", "Slurp"),
        ("Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", "YandexBot"),
        (
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                "Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)"
            ),
            "Applebot",
        ),
        ("DuckDuckBot-Https/1.1; (+https://duckduckgo.com/duckduckbot)", "DuckDuckBot"),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
            "GPTBot",
        ),
        ("facebookexternalhit/1.1 Facebot Twitterbot/1.0", "facebookexternalhit"),
        ("Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "Slackbot-LinkExpanding"),
        (
            "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
            "LinkedInBot",
        ),
        ("CCBot/2.0 (https://commoncrawl.org/faq/)", "CCBot"),
        ("Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)", "MJ12bot"),
        ("Pinterest/0.2 (+https://www.pinterest.com/bot.html)", "Pinterestbot"),
    ],
)
def test_header_identifies_its_crawler(header: str, name: str) -> None:
    crawler = find_crawler(header)
    assert crawler is not None
    assert crawler.name == name


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0",
        "ExampleBot/1.0 (+https://example.com/Googlebot/)",
        "Google-Extended/1.0",  # a token for robots.txt files, never in a header
        "NotGooglebot/2.1",
        "\udcff\x00",
    ],
)
def test_header_without_a_known_crawler(header: str) -> None:
    assert find_crawler(header) is None


def test_users_can_add_entries() -> None:
    own = Crawler(("ExampleBot", "ExampleBots"), "Example", ("testing",), "https://example.com/bot")
    other = Crawler(("googlebot",), "Example", ("testing",), "https://example.com/bot", star_applies=False)
    registry = REGISTRY.with_crawlers(own, other)
    assert registry.get_crawler("examplebot") is own
    assert registry.find_crawler("ExampleBot/1.0") is own
    assert registry.agent("ExampleBot") == canfetch.Agent(["ExampleBot", "ExampleBots"])
    assert registry.agent("Googlebot") == canfetch.Agent("googlebot", star_applies=False)
    assert len(registry) == len(REGISTRY) + 1
    assert REGISTRY.get_crawler("ExampleBot") is None
    assert len(Registry([])) == 0
    assert repr(Registry([own])) == "<Registry of 1 crawlers>"


def test_verification_as_text() -> None:
    assert str(Verification()) == "no documented method"
    assert str(Verification((".example.com",), ("https://example.com/bot.json",), "or ask")) == (
        "reverse DNS returns a name under .example.com that resolves back to the address; "
        "the addresses are listed at https://example.com/bot.json; or ask"
    )


OWN = Crawler(("ExampleBot",), "Example", ("research",), "https://example.com/bot")


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"tokens": "AbBot"}, InvalidOption, "invalid tokens 'AbBot': expected a tuple"),
        ({"tokens": ()}, InvalidOption, "expected product tokens"),
        ({"tokens": ("ExampleBot", "*")}, InvalidOption, "star_applies"),
        ({"tokens": ("a b",)}, InvalidProductToken, "invalid product token 'a b'"),
        ({"tokens": (7,)}, InvalidOption, "invalid tokens"),
        ({"tokens": ("Verify",)}, InvalidOption, "invalid token 'Verify': the HTTP API has a path with this name"),
        (
            {"purposes": ("research", "nonsense")},
            InvalidOption,
            "crawler 'ExampleBot': unknown purpose 'nonsense': choose from 'ads'",
        ),
        (
            {"purposes": "research"},
            InvalidOption,
            r"invalid purposes 'research': expected a tuple of str, such as \('sea",
        ),
        ({"purposes": ()}, InvalidOption, r"invalid purposes \(\): expected at least one purpose"),
        ({"source_kind": "me"}, InvalidOption, "unknown source_kind 'me': choose from 'operator', 'third-party'"),
        ({"obeys": True}, InvalidOption, "crawler 'ExampleBot': unknown obeys True: choose from 'yes'"),
        ({"operator": None}, InvalidOption, "crawler 'ExampleBot': invalid operator None: expected a str"),
        ({"verification": ".example.com"}, InvalidOption, "expected a Verification"),
        ({"star_applies": "no"}, InvalidOption, "expected True or False"),
        ({"user_agents": "ExampleBot"}, InvalidOption, "invalid user_agents 'ExampleBot'"),
        ({"checked": "yesterday"}, InvalidOption, "expected a date"),
        ({"checked": None}, InvalidOption, "expected a date"),
    ],
)
def test_invalid_entry_raises(change: dict[str, object], error: type[Exception], message: str) -> None:
    for add in (REGISTRY.with_crawlers, lambda crawler: Registry([crawler])):
        with pytest.raises(error, match=message):
            add(OWN._replace(**change))  # type: ignore[arg-type]  # deliberately wrong


def test_arguments_of_wrong_type_raise() -> None:
    with pytest.raises(TypeError, match="crawler must be a Crawler, not str"):
        REGISTRY.with_crawlers("x")  # type: ignore[arg-type]  # deliberately wrong
    for function in (canfetch.agent, canfetch.find_crawler, REGISTRY.get_crawler, REGISTRY.agent):
        with pytest.raises(TypeError, match="must be a str, not NoneType"):
            function(None)  # type: ignore[arg-type]  # deliberately wrong


def test_own_entries_are_valid() -> None:
    assert len(Registry(CRAWLERS)) == len(REGISTRY)
    assert REGISTRY.with_crawlers(OWN).get_crawler("examplebot") is OWN


OPERATOR_DOMAINS = {
    "Allen Institute for AI": "allenai.org",
    "Amazon": "amazon.com",
    "Anthropic": "claude.com",
    "Brave": "brave.com",
    "Ceramic": "github.com/CeramicTeam/",
    "Comscore": "comscore.com",
    "Cốc Cốc": "coccoc.com",
    "Google": "google.com",
    "ImageSift": "imagesift.com",
    "Kakao": "daum.net",
    "LAION": "laion.ai",
    "Lyrenth": "lyrenth.com",
    "Majestic": "mj12bot.com",
    "Meta": "facebook.com",
    "Microsoft": "bing.com",
    "Moonshot AI": "kimi.com",
    "Oracle": "addthis.com",
    "Parallel": "parallel.ai",
    "ROIS": "rois.ac.jp",
    "SB Intuitions": "sbintuitions.co.jp",
    "SE Ranking": "seranking.com",
    "Screaming Frog": "screamingfrog.co.uk",
    "Serpstat": "serpstatbot.com",
    "Webz.io": "webz.io",
    "You.com": "you.com",
}


@pytest.mark.parametrize(
    "crawler",
    [crawler for crawler in CRAWLERS if crawler.source_kind == "operator" and "://" in crawler.source],
    ids=lambda crawler: str(crawler.name),
)
def test_source_of_the_operator_is_on_its_domain(crawler: Crawler) -> None:
    host = urlsplit(crawler.source).hostname or ""
    domain = OPERATOR_DOMAINS.get(crawler.operator, crawler.operator.lower().replace(" ", "").replace(".", ""))
    assert domain in host or domain in crawler.source.partition("://")[2]
    assert "quoted" not in crawler.source


@pytest.mark.parametrize(
    "crawler",
    [crawler for crawler in CRAWLERS if "://" not in crawler.source or " " in crawler.source],
    ids=lambda crawler: str(crawler.name),
)
def test_lists_and_quotations_are_third_parties(crawler: Crawler) -> None:
    words = ("community-maintained list", "as quoted by others", "Wikipedia", "https://")
    assert (crawler.source_kind == "third-party") is any(word in crawler.source for word in words)


@pytest.mark.parametrize(
    "header, name",
    [
        ("Mozilla/5.0 (compatible; Exabot/3.0; +http://www.exabot.com/go/robot)", "ExaBot"),
        ("Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)", "Sogou"),
        ("Mozilla/2.0 (compatible; Ask Jeeves/Teoma; +http://sp.ask.com/docs/about/tech_crawling.html)", "Teoma"),
        ("Screaming Frog SEO Spider/21.0", "Screaming"),
        ("Mozilla/5.0 (compatible; SISTRIX Crawler; http://crawler.sistrix.net/)", "SISTRIX"),
        ("Mozilla/5.0 (compatible; Daum/4.1; +http://cs.daum.net/faq/15/4118.html?faqId=28966)", "Daum"),
        ("Mozilla/5.0 (compatible; Linux x86_64; Mail.RU_Bot/2.0; +https://help.mail.ru/webmaster/)", "Mail.RU_Bot"),
        ("Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0.0.0 Safari/537.36 Chrome-Lighthouse", "Chrome-Lighthouse"),
        ("CloudflareBrowserRenderingCrawler/1.0", "CloudflareBrowserRenderingCrawler"),
        ("Mozilla/5.0 (compatible; coccocbot-web/1.0; +http://help.coccoc.com/searchengine)", "coccocbot"),
        ("Mozilla/5.0 (compatible; Qwantbot-news/2.0; +https://help.qwant.com/bot/)", "Qwantbot"),
        ("Mozilla/5.0 (compatible; proximic; +https://www.comscore.com/Web-Crawler)", "proximic"),
        ("Mozilla/5.0 (compatible; GrapeshotCrawler/2.0; +http://www.grapeshot.co.uk/crawler.php)", "GrapeshotCrawler"),
        ("Mozilla/5.0 (compatible; YandexVideo/3.0; +http://yandex.com/bots)", "YandexVideo"),
        ("Mozilla/5.0 (compatible; YandexMetrika/3.0; +http://yandex.com/bots)", "YandexMetrika"),
        ("Mozilla/5.0 (compatible; YandexWebmaster/2.0; +http://yandex.com/bots)", "YandexWebmaster"),
    ],
)
def test_header_of_a_regional_or_special_crawler(header: str, name: str) -> None:
    crawler = find_crawler(header)
    assert crawler is not None
    assert crawler.name == name


@pytest.mark.parametrize(
    "line, name",
    [
        ("Screaming Frog SEO Spider", "Screaming"),
        ("SISTRIX Crawler", "SISTRIX"),
        ("Sogou web spider", "Sogou"),
        ("Exabot", "ExaBot"),
    ],
)
def test_group_of_a_name_with_spaces_applies(line: str, name: str) -> None:
    assert not canfetch.parse(f"User-agent: {line}\nDisallow: /").allows("/", agent=canfetch.agent(name))


def test_common_crawl_archives_pages_and_others_train_on_them() -> None:
    crawler = get_crawler("CCBot")
    assert crawler is not None
    assert crawler.purposes == ("archive", "training")


def test_dict_is_one_flat_row() -> None:
    rows = [crawler.to_dict() for crawler in CRAWLERS]
    assert {type(value) for row in rows for value in row.values()} <= {str, bool, type(None)}
    row = next(row for row in rows if row["name"] == "Googlebot-Image")
    assert (row["tokens"], row["star_applies"], row["operator"]) == ("Googlebot-Image Googlebot", True, "Google")
    assert row["product_names"] == "Googlebot-Image"
