"""A company, a product or a word such as `all` instead of a crawler's name."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.agent_names import named_agents
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.lint_input import LintInput
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


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find names of operators and products, and words that mean all crawlers."""
    for name in named_agents(file):
        tokens = _CRAWLERS.get(name.text.lower())
        if tokens is not None:
            query = VerdictQuery("/") if tokens == _STAR else VerdictQuery("/", tokens)
            yield Occurrence(name.span, {"name": name.text, "tokens": ", ".join(tokens)}, query)


CHECK = Check(
    code="CF511",
    name="agent-by-operator-name",
    severities=everywhere(Severity.WARNING),
    title="A company, a product or a word such as `all` instead of a crawler's name",
    message="no crawler is named `{name}`; possible names: {tokens}",
    why="Crawlers look for their exact product token. The name of the operator, or a part of the token, does not "
    "reach them. A word such as `all` does not work either: only `*` applies to every crawler.",
    how_to_fix="Write the product token of each intended crawler on its own `User-agent` line.",
    source="RFC 9309 section 2.2.1; the operators' documentation",
    bad=LintInput(b"User-agent: Google\nDisallow: /private/\n"),
    good=LintInput(b"User-agent: Googlebot\nDisallow: /private/\n"),
    find=find,
)
