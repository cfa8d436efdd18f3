"""A folder without a final slash that also blocks a page."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.text import encode_text
from canfetch.lint.analysis.deliveries import example_page
from canfetch.lint.analysis.engine_verdicts import deciding_line
from canfetch.lint.analysis.example_paths import example_path
from canfetch.lint.analysis.listed_sitemaps import listed_sitemaps
from canfetch.lint.analysis.site_urls import own_site_path, url_path
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.lint_input import LintInput, SitePage
from canfetch.lint.linted_file import LintedFile, LintedRule
from canfetch.lint.severity import Severity, everywhere

# The end of a page whose name starts with that of the folder, if no page of the site is known.
_EXAMPLE: Final = b".html"
# What one letter blocks on most sites.
_FOLDERS: Final = {
    folder[:2]: folder
    for folder in (
        b"/about/ /blog/ /contact/ /downloads/ /events/ /forum/ /gallery/ /help/ /images/ /jobs/ /login/ /media/ "
        b"/news/ /offers/ /page/ /questions/ /reviews/ /services/ /team/ /users/ /videos/ /wiki/"
    ).split()
}
# The character after a name is not a slash. `-` and `.` sort before it, all others from `0` on.
_FOLLOWING: Final = (b"-", b"0")
# Each one takes a decision.
_MAX_EXAMINED: Final = 64
_FOLDER: Final = re.compile(rb"/[A-Za-z0-9_-]+/")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find known pages whose path starts with the name of a disallowed folder.

    Without known pages, the file itself shows some folders: other rules name paths in them. If it shows none, the first
    rule that may be for a folder is found.
    """
    rules = [rule for rule in file.rules if not rule.allow and _names_folder(rule.value)]
    if not rules:
        return
    paths = sorted(
        (encode_text(path), path) for page in file.input.pages if (path := own_site_path(file, page.url)) is not None
    )
    if paths:
        yield from _with_pages(file, rules, paths)
    else:
        yield from _without_pages(file, rules)


def _with_pages(file: LintedFile, rules: list[LintedRule], paths: list[tuple[bytes, str]]) -> Iterator[Occurrence]:
    for rule in rules:
        for following in _FOLLOWING:
            place = bisect_left(paths, (rule.value + following, ""))
            if place < len(paths) and _extends_name(paths[place][0], rule.value):
                yield _occurrence(file, rule, paths[place][1])
                break


def _without_pages(file: LintedFile, rules: list[LintedRule]) -> Iterator[Occurrence]:
    values = sorted(rule.value for rule in file.rules)
    allowed = {rule.value for rule in file.rules if rule.allow}
    named = _named_folder(file, rules)
    if named is not None:
        yield _occurrence(file, *named)
    found = named is not None
    for rule in rules:
        inside = rule.value + b"/"
        place = bisect_left(values, inside)
        is_inside = place < len(values) and values[place].startswith(inside)
        if is_inside and not _is_opened(rule, allowed) and (named is None or rule is not named[0]):
            found = True
            yield _occurrence(file, rule, _example(file, rule))
    # A name that ends with `-` or `_` is the start of others, and not a folder.
    possible = [rule for rule in rules if rule.value[-1:].isalnum() and not _is_opened(rule, allowed)]
    # One letter blocks the most.
    first = min(possible, key=lambda rule: rule.value not in _FOLDERS, default=None)
    if first is not None and not found:
        yield _occurrence(file, first, _example(file, first))


def _named_folder(file: LintedFile, rules: list[LintedRule]) -> tuple[LintedRule, str] | None:
    """Return the first rule that blocks a folder with a longer name, which the file itself names, and the folder."""
    sitemaps = (url_path(sitemap.url) for sitemap in listed_sitemaps(file))
    paths = [*(rule.value for rule in file.rules if not rule.allow), *(encode_text(path) for path in sitemaps if path)]
    # Of a longer path, only the folder may be open otherwise.
    folders = sorted({found.group() for path in paths if (found := _FOLDER.match(path)) and found.end() < len(path)})
    if not folders:
        return None
    possible = [rule for rule in rules if rule.value.rfind(b"/") == 0]
    places = ((rule, bisect_left(folders, rule.value + start)) for rule in possible for start in _FOLLOWING)
    candidates = (
        (rule, folders[place])
        for rule, place in places
        if place < len(folders) and _extends_name(folders[place], rule.value)
    )
    for rule, folder in islice(candidates, _MAX_EXAMINED):
        path = file.text(folder)
        if deciding_line(file, path, "rfc9309", file.groups[rule.group].first_token) == rule.line:
            return rule, path
    return None


def _example(file: LintedFile, rule: LintedRule) -> str:
    """Return a path that starts with the name of a folder, and is neither the folder nor in it."""
    page = _FOLDERS.get(rule.value, rule.value + _EXAMPLE)
    return example_path(page) or file.text(page)


def _is_opened(rule: LintedRule, allowed: set[bytes]) -> bool:
    """Return whether another rule allows the page of the example, or any page with such a name."""
    return bool(allowed) and any(rule.value + _EXAMPLE[:length] in allowed for length in range(len(_EXAMPLE) + 1))


def _occurrence(file: LintedFile, rule: LintedRule, page: str) -> Occurrence:
    assert rule.record.value is not None
    return Occurrence(rule.record.value, {"pattern": file.text(rule.value), "page": page}, VerdictQuery(page))


def _extends_name(path: bytes, value: bytes) -> bool:
    return path.startswith(value) and path[len(value) :][:1] not in (b"", b"/", b"?")


def _names_folder(value: bytes) -> bool:
    # Most folders end with a slash.
    if value[-1:] == b"/" or value[:1] != b"/":
        return False
    last = value.rpartition(b"/")[2]
    return last.replace(b"-", b"").replace(b"_", b"").isalnum()


CHECK = Check(
    code="CF415",
    name="directory-without-slash",
    severities=everywhere(Severity.INFO),
    title="A folder without a final slash that also blocks a page",
    message="`{pattern}` also blocks `{page}`, because it does not end with a slash",
    why="A pattern matches every URL that starts with it: a folder, a longer name, or a file.",
    how_to_fix="Add a slash at the end if you mean only the folder.",
    source="RFC 9309 section 2.2.2; Google, how to write a robots.txt file",
    bad=lambda: LintInput(
        b"User-agent: *\nDisallow: /private\n",
        pages=(SitePage("https://example.com/private-offers.html", example_page()),),
    ),
    good=lambda: LintInput(
        b"User-agent: *\nDisallow: /private/\n",
        pages=(SitePage("https://example.com/private-offers.html", example_page()),),
    ),
    find=find,
    needs=(RecordKind.DISALLOW,),
    finds_more_with="pages",
)
