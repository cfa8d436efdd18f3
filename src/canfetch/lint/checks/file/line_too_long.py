"""A line that is too long."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.lint.analysis.content_kinds import file_is_markup
from canfetch.lint.analysis.needs import YANDEX_CHARACTERS, Trait
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_GOOGLE_BYTES: Final = 16_663


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find lines that Google cuts, and rules that Yandex rejects."""
    if file_is_markup(file):
        return
    for record in file.records.longer_than(YANDEX_CHARACTERS):
        start = record.span[0]
        content = file.line_content(record)
        if len(content) > _GOOGLE_BYTES and not content.lstrip().startswith(b"#"):
            yield Occurrence((start + _GOOGLE_BYTES, start + len(content)), {"size": str(len(content))})
        elif record.kind in (RecordKind.ALLOW, RecordKind.DISALLOW) and record.value is not None:
            characters = len(file.value(record).decode("utf-8", "replace"))
            if characters > YANDEX_CHARACTERS:
                yield Occurrence(record.value, {"size": str(len(content))})


CHECK = Check(
    code="CF116",
    name="line-too-long",
    severities=Severities(rfc=Severity.WARNING, google=Severity.WARNING, bing=Severity.WARNING, yandex=Severity.ERROR),
    title="A line that is too long",
    message="the line has {size} bytes, and some crawlers do not read all of it",
    why="Yandex reports a rule of more than 1,024 characters as an error. Google's parser cuts a line after 16,663 "
    "bytes, so the rule becomes shorter and matches more.",
    how_to_fix="Write a shorter path, with `*` for the parts that may vary.",
    source="Yandex Webmaster, robots.txt analysis; google/robotstxt",
    bad=b"User-agent: *\nDisallow: /" + b"a" * 1100 + b"\n",
    good=b"User-agent: *\nDisallow: /" + b"a" * 100 + b"\n",
    find=find,
    needs=(Trait.LONG_LINE,),
)
