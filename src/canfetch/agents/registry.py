"""The entries, each with its source and the day on which that was checked.

Facts only: what an operator's own page says. Where there is none, the source is a list of others, `obeys`
is what is documented, and the day is that of the list.
"""

from typing import Final

from canfetch.agents.crawler import Crawler

_GOOGLE: Final = "https://developers.google.com/crawling/docs/crawlers-fetchers/"
_GOOGLE_COMMON: Final = _GOOGLE + "google-common-crawlers"
_GOOGLE_SPECIAL: Final = _GOOGLE + "google-special-case-crawlers"
_GOOGLE_USER: Final = _GOOGLE + "google-user-triggered-fetchers"
_BING: Final = "https://blogs.bing.com/webmaster/2012/05/03/to-crawl-or-not-to-crawl-that-is-bingbots-question"
_YANDEX: Final = "https://yandex.com/support/webmaster/en/robot-workings/user-agent"
_YANDEX_ROBOTS: Final = "https://yandex.com/support/webmaster/en/robot-workings/check-yandex-robots"
_APPLE: Final = "https://support.apple.com/119829"
_DUCKDUCKGO: Final = "https://duckduckgo.com/duckduckgo-help-pages/results/"
_OPENAI: Final = "https://developers.openai.com/api/docs/bots"
_ANTHROPIC: Final = "https://support.claude.com/en/articles/8896518"
_PERPLEXITY: Final = "https://docs.perplexity.ai/guides/bots"
_META: Final = "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers"
_AMAZON: Final = "https://developer.amazon.com/amazonbot"
_MISTRAL: Final = "https://docs.mistral.ai/robots"
_BAIDU: Final = "Baidu webmaster help: robots.txt"
_ARCHIVE: Final = "Wikipedia, robots.txt: the Internet Archive since April 2017"
_LIST: Final = "ai.robots.txt, robots.json: a list kept by its readers"
_LIST_DAY: Final = "2026-08-22"

