"""Crawlers of search engines other than Google."""

from typing import Final

from canfetch.agents.crawler import Crawler, Verification

_BING: Final = "https://blogs.bing.com/webmaster/2012/05/03/to-crawl-or-not-to-crawl-that-is-bingbots-question"
_YANDEX: Final = "https://yandex.com/support/webmaster/en/robot-workings/user-agent"
_YANDEX_ROBOTS: Final = "https://yandex.com/support/webmaster/en/robot-workings/check-yandex-robots"
_APPLE: Final = "https://support.apple.com/119829"
_DUCKDUCKGO: Final = "https://duckduckgo.com/duckduckgo-help-pages/results/"
_BAIDU: Final = "Baidu webmaster help: robots.txt"

_BING_VERIFICATION: Final = Verification((".search.msn.com",), ("https://www.bing.com/toolbox/bingbot.json",))
_YANDEX_VERIFICATION: Final = Verification((".yandex.ru", ".yandex.net", ".yandex.com"))
_BAIDU_VERIFICATION: Final = Verification((".crawl.baidu.com", ".crawl.baidu.jp"))
_APPLE_VERIFICATION: Final = Verification(
    (".applebot.apple.com",), ("https://search.developer.apple.com/applebot.json",)
)
_CHECKED: Final = "2026-11-22"
_YANDEX_RECORDS: Final = ("clean-param", "sitemap")


def _microsoft(*tokens: str) -> Crawler:
    return Crawler(tokens, "Microsoft", ("preview",), _BING)


def _yandex(*tokens: str) -> Crawler:
    return Crawler(
        tokens, "Yandex", ("search-index",), _YANDEX, honours=_YANDEX_RECORDS, verification=_YANDEX_VERIFICATION
    )


def _yandex_alone(name: str) -> Crawler:
    # The `*` groups do not apply to them, only groups with their own token.
    return Crawler((name,), "Yandex", ("ads",), _YANDEX_ROBOTS, star_applies=False, verification=_YANDEX_VERIFICATION)


def _yandex_service(name: str) -> Crawler:
    entry = _yandex(name, "Yandex")
    return entry._replace(purposes=("site-owner",), source=_YANDEX_ROBOTS, honours=(), checked=_CHECKED)


def _baidu(name: str) -> Crawler:
    return Crawler((name,), "Baidu", ("search-index",), _BAIDU, verification=_BAIDU_VERIFICATION)


