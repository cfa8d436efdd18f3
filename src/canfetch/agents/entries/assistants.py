"""Crawlers of AI companies, as documented by the companies."""

from typing import Final

from canfetch.agents.crawler import Crawler, Verification

_OPENAI: Final = "https://developers.openai.com/api/docs/bots"
_ANTHROPIC: Final = "https://support.claude.com/en/articles/8896518"
_PERPLEXITY: Final = "https://docs.perplexity.ai/guides/bots"
_META: Final = "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers"
_AMAZON: Final = "https://developer.amazon.com/amazonbot"
_MISTRAL: Final = "https://docs.mistral.ai/robots"

_META_VERIFICATION: Final = Verification(note="the addresses are those that AS32934 announces")
_CRAWL_DELAY: Final = ("crawl-delay",)


def _addresses(*urls: str) -> Verification:
    return Verification((), urls)


ASSISTANTS: Final[tuple[Crawler, ...]] = (
    Crawler(("GPTBot",), "OpenAI", ("training",), _OPENAI, verification=_addresses("https://openai.com/gptbot.json")),
    Crawler(
        ("OAI-SearchBot",),
        "OpenAI",
        ("search-index",),
        _OPENAI,
        verification=_addresses("https://openai.com/searchbot.json"),
    ),
    Crawler(
        ("ChatGPT-User",),
        "OpenAI",
        ("user-triggered",),
        _OPENAI,
        obeys="might-ignore",
        verification=_addresses("https://openai.com/chatgpt-user.json"),
    ),
    Crawler(("OAI-AdsBot",), "OpenAI", ("ads",), _OPENAI, obeys="not-documented"),
    Crawler(("ClaudeBot",), "Anthropic", ("training",), _ANTHROPIC, honours=_CRAWL_DELAY),
    Crawler(("Claude-User",), "Anthropic", ("user-triggered",), _ANTHROPIC, honours=_CRAWL_DELAY),
    Crawler(("Claude-SearchBot",), "Anthropic", ("search-index",), _ANTHROPIC, honours=_CRAWL_DELAY),
    Crawler(
        ("PerplexityBot",),
        "Perplexity",
        ("search-index",),
        _PERPLEXITY,
        verification=_addresses("https://www.perplexity.ai/perplexitybot.json"),
    ),
    Crawler(
        ("Perplexity-User",),
        "Perplexity",
        ("user-triggered",),
        _PERPLEXITY,
        obeys="might-ignore",
    ),
    Crawler(("meta-externalagent",), "Meta", ("training", "search-index"), _META, verification=_META_VERIFICATION),
    Crawler(
        ("meta-externalfetcher",),
        "Meta",
        ("user-triggered",),
        _META,
        obeys="might-ignore",
        verification=_META_VERIFICATION,
    ),
    Crawler(
        ("meta-webindexer",), "Meta", ("search-index",), _META, obeys="not-documented", verification=_META_VERIFICATION
    ),
    Crawler(("meta-externalads",), "Meta", ("ads",), _META, obeys="not-documented", verification=_META_VERIFICATION),
    Crawler(
        ("Amazonbot",),
        "Amazon",
        ("training", "answers"),
        _AMAZON,
        verification=Verification((".crawl.amazonbot.amazon",)),
    ),
    Crawler(("Amzn-SearchBot",), "Amazon", ("search-index",), _AMAZON),
    Crawler(("Amzn-User",), "Amazon", ("user-triggered",), _AMAZON, obeys="might-ignore"),
    Crawler(
        ("MistralAI-User",),
        "Mistral",
        ("user-triggered",),
        _MISTRAL,
        obeys="not-documented",
        verification=_addresses("https://mistral.ai/mistralai-user-ips.json"),
    ),
    Crawler(("MistralAI-Index",), "Mistral", ("search-index",), _MISTRAL, obeys="not-documented"),
    Crawler(("MistralAI-Training",), "Mistral", ("training",), _MISTRAL, obeys="not-documented"),
)
