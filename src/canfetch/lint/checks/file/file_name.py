"""A file with a name other than robots.txt."""

from collections.abc import Iterator

from canfetch.lint.analysis.site_folders import is_misnamed
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find a file name that is nearly robots.txt."""
    name = file.input.file_name
    if is_misnamed(name):
        yield Occurrence((0, 0), {"name": name})


CHECK = Check(
    code="CF101",
    name="file-name",
    severities=everywhere(Severity.ERROR),
    title="A file with a name other than robots.txt",
    message="the file is named `{name}`, but crawlers request `robots.txt`",
    why="Crawlers request only `/robots.txt`, in lower case. They do not read a file with another name.",
    how_to_fix="Name the file `robots.txt`.",
    source="RFC 9309 section 2.3",
    bad=LintInput(b"User-agent: *\nDisallow: /private/\n", path="public/Robots.txt"),
    good=LintInput(b"User-agent: *\nDisallow: /private/\n", path="public/robots.txt"),
    find=find,
    requires="path",
)
