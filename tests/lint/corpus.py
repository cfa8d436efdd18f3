"""Files for tests of the linter and the formatter: examples, generated files, and real files if available."""

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


def corpus_folder() -> Path | None:
    """Return the folder of real files from `CANFETCH_CORPUS`, or None."""
    name = os.environ.get("CANFETCH_CORPUS")
    return Path(name) if name else None


def generated_files(count: int) -> Iterator[bytes]:
    """Generate files from lines that checks examine, the same ones each time."""
    randomness = random.Random(9309)  # noqa: S311 - reproducible test data
    for _ in range(count):
        ends = randomness.choices(("\n", "\r\n", "\r"), (8, 2, 1))[0]
        lines = randomness.choices(_LINES, k=randomness.randrange(1, 24))
        mark = "\ufeff" if randomness.random() < 0.05 else ""
        yield (mark + ends.join(lines) + (ends if randomness.random() < 0.8 else "")).encode()


def corpus_files(generated: int) -> Iterator[tuple[str, bytes]]:
    """Yield files with a name: examples, examples of the checks, generated files, and real files if available."""
    for path in sorted((ROOT / "examples").glob("*.txt")):
        yield path.name, path.read_bytes()
    for check in CHECKS:
        yield f"{check.code}-bad", check.bad_input().content
        yield f"{check.code}-good", check.good_input().content
    for number, content in enumerate(generated_files(generated)):
        yield f"generated-{number}", content
    folder = corpus_folder()
    if folder is not None:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                yield path.name, path.read_bytes()
