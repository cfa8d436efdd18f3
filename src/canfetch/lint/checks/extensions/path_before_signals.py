"""A path before content signals."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import extensions_noted
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find `Content-Signal` lines whose value starts with a slash."""
    for placed in extensions_noted(file, "content-signal", ExtensionNote.PATH_BEFORE_SIGNALS):
        path = placed.extension.value.replace(b"\t", b" ").partition(b" ")[0]
        yield Occurrence((placed.span[0], placed.span[0] + len(path)), {"path": file.text(path)})


CHECK = Check(
    code="CF620",
    name="path-before-signals",
    severities=Severities(rfc=Severity.WARNING),
    title="A path before content signals",
    message="`Content-Signal` does not take a path: because of `{path}`, the line has no meaning",
    why="A signal applies to everything that the group may fetch. A path before the value is defined only for "
    "`Content-Usage`.",
    how_to_fix="Remove the path, or use `Content-Usage` instead.",
    source="contentsignals.org; draft-ietf-aipref-attach-05",
    bad=LintInput(b"User-agent: *\nContent-Signal: /blog/ ai-train=no\nAllow: /\n"),
    good=LintInput(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"),
    find=find,
)
