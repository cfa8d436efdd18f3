"""A `Clean-param` that Yandex cannot read."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import extensions_noted
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find values that are not parameters with a path, and those that are too long."""
    for placed in extensions_noted(file, "clean-param", ExtensionNote.UNREADABLE | ExtensionNote.TOO_LONG):
        yield Occurrence(placed.span, {"value": file.text(placed.extension.value)})


CHECK = Check(
    code="CF610",
    name="clean-param-value",
    severities=Severities(rfc=Severity.WARNING, yandex=Severity.ERROR),
    title="A `Clean-param` that Yandex cannot read",
    message="`{value}` is not a list of parameters with a path, or is longer than 500 characters",
    why="Yandex expects parameters separated by `&`, then a space and a path. The path may contain only letters, "
    "digits, `.`, `-`, `/`, `*` and `_`. Yandex reads at most 500 characters of the line.",
    how_to_fix="Write a value such as `sid&sort /forum/*.php`. Split a long value into several `Clean-param` lines.",
    source="Yandex Webmaster, the Clean-param directive",
    bad=b"User-agent: Yandex\nDisallow:\nClean-param: sid sort /forum/\n",
    good=b"User-agent: Yandex\nDisallow:\nClean-param: sid&sort /forum/\n",
    find=find,
    needs=("clean-param",),
)
