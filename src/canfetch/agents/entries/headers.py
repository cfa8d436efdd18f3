# ruff: noqa: E501 - a header is one text, which people search for
"""The User-Agent headers of the crawlers, each with its source.

A header that its operator publishes has the operator's page as its source, and `source_kind` is `operator`. In such
headers, `W.X.Y.Z` is the operator's placeholder for the version of a browser. Headers that were only found in lists
of third parties name the list. Crawlers without a header in either are absent.

This table is code and not a file, because it is loaded with the registry: Python loads the compiled module faster than
JSON or TOML.
"""

from typing import Final

from canfetch.agents.crawler import PublishedHeader

_GOOGLE: Final = "https://developers.google.com/crawling/docs/crawlers-fetchers/"
_OPENAI: Final = "https://developers.openai.com/api/docs/bots"
_META: Final = "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers"
_AMAZON: Final = "https://developer.amazon.com/amazonbot"
_LIST: Final = "crawler-user-agents.json 1.67.0: a community-maintained list"
_FIXTURES: Final = "Device Detector 6.5.1, fixtures/bots.yml: a community-maintained list"


def _published(source: str, *values: str) -> tuple[PublishedHeader, ...]:
    return tuple(PublishedHeader(value, source, "operator") for value in values)


def _listed(source: str, *values: str) -> tuple[PublishedHeader, ...]:
    return tuple(PublishedHeader(value, source, "third-party") for value in values)


