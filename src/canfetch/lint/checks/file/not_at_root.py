"""A file that is not at the root."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.text import display_text, encode_text
from canfetch.core.urls import split_url
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_PATH: Final = b"/robots.txt"


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find a URL whose path is not `/robots.txt`, or a file in a folder of a site."""
    if file.input.url is None:
        if file.input.path_in_site not in (None, _PATH.decode()):
            yield Occurrence((0, 0), {"path": file.input.path_in_site})
        return
    encoded = encode_text(file.input.url)
    split = split_url(encoded)
    if split is None:
        return
    path = encoded[split.rest_start :].partition(b"#")[0].partition(b"?")[0]
    if path != _PATH:
        yield Occurrence((0, 0), {"path": display_text(path or b"/")})


CHECK = Check(
    code="CF102",
    name="not-at-root",
    severities=everywhere(Severity.ERROR),
    title="A file that is not at the root",
    message="the file is at `{path}`, but crawlers request `/robots.txt`",
    why="Crawlers request only `/robots.txt` at the root of a host. They do not read a file at another path.",
    how_to_fix="Serve the file at `/robots.txt` for each scheme, host and port to which it should apply. Without "
    "access to the root, use the robots meta element of the pages.",
    source="RFC 9309 section 2.3; Google, file location and range of validity",
    bad=LintInput(b"User-agent: *\nDisallow: /private/\n", url="https://example.com/shop/robots.txt"),
    good=LintInput(b"User-agent: *\nDisallow: /private/\n", url="https://example.com/robots.txt"),
    find=find,
    finds_more_with="url",
)
