"""A file that is nearly too large."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_WARNING_BYTES: Final = DEFAULT_MAX_BYTES * 9 // 10
_EXAMPLE_RULE: Final = b"Disallow: /private/an-example-of-a-long-path/%06d/\n"


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find a file that uses more than 90 % of the limit."""
    if not file.robots.tail and len(file.content) > _WARNING_BYTES:
        percent = len(file.content) * 100 // DEFAULT_MAX_BYTES
        yield Occurrence((len(file.content), len(file.content)), {"percent": str(percent)})


CHECK = Check(
    code="CF104",
    name="nearly-too-large",
    severities=everywhere(Severity.INFO),
    title="A file that is nearly too large",
    message="the file uses {percent} % of the bytes that crawlers must read",
    why="Crawlers must read at least 500 KiB, and Google reads no more than that. Rules after the limit have no "
    "effect.",
    how_to_fix="Combine rules with shorter paths or with `*`, and remove outdated ones.",
    source="RFC 9309 section 2.5; Google, file size",
    bad=lambda: b"User-agent: *\n" + b"".join(_EXAMPLE_RULE % number for number in range(_WARNING_BYTES // 52)),
    good=b"User-agent: *\n" + _EXAMPLE_RULE % 1,
    find=find,
    needs=(Trait.LARGE,),
)
