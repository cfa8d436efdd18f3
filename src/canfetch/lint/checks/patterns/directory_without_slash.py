"""A folder without a final slash that also blocks a page."""

from bisect import bisect_left
from collections.abc import Iterator

from canfetch.core.text import encode_text
from canfetch.lint.analysis.deliveries import example_page
from canfetch.lint.analysis.site_urls import own_site_path
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.lint_input import LintInput, SitePage
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find known pages whose path starts with the name of a disallowed folder."""
    paths = sorted(
        (encode_text(path), path) for page in file.input.pages if (path := own_site_path(file, page.url)) is not None
    )
    if not paths:
        return
    for rule in file.rules:
        if rule.allow or not _names_folder(rule.value) or rule.record.value is None:
            continue
        # The character after the name is not a slash. `-` and `.` sort before it, all others from `0` on.
        for following in (b"-", b"0"):
            place = bisect_left(paths, (rule.value + following, ""))
            if place < len(paths) and _extends_name(paths[place][0], rule.value):
                text = paths[place][1]
                yield Occurrence(
                    rule.record.value, {"pattern": file.text(rule.value), "page": text}, VerdictQuery(text)
                )
                break


def _extends_name(path: bytes, value: bytes) -> bool:
    return path.startswith(value) and path[len(value) :][:1] not in (b"", b"/", b"?")


def _names_folder(value: bytes) -> bool:
    last = value.rpartition(b"/")[2]
    return value[:1] == b"/" and last != b"" and last.replace(b"-", b"").replace(b"_", b"").isalnum()


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
    requires="pages",
)
