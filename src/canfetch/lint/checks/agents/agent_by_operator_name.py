"""The name of a company or a product, or a word for all, in place of a crawler's."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.agent_names import named_agents
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_STAR: Final = ("*",)
_CRAWLERS: Final = {
    "ahrefs": ("AhrefsBot",),
    "all": _STAR,
    "amazon": ("Amazonbot",),
    "anthropic": ("ClaudeBot", "Claude-SearchBot", "Claude-User"),
    "any": _STAR,
    "apple": ("Applebot", "Applebot-Extended"),
    "baidu": ("Baiduspider",),
    "bing": ("bingbot",),
    "brave": ("Bravebot",),
    "bytedance": ("Bytespider",),
    "chatgpt": ("GPTBot", "OAI-SearchBot", "ChatGPT-User"),
    "claude": ("ClaudeBot", "Claude-SearchBot", "Claude-User"),
    "commoncrawl": ("CCBot",),
    "duckduckgo": ("DuckDuckBot",),
    "everybody": _STAR,
    "everyone": _STAR,
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


def find(file: LintedFile) -> Iterator[Found]:
    """Look for names of operators, and for words that mean all crawlers."""
    for name in named_agents(file):
        tokens = _CRAWLERS.get(name.text.lower())
        if tokens is not None:
            probe = Probe("/") if tokens == _STAR else Probe("/", tokens)
            yield Found(name.span, {"name": name.text, "tokens": ", ".join(tokens)}, probe)


CHECK = Check(
    code="CF511",
    name="agent-by-operator-name",
    severities=everywhere(Severity.WARNING),
    title="The name of a company or a product, or a word for all, in place of a crawler's",
    message="no crawler is named `{name}`; what may be meant: {tokens}",
    why="Crawlers look for their product token, to the letter. The name of their operator, or a part of their own, "
    "does not reach them; nor does a word such as `all`, since the star alone speaks to everybody.",
    mend="Write the product tokens of the crawlers that are meant, each on a line of its own.",
    source="RFC 9309 section 2.2.1; the operators' lists of crawlers",
    bad=Given(b"User-agent: Google\nDisallow: /private/\n"),
    good=Given(b"User-agent: Googlebot\nDisallow: /private/\n"),
    find=find,
)
