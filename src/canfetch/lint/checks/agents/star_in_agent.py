"""A `*` inside a name."""

from collections.abc import Iterator
from typing import Final

from canfetch.agents import REGISTRY
from canfetch.core.abnf import IDENTIFIER
from canfetch.lint.analysis.agent_names import named_agents
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import VARIANT, Check, Occurrence, Variant
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_NAME: Final = IDENTIFIER + b"0123456789."


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find names that contain a `*` and something else."""
    for name in named_agents(file):
        raw = name.raw
        if b"*" not in raw or raw == b"*" or raw[:2] in (b"* ", b"*\t"):
            continue
        crawler = REGISTRY.get_crawler(file.text(raw.rstrip(b"*"))) if raw.endswith(b"*") else None
        is_fixable = crawler is not None and not name.in_list
        fix = replace_span(*name.span, raw.rstrip(b"*"), changes_verdicts=True) if is_fixable else None
        details = {"name": name.text}
        is_harmless = _is_read_without_star(raw)
        if is_harmless:
            details |= {VARIANT: "at-end", "read": file.text(raw.rstrip(b"*"))}
        yield Occurrence(name.span, details, fix=fix, harmless=is_harmless)


def _is_read_without_star(raw: bytes) -> bool:
    """Return whether crawlers end a name at its `*`, and no known crawler has a longer name that is meant."""
    name = raw.rstrip(b"*")
    if name == raw or not name or name.translate(None, _NAME) or name.endswith(b"."):
        return False
    text = name.decode().lower()
    return REGISTRY.get_crawler(text) is not None or not any(
        token.lower().startswith(text) for crawler in REGISTRY.crawlers for token in crawler.tokens
    )


CHECK = Check(
    code="CF509",
    name="star-in-agent",
    severities=everywhere(Severity.ERROR),
    title="A `*` inside a name",
    message="`{name}` is not a pattern: `*` means all crawlers only on its own",
    why="Crawlers compare exact names. A name ends at the `*`, and a name that starts with `*` matches no crawler.",
    how_to_fix="Write each crawler's name on its own `User-agent` line.",
    variants={
        "at-end": Variant(
            "crawlers read `{name}` as `{read}`, but RFC 9309 does not allow `*` in a name",
            "Remove the `*`.",
        )
    },
    source="RFC 9309 section 2.2.1; google/robotstxt, ExtractUserAgent",
    bad=b"User-agent: GPTBot*\nDisallow: /\n",
    good=b"User-agent: GPTBot\nDisallow: /\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
    fixable=True,
    supersedes=("CF501", "CF502"),
)
