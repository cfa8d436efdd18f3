"""Crawlers that collect data for AI models, search APIs and agents, most of them from a public list.

If the list links to the page where the operator documents that the crawler obeys, that page is the source. The date is
that of the list.
"""

from typing import Final

from canfetch.agents.crawler import Crawler, Obeys, Purpose, SourceKind, Verification

_LIST: Final = "ai.robots.txt, robots.json: a community-maintained list"
_LIST_DAY: Final = "2026-08-22"


def _listed(
    name: str, operator: str, purposes: tuple[Purpose, ...], source: str = _LIST, *, obeys: Obeys = "not-documented"
) -> Crawler:
    kind: SourceKind = "third-party" if source == _LIST else "operator"
    return Crawler((name,), operator, purposes, source, obeys=obeys, checked=_LIST_DAY, source_kind=kind)


def _obeys(name: str, operator: str, purposes: tuple[Purpose, ...], source: str = _LIST) -> Crawler:
    return _listed(name, operator, purposes, source, obeys="yes")


def _kimi(name: str, purpose: Purpose, *, obeys: Obeys = "yes") -> Crawler:
    return Crawler(
        (name,),
        "Moonshot AI",
        (purpose,),
        "https://www.kimi.com/policies/kimi-crawlers",
        obeys=obeys,
        checked="2026-11-22",
        verification=Verification(note="the addresses are in files that its page links to"),
    )


COLLECTORS: Final[tuple[Crawler, ...]] = (
    _listed("anthropic-ai", "Anthropic", ("training",)),
    _listed("Claude-Web", "Anthropic", ("training",)),
    _listed("Bytespider", "ByteDance", ("training",)),
    _listed("TikTokSpider", "ByteDance", ("training",)),
    _listed("DeepSeekBot", "DeepSeek", ("training",)),
    _listed("PanguBot", "Huawei", ("training",)),
    _listed("Timpibot", "Timpi", ("training",)),
    _listed("TongyiBot", "Alibaba", ("user-triggered",)),
    _listed("YiyanBot", "Baidu", ("user-triggered",)),
    _kimi("KimiBot", "training"),
    _kimi("Kimi-SearchBot", "search-index"),
    _kimi("Kimi-User", "user-triggered", obeys="might-ignore"),
    _listed("Manus-User", "Butterfly Effect", ("user-triggered",)),
    _listed("kagi-fetcher", "Kagi", ("user-triggered",)),
    _listed("PhindBot", "Phind", ("answers",)),
    _listed("Andibot", "Andi", ("answers",)),
    _listed("LinerBot", "Liner", ("answers",)),
    _listed("TavilyBot", "Tavily", ("search-index",)),
    # Two operators use this name, and robots.txt ignores case: `Exabot` of Exalead, which documents that it obeys, and
    # `ExaBot` of Exa, which is only in lists. A group applies to both.
    Crawler(
        ("ExaBot",),
        "Exalead or Exa",
        ("search-index",),
        "Exalead, https://www.exabot.com/go/robot: obeys; Exa: not documented, from ai.robots.txt",
        obeys="not-documented",
        checked="2026-11-22",
        source_kind="third-party",
    ),
    _listed("ExaSearchBot", "Exa", ("search-index",)),
    _listed("LinkupBot", "Linkup", ("search-index",)),
    _listed("Brightbot", "Bright Data", ("training",)),
    _listed("Factset_spyderbot", "FactSet", ("training",)),
    _listed("cohere-ai", "Cohere", ("user-triggered",)),
    _listed("cohere-training-data-crawler", "Cohere", ("training",)),
    _listed("Google-Firebase", "Google", ("user-triggered",)),
    _listed("Webzio-Extended", "Webz.io", ("training",))._replace(token_only=True),
    # Software that anyone can run and configure.
    _listed("Diffbot", "Diffbot", ("training",), obeys="might-ignore"),
    _listed("img2dataset", "those who run it", ("training",), obeys="might-ignore"),
    _listed("Scrapy", "those who run it", ("research",), obeys="might-ignore"),
    _listed("LAIONDownloader", "LAION", ("training",), "https://laion.ai/faq/", obeys="no"),
    _obeys("AI2Bot", "Allen Institute for AI", ("training",), "https://allenai.org/crawler"),
    _obeys("Ai2Bot-Dolma", "Allen Institute for AI", ("training",), "https://allenai.org/crawler"),
    _obeys("YouBot", "You.com", ("search-index",), "https://about.you.com/youbot/"),
    _obeys(
        "omgili",
        "Webz.io",
        ("training",),
        "https://webz.io/blog/web-data/what-is-the-omgili-bot-and-why-is-it-crawling-your-website/",
    ),
    _obeys("omgilibot", "Webz.io", ("search-index",))._replace(retired=True),
    _obeys("FacebookBot", "Meta", ("training",), "https://developers.facebook.com/docs/sharing/bot/"),
    _obeys("FirecrawlAgent", "Firecrawl", ("user-triggered",)),
    _obeys("ShapBot", "Parallel", ("search-index",), "https://docs.parallel.ai/features/crawler"),
    _obeys("AIWebIndex", "Lyrenth", ("search-index",), "https://lyrenth.com/crawler-policy")._replace(
        honours=("crawl-delay",)
    ),
    _obeys("TerraCotta", "Ceramic", ("search-index",), "https://github.com/CeramicTeam/CeramicTerracotta"),
    _obeys("ICC-Crawler", "NICT", ("training",)),
    _obeys("Cotoyogi", "ROIS", ("training",), "https://ds.rois.ac.jp/en_center8/en_crawler/"),
    _obeys("SBIntuitionsBot", "SB Intuitions", ("training",), "https://www.sbintuitions.co.jp/en/bot/"),
    _obeys("ImagesiftBot", "ImageSift", ("research",), "https://imagesift.com/about"),
    _obeys("VelenPublicWebCrawler", "Velen", ("research",), "https://velen.io"),
    _obeys(
        "atlassian-bot",
        "Atlassian",
        ("site-owner",),
        "https://support.atlassian.com/organization-administration/docs/connect-custom-website-to-rovo/",
    ),
    _obeys(
        "bedrockbot",
        "Amazon",
        ("site-owner",),
        "https://docs.aws.amazon.com/bedrock/latest/userguide/webcrawl-data-source-connector.html",
    ),
    # A service that crawls for Cloudflare's customers, for the purposes that its announcement names.
    Crawler(
        ("CloudflareBrowserRenderingCrawler",),
        "Cloudflare",
        ("training", "answers", "research"),
        "https://developers.cloudflare.com/browser-rendering/reference/robots-txt",
        checked="2026-11-22",
        honours=("crawl-delay", "sitemap", "content-signal"),
        verification=Verification(note="requests are signed with Web Bot Auth"),
    ),
    _obeys("Cloudflare-AutoRAG", "Cloudflare", ("site-owner",), "https://developers.cloudflare.com/autorag"),
)
