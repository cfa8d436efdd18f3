"""Crawlers that fetch previews of links in posts and messages."""

from typing import Final

from canfetch.agents.crawler import Crawler, Verification

_META: Final = "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers"
_META_VERIFICATION: Final = Verification(note="the addresses are those that AS32934 announces")
_SLACK: Final = "https://api.slack.com/robots"
_LIST: Final = "crawler-user-agents.json: a community-maintained list"


def _listed(name: str, operator: str) -> Crawler:
    return Crawler((name,), operator, ("preview",), _LIST, obeys="not-documented", source_kind="third-party")


PREVIEWS: Final[tuple[Crawler, ...]] = (
    Crawler(
        ("facebookexternalhit",), "Meta", ("preview",), _META, obeys="might-ignore", verification=_META_VERIFICATION
    ),
    Crawler(("facebookcatalog",), "Meta", ("shopping",), _META, obeys="might-ignore", verification=_META_VERIFICATION),
    Crawler(
        ("Twitterbot",),
        "X",
        ("preview",),
        "X's documentation of cards, as quoted by others: URL crawling and caching",
        source_kind="third-party",
    ),
    Crawler(
        ("Pinterestbot",),
        "Pinterest",
        ("preview",),
        "https://help.pinterest.com/en/business/article/pinterest-crawler",
        user_agents=("Pinterestbot", "Pinterest"),
        app_names=("Pinterest",),
        verification=Verification((".pinterest.com",)),
    ),
    Crawler(("Slackbot-LinkExpanding",), "Slack", ("preview",), _SLACK, obeys="not-documented"),
    Crawler(("Slackbot",), "Slack", ("preview",), _SLACK, obeys="not-documented"),
    Crawler(("Slack-ImgProxy",), "Slack", ("preview",), _SLACK, obeys="not-documented"),
    _listed("LinkedInBot", "LinkedIn"),
    _listed("Discordbot", "Discord"),
    _listed("TelegramBot", "Telegram"),
    _listed("WhatsApp", "Meta")._replace(app_names=("WhatsApp",)),
    _listed("SkypeUriPreview", "Microsoft"),
    _listed("redditbot", "Reddit"),
)
