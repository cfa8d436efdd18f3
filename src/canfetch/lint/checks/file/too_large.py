"""A file that is too large."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.lint.analysis.deliveries import is_refused_for_size
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import VARIANT, Check, Occurrence, Variant
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_MAX_QUOTE: Final = 60
_EXAMPLE_RULE: Final = b"Disallow: /private/an-example-of-a-long-path/%06d/\n"


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find content after the size limit, or a file that the access policy ignores because of its size."""
    entry = file.input.delivery
    if entry is not None and is_refused_for_size(file):
        yield Occurrence((0, 0), {VARIANT: "ignored", "detail": entry.outcome.detail})
        return
    tail = file.robots.tail
    if not tail:
        return
    end = len(file.content)
    lines = len(file.records)
    shown = file.text(file.first_line_past_limit[:_MAX_QUOTE])
    size = end + len(tail)
    # A fetch ends after the first byte past the limit, so the size of the file is unknown.
    size_text = f"> {DEFAULT_MAX_BYTES}" if size == DEFAULT_MAX_BYTES + 1 else str(size)
    yield Occurrence((end, end), {"size": size_text, "line": str(lines + 1), "lost": shown})


CHECK = Check(
    code="CF103",
    name="too-large",
    severities=everywhere(Severity.ERROR),
    title="A file that is too large",
    message="the file has {size} bytes; crawlers may stop at 512,000, on line {line}: `{lost}`",
    why="Crawlers must read at least 500 KiB, and Google reads no more than that. Rules after the limit have no "
    "effect.",
    how_to_fix="Combine rules with shorter paths, with `*`, or with a folder of its own for excluded files, and remove "
    "outdated ones. For Yandex, a file over 500 KB allows everything.",
    variants={"ignored": Variant("the file is too large ({detail}), so none of its rules apply")},
    source="RFC 9309 section 2.5; Google, file size; Yandex Webmaster, robots.txt",
    bad=lambda: b"User-agent: *\n" + b"".join(_EXAMPLE_RULE % number for number in range(DEFAULT_MAX_BYTES // 50)),
    good=b"User-agent: *\n" + _EXAMPLE_RULE % 1,
    find=find,
    needs=(Trait.LARGE,),
)