HEADERS: Final[dict[str, tuple[PublishedHeader, ...]]] = {
    "Googlebot": (
        *_published(
            _GOOGLE + "google-common-crawlers",
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/W.X.Y.Z Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/W.X.Y.Z Safari/537.36",
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "Googlebot/2.1 (+http://www.google.com/bot.html)",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 6_0 like Mac OS X) AppleWebKit/536.26 (KHTML, like Gecko) Version/6.0 Mobile/10A5376e Safari/8536.25 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "FreshRSS/1.11.2 (Linux; https://freshrss.org) like Googlebot",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Safari/537.36",
        ),
    ),
    "Googlebot-Image": (*_published(_GOOGLE + "google-common-crawlers", "Googlebot-Image/1.0"),),
    "Googlebot-Video": (*_published(_GOOGLE + "google-common-crawlers", "Googlebot-Video/1.0"),),
    "Storebot-Google": (
        *_published(
            _GOOGLE + "google-common-crawlers",
            "Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/W.X.Y.Z Safari/537.36",
            "Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3.170816.012; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/W.X.Y.Z Mobile Safari/537.36",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.88 Safari/537.36",
            "Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3.170816.012; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/81.0.4044.138 Mobile Safari/537.36",
        ),
    ),
    "Google-InspectionTool": (
        *_published(
            _GOOGLE + "google-common-crawlers",
            "Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)",
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/W.X.Y.Z Mobile Safari/537.36 (compatible; Google-InspectionTool/1.0;)",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/W.X.Y.Z Mobile Safari/537.36 (compatible; Google-InspectionTool/1.0)",
            "Mozilla/5.0 (compatible; Google-InspectionTool/1.0)",
        ),
    ),
    "GoogleOther": (
        *_published(
            _GOOGLE + "google-common-crawlers",
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/W.X.Y.Z Mobile Safari/537.36 (compatible; GoogleOther)",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GoogleOther) Chrome/W.X.Y.Z Safari/537.36",
        ),
        *_listed(_LIST, "GoogleOther"),
    ),
    "GoogleOther-Image": (*_published(_GOOGLE + "google-common-crawlers", "GoogleOther-Image/1.0"),),
    "GoogleOther-Video": (*_published(_GOOGLE + "google-common-crawlers", "GoogleOther-Video/1.0"),),
    "Google-CloudVertexBot": (
        *_published(_GOOGLE + "google-common-crawlers", "Google-CloudVertexBot"),
        *_listed(
            _LIST,
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/W.X.Y.Z Mobile Safari/537.36 (compatible; Google-CloudVertexBot; +https://cloud.google.com/enterprise-search)",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Google-CloudVertexBot; +https://cloud.google.com/enterprise-search) Chrome/W.X.Y.Z Safari/537.36",
        ),
    ),
    "APIs-Google": (
        *_published(
            _GOOGLE + "google-special-case-crawlers",
            "APIs-Google (+https://developers.google.com/webmasters/APIs-Google.html)",
        ),
    ),
    "AdsBot-Google": (
        *_published(
            "https://developers.google.com/search/docs/advanced/crawling/overview-google-crawlers",
            "AdsBot-Google (+http://www.google.com/adsbot.html)",
        ),
    ),
    "AdsBot-Google-Mobile": (
        *_published(
            _GOOGLE + "google-special-case-crawlers",
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/W.X.Y.Z Mobile Safari/537.36 (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 (Linux; Android 5.0; SM-G920A) AppleWebKit (KHTML, like Gecko) Chrome Mobile Safari (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 9_1 like Mac OS X) AppleWebKit/601.1.46 (KHTML, like Gecko) Version/9.0 Mobile/13B143 Safari/601.1 (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)",
        ),
        *_listed(
            _FIXTURES,
            "AdsBot-Google-Mobile (+http://www.google.com/mobile/adsbot.html) Mozilla (iPhone; U; CPU iPhone OS 3 0 like Mac OS X) AppleWebKit (KHTML, like Gecko) Mobile Safari",
        ),
    ),
    "AdsBot-Google-Mobile-Apps": (
        *_published(
            "https://developers.google.com/search/docs/advanced/crawling/overview-google-crawlers",
            "AdsBot-Google-Mobile-Apps",
        ),
    ),
    "Mediapartners-Google": (
        *_published(
            "https://developers.google.com/search/docs/advanced/crawling/overview-google-crawlers",
            "Mediapartners-Google",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 (iPhone; U; CPU iPhone OS 10_0 like Mac OS X; en-us) AppleWebKit/602.1.38 (KHTML, like Gecko) Version/10.0 Mobile/14A5297c Safari/602.1 (compatible; Mediapartners-Google/2.1; +http://www.google.com/bot.html)",
            "Mozilla/5.0 (iPhone; U; CPU iPhone OS 4_1 like Mac OS X; en-us) AppleWebKit/532.9 (KHTML, like Gecko) Version/4.0.5 Mobile/8B117 Safari/6531.22.7 (compatible; Mediapartners-Google/2.1; +http://www.google.com/bot.html)",
        ),
    ),
    "Google-Safety": (
        *_published(
            "https://developers.google.com/search/docs/advanced/crawling/overview-google-crawlers", "Google-Safety"
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.5735.179 Mobile Safari/537.36 (compatible; Google-Safety; +http://www.google.com/bot.html)",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.5735.179 Safari/537.36 (compatible; Google-Safety; +http://www.google.com/bot.html)",
        ),
    ),
    "DuplexWeb-Google": (
        *_published(
            "https://developers.google.com/search/docs/advanced/crawling/overview-google-crawlers",
            "Mozilla/5.0 (Linux; Android 11; Pixel 2; DuplexWeb-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/86.0.4240.193 Mobile Safari/537.36",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3.170816.012; DuplexWeb-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/74.0.3729.131 Mobile Safari/537.36",
        ),
    ),
    "googleweblight": (
        *_published(
            "https://developers.google.com/search/docs/advanced/crawling/overview-google-crawlers",
            "Mozilla/5.0 (Linux; Android 4.2.1; en-us; Nexus 5 Build/JOP40D) AppleWebKit/535.19 (KHTML, like Gecko; googleweblight) Chrome/38.0.1025.166 Mobile Safari/535.19",
        ),
    ),
    "Google-Agent": (
        *_published(
            _GOOGLE + "google-user-triggered-fetchers",
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/W.X.Y.Z Mobile Safari/537.36 (compatible; Google-Agent; +https://developers.google.com/crawling/docs/crawlers-fetchers/google-agent)",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko; compatible; Google-Agent; +https://developers.google.com/crawling/docs/crawlers-fetchers/google-agent) Chrome/W.X.Y.Z Safari/537.36",
        ),
        *_listed(
            _LIST, "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko; compatible; Google-Agent)"
        ),
    ),
    "Google-GeminiNotebook": (
        *_published(
            _GOOGLE + "google-user-triggered-fetchers",
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36 (compatible; Google-GeminiNotebook; +https://developers.google.com/crawling/docs/crawlers-fetchers/google-gemininotebook)",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36 (compatible; Google-GeminiNotebook; +https://developers.google.com/crawling/docs/crawlers-fetchers/google-gemininotebook)",
        ),
    ),
    "Google-NotebookLM": (
        *_published(_GOOGLE + "google-user-triggered-fetchers", "Google-NotebookLM"),
        *_listed(_LIST, "Mozilla/5.0 (compatible; Google-NotebookLM; +https://notebooklm.google.com/)"),
    ),
    "FeedFetcher-Google": (
        *_published(
            _GOOGLE + "google-user-triggered-fetchers", "FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)"
        ),
        *_listed(
            _LIST,
            "Feedfetcher-Google; (+http://www.google.com/feedfetcher.html; 1 subscribers; feed-id=728742641706423)",
        ),
        *_listed(
            _FIXTURES,
            "Feedfetcher-Google; (+http://www.google.com/feedfetcher.html; 19 subscribers; feed-id=13965549748850348809)",
        ),
    ),
    "Google-Read-Aloud": (
        *_published(
            _GOOGLE + "google-user-triggered-fetchers",
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36 (compatible; Google-Read-Aloud; +https://support.google.com/webmasters/answer/1061943)",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36 (compatible; Google-Read-Aloud; +https://support.google.com/webmasters/answer/1061943)",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/41.0.2272.118 Safari/537.36 (compatible; Google-Read-Aloud; +https://developers.google.com/search/docs/crawling-indexing/overview-google-crawlers)",
            "Mozilla/5.0 (Linux; Android 7.0; SM-G930V Build/NRD90M) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/59.0.3071.125 Mobile Safari/537.36 (compatible; Google-Read-Aloud; +https://developers.google.com/search/docs/crawling-indexing/overview-google-crawlers)",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/41.0.2272.96 Mobile Safari/537.36 (compatible; Google-Read-Aloud; +https://support.google.com/webmasters/answer/1061943)",
        ),
    ),
    "Google-Site-Verification": (
        *_published(
            _GOOGLE + "google-user-triggered-fetchers", "Mozilla/5.0 (compatible; Google-Site-Verification/1.0)"
        ),
    ),
    "GoogleMessages": (*_published(_GOOGLE + "google-user-triggered-fetchers", "GoogleMessages"),),
    "Google-Pinpoint": (*_published(_GOOGLE + "google-user-triggered-fetchers", "Google-Pinpoint"),),
    "GoogleProducer": (
        *_published(
            _GOOGLE + "google-user-triggered-fetchers",
            "GoogleProducer; (+https://developers.google.com/search/docs/crawling-indexing/google-producer)",
        ),
        *_listed(_FIXTURES, "GoogleProducer; (+http://goo.gl/7y4SX)"),
    ),
    "Google-CWS": (*_published(_GOOGLE + "google-user-triggered-fetchers", "Mozilla/5.0 (compatible; Google-CWS)"),),
    "GoogleAgent-Mariner": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko; compatible; GoogleAgent-Mariner) Chrome/142.0.7444.162 Safari/537.36",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko; compatible; GoogleAgent-Mariner; +https://developers.google.com/search/docs/crawling-indexing/google-agent-mariner) Chrome/135.0.0.0 Safari/537.36",
        ),
    ),
    "bingbot": (
        *_published(
            "https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0",
            "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/W.X.Y.Z Safari/537.36",
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/W.X.Y.Z Mobile Safari/537.36 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; bingbot/2.0;  http://www.bing.com/bingbot.htm)",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/103.0.5060.134 Safari/537.36",
        ),
    ),
    "msnbot": (
        *_listed(
            _LIST,
            "msnbot/1.0 (+http://search.msn.com/msnbot.htm)",
            "msnbot/2.0b (+http://search.msn.com/msnbot.htm)",
            "msnbot/2.0b (+http://search.msn.com/msnbot.htm).",
            "msnbot/2.0b (+http://search.msn.com/msnbot.htm)._",
        ),
        *_listed(_FIXTURES, "msnbot/1.1 (+http://search.msn.com/msnbot.htm)", "msnbot/2.0b v1394720947.6703"),
    ),
    "AdIdxBot": (
        *_published(
            "https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0",
            "Mozilla/5.0 (compatible; adidxbot/2.0; +http://www.bing.com/bingbot.htm)",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 7_0 like Mac OS X) AppleWebKit/537.51.1 (KHTML, like Gecko) Version/7.0 Mobile/11A465 Safari/9537.53 (compatible; adidxbot/2.0; +http://www.bing.com/bingbot.htm)",
            "Mozilla/5.0 (Windows Phone 8.1; ARM; Trident/7.0; Touch; rv:11.0; IEMobile/11.0; NOKIA; Lumia 530) like Gecko (compatible; adidxbot/2.0; +http://www.bing.com/bingbot.htm)",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; adidxbot/2.0;  http://www.bing.com/bingbot.htm)",
            "adidxbot/2.0 (+http://search.msn.com/msnbot.htm)",
        ),
    ),
    "BingPreview": (
        *_published(
            "https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0",
            "Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b",
            "Mozilla/5.0 (Windows Phone 8.1; ARM; Trident/7.0; Touch; rv:11.0; IEMobile/11.0; NOKIA; Lumia 530) like Gecko BingPreview/1.0b",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 (Windows NT 6.3; WOW64; Trident/7.0; rv:11.0; BingPreview/1.0b) like Gecko",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 7_0 like Mac OS X) AppleWebKit/537.51.1 (KHTML, like Gecko) Version/7.0 Mobile/11A465 Safari/9537.53 BingPreview/1.0b",
        ),
    ),
    "MicrosoftPreview": (
        *_listed(_LIST, "MicrosoftPreview/2.0; +https://aka.ms/MicrosoftPreview"),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; MicrosoftPreview/2.0; +https://aka.ms/MicrosoftPreview) Chrome/100.0.4896.127 Safari/537.36",
        ),
    ),
    "YandexBot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
            "Mozilla/5.0 (compatible; YandexBot/3.0; MirrorDetector; +http://yandex.com/bots)",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 8_1 like Mac OS X) AppleWebKit/600.1.4 (KHTML, like Gecko) Version/8.0 Mobile/12B411 Safari/600.1.4 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
        ),
    ),
    "YandexImages": (*_listed(_LIST, "Mozilla/5.0 (compatible; YandexImages/3.0; +http://yandex.com/bots)"),),
    "YandexVideo": (*_listed(_LIST, "Mozilla/5.0 (compatible; YandexVideo/3.0; +http://yandex.com/bots)"),),
    "YandexMetrika": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; YandexMetrika/2.0; +http://yandex.com/bots)",
            "Mozilla/5.0 (compatible; YandexMetrika/2.0; +http://yandex.com/bots yabs01)",
            "Mozilla/5.0 (compatible; YandexMetrika/3.0; +http://yandex.com/bots)",
            "Mozilla/5.0 (compatible; YandexMetrika/4.0; +http://yandex.com/bots)",
        ),
    ),
    "YandexWebmaster": (*_listed(_LIST, "Mozilla/5.0 (compatible; YandexWebmaster/2.0; +http://yandex.com/bots)"),),
    "YandexCalendar": (*_listed(_LIST, "Mozilla/5.0 (compatible; YandexCalendar/1.0; +http://yandex.com/bots)"),),
    "YandexMobileBot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 8_1 like Mac OS X) AppleWebKit/600.1.4 (KHTML, like Gecko) Version/8.0 Mobile/12B411 Safari/600.1.4 (compatible; YandexMobileBot/3.0; +http://yandex.com/bots)",
        ),
    ),
    "YandexDirect": (*_listed(_LIST, "Mozilla/5.0 (compatible; YandexDirect/3.0; +http://yandex.com/bots)"),),
    "YaDirectFetcher": (
        *_listed(_LIST, "Mozilla/5.0 (compatible; YaDirectFetcher/1.0; Dyatel; +http://yandex.com/bots)"),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; YaDirectFetcher/1.0; +http://yandex.com/bots)"),
    ),
    "Applebot": (
        *_published(
            "https://support.apple.com/en-us/119829",
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4.1 Mobile/15E148 Safari/604.1 (Applebot/0.1; +http://www.apple.com/go/applebot)",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_1) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (Applebot/0.1)",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 8_1 like Mac OS X) AppleWebKit/600.1.4 (KHTML, like Gecko) Version/8.0 Mobile/12B410 Safari/600.1.4 (Applebot/0.1; +http://www.apple.com/go/applebot)",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10 _1) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (Applebot/0.1; +http://www.apple.com/go/applebot)",
        ),
    ),
    "DuckDuckBot": (
        *_listed(
            _LIST,
            "DuckDuckBot/1.0; (+http://duckduckgo.com/duckduckbot.html)",
            "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)",
            "Mozilla/5.0 (compatible; DuckDuckBot-Https/1.1; https://duckduckgo.com/duckduckbot)",
        ),
    ),
    "DuckAssistBot": (
        *_published(
            "https://duckduckgo.com/duckduckgo-help-pages/results/duckassistbot",
            "DuckAssistBot/1.2; (+http://duckduckgo.com/duckassistbot.html)",
        ),
        *_listed(_FIXTURES, "DuckAssistBot/1.1; (+http://duckduckgo.com/duckassistbot.html)"),
    ),
    "Baiduspider": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)",
            "Mozilla/5.0 (compatible; Baiduspider-render/2.0; +http://www.baidu.com/search/spider.html)",
        ),
        *_listed(_FIXTURES, "Baiduspider+(+http://www.baidu.com/search/spider.htm)"),
    ),
    "Baiduspider-image": (*_listed(_FIXTURES, "Baiduspider-image+(+http://www.baidu.com/search/spider.htm)"),),
    "SeznamBot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; SeznamBot/3.2-test1-1; +http://napoveda.seznam.cz/en/seznambot-intro/)",
            "Mozilla/5.0 (compatible; SeznamBot/3.2-test4; +http://napoveda.seznam.cz/en/seznambot-intro/)",
            "Mozilla/5.0 (compatible; SeznamBot/3.2; +http://napoveda.seznam.cz/en/seznambot-intro/)",
            "Mozilla/5.0 (compatible; SeznamBot/4.0; +http://napoveda.seznam.cz/seznambot-intro/)",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (compatible; SeznamBot/3.1-test1; +http://fulltext.sblog.cz/)",
            "Mozilla/5.0 (compatible; SeznamBot/3.2-test1; +http://fulltext.sblog.cz/)",
        ),
    ),
    "Yeti": (
        *_listed(_LIST, "Mozilla/5.0 (compatible; Yeti/1.1; +http://naver.me/bot)"),
        *_listed(_FIXTURES, "Yeti/1.1 (Naver Corp.; http://help.naver.com/robots/)"),
    ),
    "NaverBot": (*_listed(_LIST, "Mozilla/5.0 (compatible; NaverBot/1.0; nhnbot@naver.com)"),),
    "Slurp": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; Yahoo! Slurp/3.0; http://help.yahoo.com/help/us/ysearch/slurp)",
            "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
            "Mozilla/5.0 (compatible; Yahoo! Slurp China; http://misc.yahoo.com.cn/help.html)",
        ),
        *_listed(_FIXTURES, "Mozilla/3.0 (Slurp/si; slurp@inktomi.com; http://www.inktomi.com/slurp.html)"),
    ),
    "PetalBot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible;PetalBot;+https://webmaster.petalsearch.com/site/petalbot)",
            "Mozilla/5.0 (Linux; Android 7.0;) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (Linux; Android 7.0;) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; PetalBot;+https://aspiegel.com/petalbot)",
        ),
    ),
    "MojeekBot": (
        *_listed(
            _LIST,
            "MojeekBot/0.2 (archi; http://www.mojeek.com/bot.html)",
            "Mozilla/5.0 (compatible; MojeekBot/0.5; http://www.mojeek.com/bot.html)",
            "Mozilla/5.0 (compatible; MojeekBot/0.6; +https://www.mojeek.com/bot.html)",
            "Mozilla/5.0 (compatible; MojeekBot/0.6; http://www.mojeek.com/bot.html)",
        ),
    ),
    "Bravebot": (
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Bravebot/1.0; +https://search.brave.com/help/brave-search-crawler) Chrome/W.X.Y.Z Safari/537.36",
        ),
    ),
    "Qwantbot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; Qwantbot/1.0_800166; +https://help.qwant.com/bot/)",
            "Mozilla/5.0 (compatible; Qwantbot/1.0_12345; +https://help.qwant.com/bot/)",
            "Mozilla/5.0 (compatible; Qwantbot-news/2.0; +https://help.qwant.com/bot/)",
        ),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; Qwantbot-news/2.0; +https://www.qwant.com/)"),
    ),
    "Daum": (
        *_listed(_LIST, "Mozilla/5.0 (compatible; Daum/4.1; +http://cs.daum.net/faq/15/4118.html?faqId=28966)"),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; MSIE or Firefox mutant;) Daum 4.1"),
    ),
    "Daumoa": (
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; MSIE or Firefox mutant; not on Windows server;) Daumoa/4.0;"),
    ),
    "Sogou": (
        *_listed(
            _LIST,
            "Sogou News Spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)",
            "Sogou Pic Spider/3.0(+http://www.sogou.com/docs/help/webmasters.htm#07)",
            "Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)",
        ),
        *_listed(
            _FIXTURES,
            "Sogou head spider/3.0( http://www.sogou.com/docs/help/webmasters.htm#07)",
            "Sogou Orion spider/3.0( http://www.sogou.com/docs/help/webmasters.htm#07)",
        ),
    ),
    "coccoc": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; coccoc/1.0; +http://help.coccoc.com/)",
            "coccoc/1.0 ()",
            "coccoc/1.0 (http://help.coccoc.com/)",
            "coccoc/1.0 (http://help.coccoc.vn/)",
        ),
    ),
    "coccocbot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; coccocbot-image/1.0; +http://help.coccoc.com/searchengine)",
            "Mozilla/5.0 (compatible; coccocbot-web/1.0; +http://help.coccoc.com/searchengine)",
        ),
        *_listed(
            _FIXTURES,
            "coccocbot-web/1.0 (+http://help.coccoc.com/searchengine)",
            "Mozilla/5.0 (compatible; coccocbot/1.0; +http://help.coccoc.com/searchengine)",
        ),
    ),
    "Mail.RU_Bot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; Linux x86_64; Mail.RU_Bot/2.0; +http://go.mail.ru/help/robots)",
            "Mozilla/5.0 (compatible; Linux x86_64; Mail.RU_Bot/Robots/2.0; +http://go.mail.ru/help/robots)",
        ),
        *_listed(
            _FIXTURES, "Mozilla/5.0 (compatible; Linux x86_64; Mail.RU_Bot/Fast/2.0; +http://go.mail.ru/help/robots)"
        ),
    ),
    "Teoma": (
        *_listed(
            _LIST,
            "Mozilla/2.0 (compatible; Ask Jeeves/Teoma; +http://sp.ask.com/docs/about/tech_crawling.html)",
            "Mozilla/2.0 (compatible; Ask Jeeves/Teoma; +http://about.ask.com/en/docs/about/webmasters.shtml)",
        ),
        *_listed(_FIXTURES, "Mozilla/2.0 (compatible; Ask Jeeves/Teoma)"),
    ),
    "GPTBot": (
        *_published(
            _OPENAI,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.3; +https://openai.com/gptbot",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.0; +https://openai.com/gptbot)",
        ),
    ),
    "OAI-SearchBot": (
        *_published(
            _OPENAI,
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36; compatible; OAI-SearchBot/1.3; +https://openai.com/searchbot",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36; compatible; OAI-SearchBot/1.0; robots.txt; +https://openai.com/searchbot",
        ),
    ),
    "ChatGPT-User": (
        *_published(
            _OPENAI,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
        ),
    ),
    "OAI-AdsBot": (
        *_published(
            _OPENAI,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-AdsBot/1.0; +https://openai.com/adsbot",
        ),
    ),
    "ClaudeBot": (
        *_listed(
            _LIST,
            "claudebot",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +ClaudeBot@anthropic.com)",
        ),
    ),
    "Claude-User": (
        *_listed(
            _LIST,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)",
            "Claude-User (claude-code/2.1.86; +https://support.anthropic.com/)",
        ),
    ),
    "Claude-SearchBot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-SearchBot/1.0; +https://www.anthropic.com)",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-SearchBot/1.0; +searchbot@anthropic.com)",
        ),
    ),
    "PerplexityBot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)",
        ),
    ),
    "Perplexity-User": (
        *_listed(
            _LIST,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)",
        ),
    ),
    "meta-externalagent": (
        *_published(_META, "meta-externalagent/1.1"),
        *_listed(_LIST, "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)"),
    ),
    "meta-externalfetcher": (
        *_published(_META, "meta-externalfetcher/1.1"),
        *_listed(_LIST, "meta-externalfetcher/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)"),
    ),
    "meta-webindexer": (
        *_published(_META, "meta-webindexer/1.1"),
        *_listed(_LIST, "meta-webindexer/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)"),
        *_listed(_FIXTURES, "meta-webindexer"),
    ),
    "meta-externalads": (
        *_listed(
            _LIST,
            "meta-externalads/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
            "meta-externalads/1.1",
        ),
        *_listed(_FIXTURES, "meta-externalads"),
    ),
    "Amazonbot": (
        *_published(
            _AMAZON,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amazonbot/0.1) Chrome/W.X.Y.Z Safari/537.36",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_1) AppleWebKit/600.2.5 (KHTML, like Gecko) Version/8.0.2 Safari/600.2.5 (Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot)",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot) Chrome/119.0.6045.214 Safari/537.36",
        ),
    ),
    "Amzn-SearchBot": (
        *_published(
            _AMAZON,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amzn-SearchBot/0.1) Chrome/W.X.Y.Z Safari/537.36",
        ),
        *_listed(
            _LIST,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amzn-SearchBot/0.1) Chrome/119.0.6045.214 Safari/537.36",
        ),
    ),
    "Amzn-User": (
        *_published(
            _AMAZON,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amzn-User/0.1) Chrome/W.X.Y.Z Safari/537.36",
        ),
        *_listed(_LIST, "Mozilla/5.0 (compatible; Amzn-User; +https://developer.amazon.com/)"),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amzn-User/0.1) Chrome/119.0.6045.214 Safari/537.36",
        ),
    ),
    "MistralAI-User": (
        *_published(
            "https://docs.mistral.ai/robots",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; MistralAI-User/1.0; +https://docs.mistral.ai/robots)",
        ),
    ),
    "MistralAI-Index": (
        *_published(
            "https://docs.mistral.ai/robots",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; MistralAI-Index/1.0; +https://docs.mistral.ai/robots)",
        ),
    ),
    "MistralAI-Training": (
        *_published(
            "https://docs.mistral.ai/robots",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; MistralAI-Training/1.0; +https://docs.mistral.ai/robots)",
        ),
    ),
    "anthropic-ai": (*_listed(_LIST, "anthropic-ai"),),
    "Claude-Web": (
        *_listed(_LIST, "Claude-Web/1.0 (web crawler; +https://www.anthropic.com/; bots@anthropic.com)"),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; Claude-Web/1.0; +https://www.anthropic.com)"),
    ),
    "Bytespider": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (iPhone; CPU iPhone OS 11_0 like Mac OS X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/40.0.3754.1902 Mobile Safari/537.36; Bytespider",
            "Mozilla/5.0 (Linux; Android 6.0; Nexus 5 Build/MRA58N) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/57.0.5527.1507 Mobile Safari/537.36; Bytespider",
            "Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3.170816.012) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/54.0.5216.1326 Mobile Safari/537.36; Bytespider",
            "Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3.170816.012) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/58.0.9038.1080 Mobile Safari/537.36; Bytespider",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (Linux; Android 6.0; Nexus 5 Build/MRA58N) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/51.0.5668.1446 Mobile Safari/537.36; Bytespider;bytespider@bytedance.com",
        ),
    ),
    "TikTokSpider": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; TikTokSpider; ttspider-feedback@tiktok.com)",
        ),
    ),
    "DeepSeekBot": (
        *_listed(_LIST, "Mozilla/5.0 (compatible; DeepSeekBot/1.0; +https://www.deepseek.com/bot)"),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; DeepseekBot/1.0; +https://www.deepseek.com/bot)"),
    ),
    "PanguBot": (
        *_listed(_LIST, "Mozilla/5.0 (compatible; PanguBot +https://www.pangutech.com)"),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (Linux; Android 7.0;) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; PanguBot;pangubot@huawei.com)",
        ),
    ),
    "Timpibot": (
        *_listed(
            _LIST,
            "Timpibot/0.9 (+http://www.timpi.io)",
            "Mozilla/5.0 (compatible; Timpibot/0.8; +http://www.timpi.io)",
            "Mozilla/5.0 (compatible; Timpibot/0.9; +http://www.timpi.io)",
        ),
    ),
    "KimiBot": (
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; KimiBot/1.0; +https://www.kimi.com/policies/kimi-crawlers",
        ),
    ),
    "Kimi-SearchBot": (
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; Kimi-SearchBot/1.0; +https://www.kimi.com/policies/kimi-crawlers",
        ),
    ),
    "Kimi-User": (
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; Kimi-User/1.0; +https://www.kimi.com/policies/kimi-crawlers",
        ),
    ),
    "Manus-User": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/132.0.0.0 Safari/537.36; Manus-User/1.0",
        ),
    ),
    "kagi-fetcher": (*_listed(_LIST, "kagi-fetcher/1.0"),),
    "PhindBot": (*_listed(_LIST, "Mozilla/5.0 (compatible; PhindBot; +https://www.phind.com/)"),),
    "Andibot": (*_listed(_FIXTURES, "Mozilla/5.0 (compatible; Andibot/1.0)"),),
    "LinerBot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; LinerBot/1.0; +https://docs.getliner.com/docs/linerbot)",
        ),
    ),
    "TavilyBot": (*_listed(_LIST, "Mozilla/5.0 (compatible; TavilyBot; +https://tavily.com/)"),),
    "ExaBot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; Exabot PyExalead/3.0; +http://www.exabot.com/go/robot)",
            "Mozilla/5.0 (compatible; Exabot/3.0 (BiggerBetter); +http://www.exabot.com/go/robot)",
            "Mozilla/5.0 (compatible; Exabot/3.0; +http://www.exabot.com/go/robot)",
            "Mozilla/5.0 (compatible; Exabot/3.0;  http://www.exabot.com/go/robot)",
        ),
    ),
    "LinkupBot": (*_listed(_LIST, "LinkupBot/1.0 (LinkupBot for web indexing; https://linkup.so/bot; bot@linkup.so)"),),
    "Brightbot": (*_listed(_LIST, "Brightbot 1.0"),),
    "Factset_spyderbot": (
        *_listed(
            _LIST,
            "Mozilla/5.0(windows NT 10.0; Win64; x64) AppleWebkit/537.36(KHTML, like Gecko)  Chrome/90.0.4430.72  Safari/537.36 factset_spyderbot",
        ),
    ),
    "cohere-ai": (*_listed(_LIST, "cohere-ai"),),
    "cohere-training-data-crawler": (
        *_listed(_LIST, "cohere-training-data-crawler (+crawler@cohere.ai)"),
        *_listed(_FIXTURES, "cohere-training-data-crawler"),
    ),
    "Google-Firebase": (*_listed(_FIXTURES, "Google-Firebase"),),
    "Diffbot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (Windows; U; Windows NT 5.1; en-US; rv:1.9.1.2) Gecko/20090729 Firefox/3.5.2 (.NET CLR 3.5.30729; Diffbot/0.1; +http://www.diffbot.com)",
        ),
    ),
    "img2dataset": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:72.0) Gecko/20100101 Firefox/72.0 (compatible; img2dataset; +https://github.com/rom1504/img2dataset)",
        ),
    ),
    "Scrapy": (
        *_listed(_LIST, "Scrapy/1.0.3 (+http://scrapy.org)"),
        *_listed(_FIXTURES, "Scrapy/1.0.3.post6+g2d688cd (+http://scrapy.org)"),
    ),
    "AI2Bot": (
        *_listed(_LIST, "AI2Bot"),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible) AI2Bot (+https://www.allenai.org/crawler)"),
    ),
    "Ai2Bot-Dolma": (*_listed(_FIXTURES, "Mozilla/5.0 (compatible) Ai2Bot-Dolma (+https://www.allenai.org/crawl)"),),
    "YouBot": (
        *_published(
            "https://you.com/docs/youbot",
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; YouBot/1.0; +https://docs.you.com/youbot; env:prod) Chrome/X.X.X.X Safari/537.36",
        ),
        *_listed(_LIST, "YouBot (+http://www.you.com)"),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; YouBot/1.0; +https://about.you.com/youbot/)"),
    ),
    "omgili": (*_listed(_LIST, "omgili/0.5 +http://omgili.com"),),
    "omgilibot": (*_listed(_FIXTURES, "omgilibot/0.3 +http://www.omgili.com/Crawler.html"),),
    "FacebookBot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; FacebookBot/1.0; +https://developers.facebook.com/docs/sharing/webmasters/facebookbot/)",
        ),
    ),
    "FirecrawlAgent": (
        *_listed(_LIST, "Mozilla/5.0 (compatible; FirecrawlAgent; +https://firecrawl.dev/)"),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; FirecrawlAgent/1.0)"),
    ),
    "ShapBot": (*_listed(_LIST, "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ShapBot/0.1.0"),),
    "TerraCotta": (*_listed(_LIST, "TerraCotta https://github.com/CeramicTeam/CeramicTerracotta"),),
    "ICC-Crawler": (
        *_listed(_LIST, "ICC-Crawler/2.0 (Mozilla-compatible; ; http://ucri.nict.go.jp/en/icccrawler.html)"),
        *_listed(
            _FIXTURES, "ICC-Crawler/2.0 (Mozilla-compatible; ; http://www.nict.go.jp/en/univ-com/plan/crawl.html)"
        ),
    ),
    "Cotoyogi": (*_listed(_LIST, "Mozilla/5.0 (compatible; Cotoyogi/4.0; +https://ds.rois.ac.jp/center8/crawler/)"),),
    "SBIntuitionsBot": (
        *_listed(_LIST, "Mozilla/5.0 (compatible; SBIntuitionsBot/0.1; +https://www.sbintuitions.co.jp/bot/)"),
    ),
    "ImagesiftBot": (*_listed(_LIST, "Mozilla/5.0 (compatible; ImagesiftBot; +imagesift.com)"),),
    "VelenPublicWebCrawler": (
        *_listed(_LIST, "VelenPublicWebCrawler (velen.io)"),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; VelenPublicWebCrawler/1.0; +https://velen.io)"),
    ),
    "atlassian-bot": (*_listed(_LIST, "Mozilla/5.0 (compatible; atlassian-bot; +https://www.atlassian.com/)"),),
    "Cloudflare-AutoRAG": (
        *_listed(_LIST, "Cloudflare-AutoRAG (https://developers.cloudflare.com/autorag; autorag@cloudflare.com)"),
    ),
    "AhrefsBot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; AhrefsBot/6.1; +http://ahrefs.com/robot/)",
            "Mozilla/5.0 (compatible; AhrefsBot/5.2; +http://ahrefs.com/robot/)",
            "Mozilla/5.0 (compatible; AhrefsBot/6.1; News; +http://ahrefs.com/robot/)",
            "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
        ),
        *_listed(
            _FIXTURES,
            "AhrefsBot.Feeds v0.1; http://ahrefs.com/",
            "Mozilla/5.0 (compatible; AhrefsBot/5.0; +http://ahrefs.com/robot/)",
        ),
    ),
    "AhrefsSiteAudit": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; AhrefsSiteAudit/6.1; +http://ahrefs.com/robot/)",
            "Mozilla/5.0 (compatible; AhrefsSiteAudit/5.2; +http://ahrefs.com/robot/)",
        ),
        *_listed(_FIXTURES, "AhrefsSiteAudit/6.1; http://ahrefs.com/robot/site-audit"),
    ),
    "SemrushBot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; SemrushBot/3~bl; +http://www.semrush.com/bot.html)",
            "Mozilla/5.0 (compatible; SemrushBot/6~bl; +http://www.semrush.com/bot.html)",
            "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)",
            "SEMrushBot",
        ),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; SemrushBot/0.97; +http://www.semrush.com/bot.html)"),
    ),
    "SiteAuditBot": (
        *_listed(_LIST, "Mozilla/5.0 (compatible; SiteAuditBot/1.1; +https://siteauditbot.com)"),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; SiteAuditBot/0.97; http://www.semrush.com/bot.html)"),
    ),
    "SemrushBot-SWA": (
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; SemrushBot-SWA/0.1; +http://www.semrush.com/bot.html)"),
    ),
    "MJ12bot": (
        *_listed(
            _LIST,
            "MJ12bot/v1.2.0 (http://majestic12.co.uk/bot.php?+)",
            "Mozilla/5.0 (compatible; MJ12bot/v1.4.7; http://mj12bot.com/)",
            "Mozilla/5.0 (compatible; MJ12bot/v1.4.7; http://www.majestic12.co.uk/bot.php?+)",
            "Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)",
        ),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; MJ12bot/v1.4.4; http://www.majestic12.co.uk/bot.php?+)"),
    ),
    "dotbot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; DotBot/1.1; http://www.opensiteexplorer.org/dotbot, help@moz.com)",
            "dotbot",
        ),
    ),
    "rogerbot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; rogerBot/1.0; UrlCrawler; http://www.seomoz.org/dp/rogerbot)",
            "rogerbot/1.1 (http://moz.com/help/guides/search-overview/crawl-diagnostics#more-help, rogerbot-crawler+pr4-crawler-11@moz.com)",
            "rogerbot/1.1 (http://moz.com/help/guides/search-overview/crawl-diagnostics#more-help, rogerbot-crawler+pr4-crawler-15@moz.com)",
            "rogerbot/1.2 (http://moz.com/help/pro/what-is-rogerbot-, rogerbot-crawler+phaser-testing-crawler-01@moz.com)",
        ),
        *_listed(
            _FIXTURES,
            "rogerbot/1.0 (http://moz.com/help/pro/what-is-rogerbot-, rogerbot-crawler+shiny@moz.com)",
            "rogerbot/1.0 (http://www.moz.com/dp/rogerbot, rogerbot-crawler@moz.com)",
        ),
    ),
    "BLEXBot": (*_listed(_LIST, "Mozilla/5.0 (compatible; BLEXBot/1.0; +http://webmeup-crawler.com/)"),),
    "Barkrowler": (
        *_listed(
            _LIST,
            "Barkrowler/0.7 (+http://www.exensa.com/crawl)",
            "BarkRowler/0.7 (+http://www.exensa.com/crawling)",
            "Barkrowler/0.9 (+http://www.exensa.com/crawl)",
        ),
    ),
    "DataForSeoBot": (
        *_listed(_LIST, "Mozilla/5.0 (compatible; DataForSeoBot/1.0; +https://dataforseo.com/dataforseo-bot)"),
    ),
    "serpstatbot": (
        *_listed(
            _LIST,
            "serpstatbot/1.0 (advanced backlink tracking bot; http://serpstatbot.com/; abuse@serpstatbot.com)",
            "serpstatbot/1.0 (advanced backlink tracking bot; curl/7.58.0; http://serpstatbot.com/; abuse@serpstatbot.com)",
        ),
    ),
    "Screaming": (
        *_listed(_LIST, "Screaming Frog SEO Spider/5.1"),
        *_listed(_FIXTURES, "Screaming Frog SEO Spider/2.22"),
    ),
    "SISTRIX": (
        *_listed(_LIST, "Mozilla/5.0 (compatible; SISTRIX Crawler; http://crawler.sistrix.net/)"),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (compatible; SISTRIX Optimizer)",
            "Mozilla/5.0 (compatible; SISTRIX Optimizer; Uptime; +https://www.sistrix.com/faq/uptime)",
        ),
    ),
    "Chrome-Lighthouse": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5 Build/MRA58N) AppleWebKit/537.36(KHTML, like Gecko) Chrome/69.0.3464.0 Mobile Safari/537.36 Chrome-Lighthouse",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/74.0.3694.0 Safari/537.36 Chrome-Lighthouse",
            "Mozilla/5.0 (Linux; Android 7.0; Moto G (4)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/98.0.4695.0 Mobile Safari/537.36 Chrome-Lighthouse",
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5 Build/MRA58N) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/74.0.3694.0 Mobile Safari/537.36 Chrome-Lighthouse",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5 Build/MRA58N) AppleWebKit/537.36(KHTML, like Gecko) Chrome/61.0.3116.0 Mobile Safari/537.36 Chrome-Lighthouse",
        ),
    ),
    "proximic": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; proximic; +http://www.proximic.com)",
            "Mozilla/5.0 (compatible; proximic; +http://www.proximic.com/info/spider.php)",
        ),
        *_listed(_FIXTURES, "Mozilla/5.0 (compatible; proximic; https://www.comscore.com/Web-Crawler)"),
    ),
    "GrapeshotCrawler": (
        *_listed(_LIST, "Mozilla/5.0 (compatible; GrapeshotCrawler/2.0; +http://www.grapeshot.co.uk/crawler.php)"),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (compatible; GrapeshotCrawler/2.0; +https://www.grapeshot.com/crawler/)",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 8_3 like Mac OS X) AppleWebKit/600.1.4 (KHTML, like Gecko) Version/8.0 Mobile/12F70 Safari/600.1. 4 (compatible; GrapeshotCrawler/2.0; +https://www.grapeshot.com/crawler/)",
        ),
    ),
    "facebookexternalhit": (
        *_published(
            _META,
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
            "facebookexternalhit/1.1",
        ),
        *_listed(_LIST, "facebookexternalhit/1.0 (+http://www.facebook.com/externalhit_uatext.php)"),
    ),
    "facebookcatalog": (*_published(_META, "facebookcatalog/1.0"),),
    "Twitterbot": (*_listed(_LIST, "Twitterbot/0.1", "Twitterbot/1.0"),),
    "Pinterestbot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; Pinterestbot/1.0; +http://www.pinterest.com/bot.html)",
            "Pinterest/0.2 (+http://www.pinterest.com/bot.html)",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (compatible; Pinterestbot/1.0; http://www.pinterest.com/bot.html)",
            "Pinterest/0.2 (+http://www.pinterest.com/)",
        ),
    ),
    "Slackbot-LinkExpanding": (
        *_listed(
            _LIST,
            "Slackbot-LinkExpanding (+https://api.slack.com/robots)",
            "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
        ),
    ),
    "Slackbot": (*_listed(_LIST, "Slackbot 1.0 (+https://api.slack.com/robots)"),),
    "Slack-ImgProxy": (
        *_listed(
            _LIST,
            "Slack-ImgProxy (+https://api.slack.com/robots)",
            "Slack-ImgProxy 1.106 (+https://api.slack.com/robots)",
            "Slack-ImgProxy 1.138 (+https://api.slack.com/robots)",
            "Slack-ImgProxy 149 (+https://api.slack.com/robots)",
        ),
    ),
    "LinkedInBot": (
        *_listed(
            _LIST,
            "LinkedInBot/1.0 (compatible; Mozilla/5.0; Jakarta Commons-HttpClient/3.1 +http://www.linkedin.com)",
            "LinkedInBot/1.0 (compatible; Mozilla/5.0; Jakarta Commons-HttpClient/4.3 +http://www.linkedin.com)",
            "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
        ),
    ),
    "Discordbot": (*_listed(_LIST, "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)"),),
    "TelegramBot": (*_listed(_LIST, "TelegramBot (like TwitterBot)"),),
    "WhatsApp": (*_listed(_LIST, "WhatsApp", "WhatsApp/2.19.258 A", "WhatsApp/2.19.308 A", "WhatsApp/2.19.330 A"),),
    "SkypeUriPreview": (*_listed(_LIST, "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5"),),
    "redditbot": (*_listed(_LIST, "Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)"),),
    "CCBot": (
        *_published("https://commoncrawl.org/ccbot", "CCBot/2.0 (https://commoncrawl.org/faq/)"),
        *_listed(_LIST, "CCBot/2.0 (http://commoncrawl.org/faq/)"),
    ),
    "archive.org_bot": (
        *_listed(
            _LIST,
            "Mozilla/5.0 (compatible; archive.org_bot/heritrix-1.15.4 +http://www.archive.org)",
            "Mozilla/5.0 (compatible; archive.org_bot +http://www.archive.org/details/archive.org_bot)",
            "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)",
            "Mozilla/5.0 (compatible; archive.org_bot; Wayback Machine Live Record; +http://archive.org/details/archive.org_bot)",
        ),
        *_listed(
            _FIXTURES,
            "Mozilla/5.0 (compatible; archive.org_bot; Archive-It; +http://archive-it.org/files/site-owners.html)",
        ),
    ),
    "ia_archiver": (*_listed(_LIST, "ia_archiver (+http://www.alexa.com/site/help/webmasters; crawler@alexa.com)"),),
    "ArchiveBot": (*_listed(_LIST, "ArchiveTeam ArchiveBot/20170106.02 (wpull 2.0.2)"),),
}
