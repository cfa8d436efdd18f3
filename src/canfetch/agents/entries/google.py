"""Google's crawlers and fetchers."""

from typing import Final

from canfetch.agents.crawler import Crawler, Verification

_PAGES: Final = "https://developers.google.com/crawling/docs/crawlers-fetchers/"
_COMMON: Final = _PAGES + "google-common-crawlers"
_SPECIAL: Final = _PAGES + "google-special-case-crawlers"
_USER: Final = _PAGES + "google-user-triggered-fetchers"
_ADDRESSES: Final = "https://developers.google.com/static/crawling/ipranges/"

_COMMON_VERIFICATION: Final = Verification((".googlebot.com",), (_ADDRESSES + "common-crawlers.json",))
_SPECIAL_VERIFICATION: Final = Verification((".google.com",), (_ADDRESSES + "special-crawlers.json",))
_USER_VERIFICATION: Final = Verification(
    (".gae.googleusercontent.com", ".google.com"),
    (
        _ADDRESSES + "user-triggered-fetchers.json",
        _ADDRESSES + "user-triggered-fetchers-google.json",
        _ADDRESSES + "user-triggered-agents.json",
    ),
)
_SITEMAP: Final = ("sitemap",)


def _common(*tokens: str) -> Crawler:
    return Crawler(tokens, "Google", ("search-index",), _COMMON, honours=_SITEMAP, verification=_COMMON_VERIFICATION)


def _special(*tokens: str) -> Crawler:
    # Special-case crawlers crawl by agreement with the site. Only a group with their own token applies to them.
    return Crawler(tokens, "Google", ("ads",), _SPECIAL, star_applies=False, verification=_SPECIAL_VERIFICATION)


def _user(*tokens: str) -> Crawler:
    # User-triggered fetchers generally ignore robots.txt.
    return Crawler(tokens, "Google", ("user-triggered",), _USER, obeys="might-ignore", verification=_USER_VERIFICATION)


_NO_VERIFICATION: Final = Verification()

GOOGLE: Final[tuple[Crawler, ...]] = (
    _common("Googlebot"),
    _common("Googlebot-Image", "Googlebot"),
    _common("Googlebot-Video", "Googlebot"),
    _common("Googlebot-News", "Googlebot")._replace(token_only=True, verification=_NO_VERIFICATION),
    _common("Storebot-Google")._replace(purposes=("shopping",)),
    _common("Google-InspectionTool", "Googlebot")._replace(purposes=("testing",)),
    _common("GoogleOther")._replace(purposes=("research",)),
    _common("GoogleOther-Image", "GoogleOther")._replace(purposes=("research",)),
    _common("GoogleOther-Video", "GoogleOther")._replace(purposes=("research",)),
    _common("Google-CloudVertexBot", "Googlebot")._replace(purposes=("site-owner",)),
    _common("Google-Extended")._replace(
        purposes=("training",), token_only=True, honours=(), verification=_NO_VERIFICATION
    ),
    _special("APIs-Google")._replace(purposes=("notifications",)),
    _special("AdsBot-Google"),
    _special("AdsBot-Google-Mobile"),
    _special("AdsBot-Google-Mobile-Apps")._replace(retired=True),
    _special("Mediapartners-Google"),
    _special("Google-Safety")._replace(purposes=("safety",), obeys="no"),
    _special("DuplexWeb-Google")._replace(purposes=("user-triggered",), retired=True),
    _special("googleweblight")._replace(purposes=("user-triggered",), obeys="not-documented", retired=True),
    # Google's page "Allow Google-Agent traffic": an experiment, so that only some requests are signed.
    _user("Google-Agent")._replace(
        verification=_USER_VERIFICATION._replace(
            key_directories=("https://agent.bot.goog/.well-known/http-message-signatures-directory",)
        )
    ),
    _user("Google-GeminiNotebook"),
    _user("Google-NotebookLM")._replace(retired=True),
    _user("FeedFetcher-Google")._replace(purposes=("feeds",), obeys="no"),
    _user("Google-Read-Aloud"),
    _user("Google-Site-Verification"),
    _user("GoogleMessages")._replace(purposes=("preview",)),
    _user("Google-Pinpoint"),
    _user("GoogleProducer"),
    _user("Google-CWS"),
    _user("GoogleAgent-Mariner")._replace(retired=True),
)
