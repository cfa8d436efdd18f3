"""Names of operators and products, and words that mean all crawlers. No crawler reads a group under such a name."""

from collections.abc import Mapping
from typing import Final

STAR_TOKENS: Final = ("*",)
CRAWLERS_BY_OPERATOR: Final[Mapping[str, tuple[str, ...]]] = {
    "ahrefs": ("AhrefsBot",),
    "all": STAR_TOKENS,
    "amazon": ("Amazonbot",),
    "anthropic": ("ClaudeBot", "Claude-SearchBot", "Claude-User"),
    "any": STAR_TOKENS,
    "apple": ("Applebot", "Applebot-Extended"),
    # The name in the User-Agent header of its crawler: https://github.com/ArchiveTeam/ArchiveBot.
    "archiveteam": ("ArchiveBot",),
    "baidu": ("Baiduspider",),
    "bing": ("bingbot",),
    "brave": ("Bravebot",),
    "bytedance": ("Bytespider",),
    "chatgpt": ("GPTBot", "OAI-SearchBot", "ChatGPT-User"),
    "claude": ("ClaudeBot", "Claude-SearchBot", "Claude-User"),
    "commoncrawl": ("CCBot",),
    "duckduckgo": ("DuckDuckBot",),
    "everybody": STAR_TOKENS,
    "everyone": STAR_TOKENS,
    "facebook": ("facebookexternalhit", "meta-externalagent"),
    "gemini": ("Google-Extended",),
    "google": ("Googlebot", "Google-Extended"),
    "gpt": ("GPTBot", "OAI-SearchBot", "ChatGPT-User"),
    "linkedin": ("LinkedInBot",),
    "majestic": ("MJ12bot",),
    "meta": ("meta-externalagent", "facebookexternalhit"),
    "microsoft": ("bingbot",),
    "msn": ("bingbot",),
    "naver": ("Yeti",),
    "openai": ("GPTBot", "OAI-SearchBot", "ChatGPT-User"),
    "perplexity": ("PerplexityBot", "Perplexity-User"),
    "semrush": ("SemrushBot",),
    "seznam": ("SeznamBot",),
    "twitter": ("Twitterbot",),
    "yahoo": ("Slurp",),
}
