"""The files over which the linter and the formatter are tried: examples, made ones, and real ones where there are."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

from canfetch.lint import CHECKS

ROOT = Path(__file__).resolve().parents[2]
_LINES = (
    "User-agent: *",
    "User-agent: Googlebot",
    "user-agent : bingbot",
    "User-agent: GPTBot, ClaudeBot",
    "User-agent: goo*",
    "User-agent:",
    "Disallow: /private",
    "Disallow: /private/",
    "Disallow: /private/*",
    "Disallow /colon",
    "  Disallow: /indented  # why",
    "Disallow: /a b",
    "Disallow: /a#b",
    "Disallow: /*?*sort=",
    "Disallow: *.gif$",
    "Disallow: /caf\u00e9",
    "Disallow: /%e4",
    "Disallow: fish",
    "Disallow:",
    "Disalow: /near",
    "Dissallow: /typo",
    "DisallowAITraining: /x",
    "Allow:",
    "Allow: /private/press/",
    "Allow: /d/index.html",
    "Allow: *",
    "Noindex: /n",
    "Crawl-delay: 5",
    "Crawl-delay: five",
    "Request-rate: 1/5",
    "Host: example.com",
    "Sitemap: /sitemap.xml",
    "Sitemap: https://example.com/sitemap.xml",
    "Content-Signal: search=yes, ai-train=no",
    "Content-Usage: train-ai=n",
    "Permitir: /x",
    "# a comment",
    "no record at all",
    "\u201cDisallow: /quoted\u201d",
    "",
    "",
    "   ",
)


def named_folder() -> Path | None:
    """Give the folder of real files that the environment names, or None."""
    name = os.environ.get("CANFETCH_CORPUS")
    return Path(name) if name else None


def made_files(count: int) -> Iterator[bytes]:
    """Make files of lines that checks look at, the same each time."""
    chance = random.Random(9309)  # noqa: S311 - no secret
    for _ in range(count):
        ends = chance.choices(("\n", "\r\n", "\r"), (8, 2, 1))[0]
        lines = chance.choices(_LINES, k=chance.randrange(1, 24))
        mark = "\ufeff" if chance.random() < 0.05 else ""
        yield (mark + ends.join(lines) + (ends if chance.random() < 0.8 else "")).encode()


def files(made: int) -> Iterator[tuple[str, bytes]]:
    """Yield files by name: real ones where there are, and always the examples, those of the checks, and made ones."""
    for path in sorted((ROOT / "examples").glob("*.txt")):
        yield path.name, path.read_bytes()
    for check in CHECKS:
        yield f"{check.code}-bad", check.bad.content
        yield f"{check.code}-good", check.good.content
    for number, octets in enumerate(made_files(made)):
        yield f"made-{number}", octets
    folder = named_folder()
    if folder is not None:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                yield path.name, path.read_bytes()
