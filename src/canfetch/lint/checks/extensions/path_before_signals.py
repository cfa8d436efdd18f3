"""A path in front of content signals."""

from collections.abc import Iterator

from canfetch.core.extensions.record import ExtensionNote
from canfetch.lint.analysis.extension_records import records_named
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look for Content-Signal lines that begin with a slash."""
    for read in records_named(file, "content-signal"):
        if read.has(ExtensionNote.PATH_BEFORE_SIGNALS):
            path = read.extension.value.replace(b"\t", b" ").partition(b" ")[0]
            yield Found((read.span[0], read.span[0] + len(path)), {"path": file.text(path)})


CHECK = Check(
    code="CF620",
    name="path-before-signals",
    severities=Severities(rfc=Severity.WARNING),
    title="A path in front of content signals",
    message="content signals have no path: `{path}` makes the line say nothing",
    why="A signal holds for all that the group may fetch. A path in front is defined for Content-Usage alone.",
    mend="Leave the path out, or say it with Content-Usage.",
    source="contentsignals.org; draft-ietf-aipref-attach-05",
    bad=Given(b"User-agent: *\nContent-Signal: /blog/ ai-train=no\nAllow: /\n"),
    good=Given(b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"),
    find=find,
)
