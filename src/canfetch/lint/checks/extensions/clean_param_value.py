"""A Clean-param that Yandex does not read."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import records_named
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look for values that are no parameters with a path, and for those that are too long."""
    for read in records_named(file, "clean-param"):
        if read.has(ExtensionNote.UNREADABLE | ExtensionNote.TOO_LONG):
            yield Found(read.span, {"value": file.text(read.extension.value)})


CHECK = Check(
    code="CF610",
    name="clean-param-value",
    severities=Severities(rfc=Severity.WARNING, yandex=Severity.ERROR),
    title="A Clean-param that Yandex does not read",
    message="`{value}` is not parameters and a path, or is longer than 500 characters",
    why="Yandex wants the parameters with `&` between them, then a space and the path, which may hold letters, digits "
    "and `.`, `-`, `/`, `*` and `_` alone; and it reads at most 500 characters.",
    mend="Write it such as `sid&sort /forum/*.php`; a second record takes what is too long for one.",
    source="Yandex Webmaster, the Clean-param directive",
    bad=Given(b"User-agent: Yandex\nDisallow:\nClean-param: sid sort /forum/\n"),
    good=Given(b"User-agent: Yandex\nDisallow:\nClean-param: sid&sort /forum/\n"),
    find=find,
)
