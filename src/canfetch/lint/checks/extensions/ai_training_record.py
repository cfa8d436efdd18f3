"""An AI training rule that Google reads as a crawling rule."""

from collections.abc import Iterator

from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find `DisallowAITraining` and `AllowAITraining` lines."""
    for extension, record, _ in extensions_named(file, "disallowaitraining", "allowaitraining"):
        rule = "Allow" if extension.name.startswith("allow") else "Disallow"
        query = query_for(extension.value) if extension.value[:1] in (b"/", b"*") else None
        yield Occurrence(file.text_span(record), {"key": file.text(file.key(record)), "rule": rule}, query)


CHECK = Check(
    code="CF621",
    name="ai-training-record",
    severities=Severities(rfc=Severity.WARNING, google=Severity.ERROR),
    title="An AI training rule that Google reads as a crawling rule",
    message="Google reads `{key}` as `{rule}`",
    why="The draft that defined this line has expired, and no crawler documents it. Google's parser compares only the "
    "start of a key, so it reads the line as a rule for crawling. Search then cannot read the pages either.",
    how_to_fix="Use `Content-Usage` or `Content-Signal`, or name the crawlers that collect training data.",
    source="draft-canel-robots-ai-control-00; google/robotstxt, ParsedRobotsKey",
    bad=b"User-agent: *\nDisallowAITraining: /\nDisallow: /private/\n",
    good=b"User-agent: *\nContent-Usage: train-ai=n\nDisallow: /private/\n",
    find=find,
    needs=("disallowaitraining", "allowaitraining"),
    supersedes=("CF205",),
)