CRAWLERS: Final[tuple[Crawler, ...]] = (
    # --- Google: crawlers that obey, each with its own group, some with Googlebot's ---
    Crawler(("Googlebot",), "Google", "search-index", _GOOGLE_COMMON),
    Crawler(("Googlebot-Image", "Googlebot"), "Google", "search-index", _GOOGLE_COMMON),
    Crawler(("Googlebot-Video", "Googlebot"), "Google", "search-index", _GOOGLE_COMMON),
    Crawler(("Googlebot-News", "Googlebot"), "Google", "search-index", _GOOGLE_COMMON, token_only=True),
    Crawler(("Storebot-Google",), "Google", "shopping", _GOOGLE_COMMON),
    Crawler(("Google-InspectionTool", "Googlebot"), "Google", "testing", _GOOGLE_COMMON),
    Crawler(("GoogleOther",), "Google", "research", _GOOGLE_COMMON),
    Crawler(("GoogleOther-Image", "GoogleOther"), "Google", "research", _GOOGLE_COMMON),
    Crawler(("GoogleOther-Video", "GoogleOther"), "Google", "research", _GOOGLE_COMMON),
    Crawler(("Google-CloudVertexBot", "Googlebot"), "Google", "site-owner", _GOOGLE_COMMON),
    Crawler(("Google-Extended",), "Google", "training", _GOOGLE_COMMON, token_only=True),
    # --- Google: crawlers by agreement, which only a group of their own name reaches ---
    Crawler(("APIs-Google",), "Google", "notifications", _GOOGLE_SPECIAL, star_applies=False),
    Crawler(("AdsBot-Google",), "Google", "ads", _GOOGLE_SPECIAL, star_applies=False),
    Crawler(("AdsBot-Google-Mobile",), "Google", "ads", _GOOGLE_SPECIAL, star_applies=False),
    Crawler(("AdsBot-Google-Mobile-Apps",), "Google", "ads", _GOOGLE_SPECIAL, star_applies=False),
    Crawler(("Mediapartners-Google",), "Google", "ads", _GOOGLE_SPECIAL, star_applies=False),
    Crawler(("Google-Safety",), "Google", "safety", _GOOGLE_SPECIAL, obeys="no"),
    # --- Google: fetchers that a person sets off ---
    Crawler(("Google-Agent",), "Google", "user-triggered", _GOOGLE_USER, obeys="may-not"),
    Crawler(("Google-GeminiNotebook",), "Google", "user-triggered", _GOOGLE_USER, obeys="may-not"),
    Crawler(("Google-NotebookLM",), "Google", "user-triggered", _GOOGLE_USER, obeys="may-not"),
    Crawler(("FeedFetcher-Google",), "Google", "feeds", _GOOGLE_USER, obeys="no"),
    Crawler(("Google-Read-Aloud",), "Google", "user-triggered", _GOOGLE_USER, obeys="may-not"),
    Crawler(("Google-Site-Verification",), "Google", "user-triggered", _GOOGLE_USER, obeys="may-not"),
    Crawler(("GoogleMessages",), "Google", "preview", _GOOGLE_USER, obeys="may-not"),
    Crawler(("Google-Pinpoint",), "Google", "user-triggered", _GOOGLE_USER, obeys="may-not"),
    Crawler(("GoogleProducer",), "Google", "user-triggered", _GOOGLE_USER, obeys="may-not"),
    Crawler(("Google-CWS",), "Google", "user-triggered", _GOOGLE_USER, obeys="may-not"),
    # --- Microsoft: an old msnbot group still speaks to bingbot ---
    Crawler(("bingbot", "msnbot"), "Microsoft", "search-index", _BING),
    Crawler(("msnbot",), "Microsoft", "search-index", _BING),
    Crawler(("AdIdxBot",), "Microsoft", "ads", _BING),
    Crawler(("BingPreview",), "Microsoft", "preview", _BING),
    Crawler(("MicrosoftPreview",), "Microsoft", "preview", _BING),
    Crawler(("BingVideoPreview",), "Microsoft", "preview", _BING),
    # --- Yandex: its own name, then Yandex; some only their own name ---
    Crawler(("Yandex",), "Yandex", "search-index", _YANDEX),
    Crawler(("YandexBot", "Yandex"), "Yandex", "search-index", _YANDEX),
    Crawler(("YandexImages", "Yandex"), "Yandex", "search-index", _YANDEX),
    Crawler(("YandexAdditional", "Yandex"), "Yandex", "answers", _YANDEX_ROBOTS, token_only=True),
    Crawler(("YandexAdditionalBot", "Yandex"), "Yandex", "answers", _YANDEX_ROBOTS, token_only=True),
    Crawler(("YandexCalendar",), "Yandex", "user-triggered", _YANDEX_ROBOTS, star_applies=False),
    Crawler(("YandexMobileBot",), "Yandex", "testing", _YANDEX_ROBOTS, star_applies=False),
    Crawler(("YandexDirect",), "Yandex", "ads", _YANDEX_ROBOTS, star_applies=False),
    Crawler(("YaDirectFetcher",), "Yandex", "ads", _YANDEX_ROBOTS, star_applies=False),
    # --- other search engines ---
    Crawler(("Applebot", "Googlebot"), "Apple", "search-index", _APPLE),
    Crawler(("Applebot-Extended",), "Apple", "training", _APPLE, token_only=True),
    Crawler(("DuckDuckBot",), "DuckDuckGo", "search-index", _DUCKDUCKGO + "duckduckbot"),
    Crawler(("DuckAssistBot",), "DuckDuckGo", "answers", _DUCKDUCKGO + "duckassistbot"),
    Crawler(("Baiduspider",), "Baidu", "search-index", _BAIDU),
    Crawler(("Baiduspider-image",), "Baidu", "search-index", _BAIDU),
    Crawler(("Baiduspider-video",), "Baidu", "search-index", _BAIDU),
    Crawler(("Baiduspider-news",), "Baidu", "search-index", _BAIDU),
    Crawler(("SeznamBot",), "Seznam", "search-index", "Seznam help: how to control SeznamBot"),
    Crawler(("Yeti",), "Naver", "search-index", "Naver Search Advisor: robots.txt"),
    Crawler(("PetalBot",), "Huawei", "search-index", "Petal Search: what PetalBot is"),
    # --- assistants and models ---
    Crawler(("GPTBot",), "OpenAI", "training", _OPENAI),
    Crawler(("OAI-SearchBot",), "OpenAI", "search-index", _OPENAI),
    Crawler(("ChatGPT-User",), "OpenAI", "user-triggered", _OPENAI, obeys="may-not"),
    Crawler(("OAI-AdsBot",), "OpenAI", "ads", _OPENAI, obeys="not-documented"),
    Crawler(("ClaudeBot",), "Anthropic", "training", _ANTHROPIC),
    Crawler(("Claude-User",), "Anthropic", "user-triggered", _ANTHROPIC),
    Crawler(("Claude-SearchBot",), "Anthropic", "search-index", _ANTHROPIC),
    Crawler(("anthropic-ai",), "Anthropic", "training", _LIST, obeys="not-documented", checked=_LIST_DAY),
    Crawler(("Claude-Web",), "Anthropic", "training", _LIST, obeys="not-documented", checked=_LIST_DAY),
    Crawler(("PerplexityBot",), "Perplexity", "search-index", _PERPLEXITY),
    Crawler(("Perplexity-User",), "Perplexity", "user-triggered", _PERPLEXITY, obeys="may-not"),
    Crawler(("meta-externalagent",), "Meta", "training", _META),
    Crawler(("meta-externalfetcher",), "Meta", "user-triggered", _META, obeys="may-not"),
    Crawler(("meta-webindexer",), "Meta", "search-index", _META, obeys="not-documented"),
    Crawler(("meta-externalads",), "Meta", "ads", _META, obeys="not-documented"),
    Crawler(("facebookexternalhit",), "Meta", "preview", _META, obeys="may-not"),
    Crawler(("facebookcatalog",), "Meta", "shopping", _META, obeys="may-not"),
    Crawler(("Amazonbot",), "Amazon", "training", _AMAZON),
    Crawler(("Amzn-SearchBot",), "Amazon", "search-index", _AMAZON),
    Crawler(("Amzn-User",), "Amazon", "user-triggered", _AMAZON, obeys="may-not"),
    Crawler(("MistralAI-User",), "Mistral", "user-triggered", _MISTRAL, obeys="not-documented"),
    Crawler(("MistralAI-Index",), "Mistral", "search-index", _MISTRAL, obeys="not-documented"),
    Crawler(("MistralAI-Training",), "Mistral", "training", _MISTRAL, obeys="not-documented"),
    Crawler(("Bytespider",), "ByteDance", "training", _LIST, obeys="not-documented", checked=_LIST_DAY),
    Crawler(("TikTokSpider",), "ByteDance", "training", _LIST, obeys="not-documented", checked=_LIST_DAY),
    Crawler(("AI2Bot",), "Allen Institute for AI", "training", _LIST, checked=_LIST_DAY),
    Crawler(("YouBot",), "You.com", "search-index", _LIST, obeys="not-documented", checked=_LIST_DAY),
    Crawler(("cohere-ai",), "Cohere", "user-triggered", _LIST, obeys="not-documented", checked=_LIST_DAY),
    Crawler(("cohere-training-data-crawler",), "Cohere", "training", _LIST, obeys="not-documented", checked=_LIST_DAY),
    Crawler(
        ("Webzio-Extended",),
        "Webz.io",
        "training",
        _LIST,
        obeys="not-documented",
        token_only=True,
        checked=_LIST_DAY,
    ),
    # --- archives ---
    Crawler(("CCBot",), "Common Crawl", "archive", "https://commoncrawl.org/ccbot"),
    Crawler(("archive.org_bot",), "Internet Archive", "archive", _ARCHIVE, obeys="no"),
    Crawler(("ia_archiver",), "Internet Archive", "archive", _ARCHIVE, obeys="no"),
)
