"""The front matter of a site generator."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.records import Record
from canfetch.lint.analysis.key_names import CORE_SPELLINGS
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_MARKS: Final = (b"---", b"+++")
_MAX_LINES: Final = 40


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find settings between two lines of `---` or `+++` at the start of the file."""
    first = file.first_text
    mark = b"" if first is None else file.line_content(first).strip()
    if first is None or mark not in _MARKS:
        return
    inside: list[Record] = []
    for record in file.records[first.line : first.line + _MAX_LINES]:
        if file.line_content(record).strip() == mark:
            if all(_is_setting(file.line_content(one)) for one in inside):
                yield Occurrence((file.text_span(first)[0], file.text_span(record)[1]))
            return
        inside.append(record)


def _is_setting(line: bytes) -> bool:
    bare = line.strip()
    if not bare or bare[:1] in (b"#", b"-"):
        return True
    key = min((bare.partition(sign)[0] for sign in (b":", b"=")), key=len).strip()
    # `sitemap` is also a setting of several generators.
    return len(key) < len(bare) and (key.lower() not in CORE_SPELLINGS or key.lower() == b"sitemap")


CHECK = Check(
    code="CF121",
    name="front-matter",
    severities=everywhere(Severity.WARNING),
    title="The front matter of a site generator",
    message="the front matter of a site generator is still in the file",
    why="Jekyll, Hugo and similar programs remove these settings when they build the site. So this is the source, "
    "which was published without a build. Crawlers skip the lines, but templates further down stay unfilled.",
    how_to_fix="Publish the file that the generator builds, and lint that file.",
    source="Jekyll, front matter; RFC 9309 section 2.2",
    bad=b"---\nlayout: null\n---\nUser-agent: *\nDisallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=_MARKS,
    supersedes=("CF2", "CF6"),
)