SEARCH_ENGINES: Final[tuple[Crawler, ...]] = (
    # bingbot also obeys groups for its predecessor, msnbot.
    Crawler(
        ("bingbot", "msnbot"),
        "Microsoft",
        ("search-index",),
        _BING,
        honours=("crawl-delay", "sitemap"),
        verification=_BING_VERIFICATION,
    ),
    _microsoft("msnbot")._replace(purposes=("search-index",), retired=True),
    _microsoft("AdIdxBot")._replace(purposes=("ads",)),
    _microsoft("BingPreview"),
    _microsoft("MicrosoftPreview"),
    _microsoft("BingVideoPreview"),
    # Addresses all crawlers of Yandex. None of them has it as its own name.
    _yandex("Yandex")._replace(token_only=True, verification=Verification()),
    _yandex("YandexBot", "Yandex"),
    _yandex("YandexImages", "Yandex"),
    _yandex("YandexVideo", "Yandex")._replace(source=_YANDEX_ROBOTS, checked=_CHECKED),
    # They obey groups for their own name. Yandex documents that some robots that do not index ignore `*`, and lists
    # them in a table that could not be checked for these two.
    _yandex_service("YandexMetrika"),
    _yandex_service("YandexWebmaster"),
    _yandex("YandexAdditional", "Yandex")._replace(
        purposes=("answers",), source=_YANDEX_ROBOTS, token_only=True, honours=(), verification=Verification()
    ),
    _yandex("YandexAdditionalBot", "Yandex")._replace(
        purposes=("answers",), source=_YANDEX_ROBOTS, token_only=True, honours=(), verification=Verification()
    ),
    _yandex_alone("YandexCalendar")._replace(purposes=("user-triggered",)),
    _yandex_alone("YandexMobileBot")._replace(purposes=("testing",)),
    _yandex_alone("YandexDirect"),
    _yandex_alone("YaDirectFetcher"),
    Crawler(("Applebot", "Googlebot"), "Apple", ("search-index",), _APPLE, verification=_APPLE_VERIFICATION),
    Crawler(("Applebot-Extended",), "Apple", ("training",), _APPLE, token_only=True),
    Crawler(
        ("DuckDuckBot",),
        "DuckDuckGo",
        ("search-index",),
        _DUCKDUCKGO + "duckduckbot",
        user_agents=("DuckDuckBot", "DuckDuckBot-Https"),
        verification=Verification((), ("https://duckduckgo.com/duckduckbot.json",)),
    ),
    Crawler(
        ("DuckAssistBot",),
        "DuckDuckGo",
        ("answers",),
        _DUCKDUCKGO + "duckassistbot",
        verification=Verification(note="the addresses are on its help page"),
    ),
    _baidu("Baiduspider")._replace(user_agents=("Baiduspider", "Baiduspider-render")),
    _baidu("Baiduspider-image"),
    _baidu("Baiduspider-video"),
    _baidu("Baiduspider-news"),
    _baidu("Baiduspider-favo"),
    _baidu("Baiduspider-mobile")._replace(retired=True),
    _baidu("Baiduspider-cpro")._replace(purposes=("ads",)),
    _baidu("Baiduspider-ads")._replace(purposes=("ads",)),
    Crawler(
        ("SeznamBot",),
        "Seznam",
        ("search-index",),
        "Seznam help: how to control SeznamBot",
        honours=("request-rate", "sitemap"),
        verification=Verification((".seznam.cz",)),
    ),
    Crawler(("Yeti",), "Naver", ("search-index",), "Naver Search Advisor: robots.txt"),
    # The former name of Yeti.
    Crawler(("NaverBot",), "Naver", ("search-index",), "Naver Search Advisor: robots.txt", retired=True),
    Crawler(
        ("Slurp",),
        "Yahoo",
        ("search-index",),
        "Yahoo help, as quoted by others: Slurp is mostly served by Bing today",
        source_kind="third-party",
        # Sitemaps: http://www.ysearchblog.com/archives/000437.html, of April 2007.
        honours=("crawl-delay", "sitemap"),
        verification=Verification((".crawl.yahoo.net",)),
    ),
    Crawler(
        ("PetalBot",),
        "Huawei",
        ("search-index",),
        "Petal Search: what PetalBot is",
        verification=Verification((".petalsearch.com",)),
    ),
    Crawler(
        ("MojeekBot",),
        "Mojeek",
        ("search-index",),
        "https://www.mojeek.com/bot.html",
        verification=Verification((".mojeek.com",)),
    ),
    Crawler(
        ("Bravebot",),
        "Brave",
        ("search-index",),
        "https://safe.search.brave.com/help/brave-search-crawler",
        checked="2026-08-22",
    ),
    Crawler(
        ("Qwantbot",),
        "Qwant",
        ("search-index",),
        "https://help.qwant.com/bot",
        checked=_CHECKED,
        user_agents=("Qwantbot", "Qwantbot-news"),
        verification=Verification((".qwant.com",)),
    ),
    Crawler(("Daum",), "Kakao", ("search-index",), "https://cs.daum.net/faq/15/4118.html", checked=_CHECKED),
    # The former name of Daum.
    Crawler(("Daumoa",), "Kakao", ("search-index",), "http://ws.daum.net/abouten.html", checked=_CHECKED),
    # `User-agent: Sogou web spider` is read as `Sogou`.
    Crawler(
        ("Sogou",),
        "Sogou",
        ("search-index",),
        "Sogou's help for webmasters, as quoted by others: https://www.bninc.cn/wiki/post/id/1531",
        checked=_CHECKED,
        source_kind="third-party",
    ),
    # Cốc Cốc's help names the token `coccoc`. Its crawlers send `coccocbot-web` and `coccocbot-image`.
    Crawler(
        ("coccoc",),
        "Cốc Cốc",
        ("search-index",),
        "http://help.coccoc.com/vi",
        checked=_CHECKED,
        honours=("crawl-delay",),
    ),
    Crawler(
        ("coccocbot",),
        "Cốc Cốc",
        ("search-index",),
        "https://darkvisitors.com/agents/coccocbot",
        obeys="not-documented",
        checked=_CHECKED,
        user_agents=("coccocbot", "coccocbot-web", "coccocbot-image"),
        source_kind="third-party",
    ),
    Crawler(
        ("Mail.RU_Bot",),
        "VK",
        ("search-index", "preview"),
        "https://usehall.com/agents/mail-ru_bot and https://darkvisitors.com/agents/mail-ru-bot",
        obeys="not-documented",
        checked=_CHECKED,
        source_kind="third-party",
    ),
    # The header is `Ask Jeeves/Teoma`.
    Crawler(
        ("Teoma",),
        "Ask",
        ("search-index",),
        "Ask.com's page for webmasters (2013), as quoted by others: https://en.wikipedia.org/wiki/Robots.txt",
        checked="2026-11-25",
        user_agents=("Teoma", "Jeeves"),
        source_kind="third-party",
    ),
)
