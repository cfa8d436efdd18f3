"""Several paths or URLs on one line."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.notes import Note
from canfetch.core.records import Record
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.line_fixes import line_end
from canfetch.lint.analysis.value_lists import path_lists, split_urls
from canfetch.lint.check import AnyOccurrence, Check, LineOccurrence, Occurrence
from canfetch.lint.fixes import Fix, replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_MAX_PATHS: Final = 64


def find(file: LintedFile) -> Iterator[AnyOccurrence]:
    """Find rules with several paths, and sitemaps with several URLs."""
    yield from _sitemaps(file)
    for line, paths in path_lists(file).items():
        yield LineOccurrence(line, partial(_list_of_paths, file, file.records[line - 1], paths))


def _list_of_paths(file: LintedFile, record: Record, paths: list[bytes]) -> Occurrence:
    return Occurrence(
        record.value or record.span,
        {"value": file.text(file.value(record)), "count": str(len(paths))},
        query_for(paths[1]) if record.group is not None else None,
        partial(_on_own_lines, file, record, paths) if len(paths) <= _MAX_PATHS else None,
    )


def _on_own_lines(file: LintedFile, record: Record, paths: list[bytes]) -> Fix | None:
    if record.value is None:
        return None
    separator = line_end(file) + file.key(record) + b": "
    return replace_span(*record.value, separator.join(paths), changes_verdicts=True)


def _sitemaps(file: LintedFile) -> Iterator[Occurrence]:
    listed: Counter[bytes] | None = None
    indices = file.records.of_kinds(RecordKind.SITEMAP)
    for index, value in zip(indices, file.values(indices), strict=True):
        urls = split_urls(value)
        record = file.records[index] if urls != [value] else None
        if record is None or record.value is None:
            continue
        if listed is None:
            listed = _listed(file)
        fix = None
        if len(urls) <= _MAX_PATHS and all(listed[url] == 1 for url in urls):
            separator = line_end(file) + file.key(record) + b": "
            fix = replace_span(*record.value, separator.join(dict.fromkeys(urls)), changes_verdicts=True)
        yield Occurrence(record.value, {"value": file.text(value), "count": str(len(urls))}, fix=fix)


def _listed(file: LintedFile) -> Counter[bytes]:
    """Count how often each sitemap would be listed if each had its own line."""
    sitemaps = file.values(file.records.of_kinds(RecordKind.SITEMAP))
    return Counter(url for value in sitemaps for url in set(split_urls(value)))


CHECK = Check(
    code="CF214",
    name="several-values",
    severities=everywhere(Severity.ERROR),
    title="Several paths or URLs on one line",
    message="`{value}` is read as one value, not as {count}",
    why="A rule takes one path, and a `Sitemap` line takes one URL. Crawlers read the text after the colon as one "
    "long value, which does not match any page and is not the URL of a sitemap.",
    how_to_fix="Write each path or URL on its own line.",
    source="RFC 9309 section 2.2; sitemaps.org",
    bad=b"User-agent: *\nDisallow: /private/ /drafts/\n",
    good=b"User-agent: *\nDisallow: /private/\nDisallow: /drafts/\n",
    find=find,
    needs=(Note.WHITE_SPACE_IN_VALUE, RecordKind.SITEMAP),
    fixable=True,
    supersedes=("CF218", "CF4"),
)
