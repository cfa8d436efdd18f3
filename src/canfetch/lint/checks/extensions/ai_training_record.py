"""An AI training rule that Google reads as a crawling rule."""

from collections.abc import Iterator

from canfetch.lint.analysis.engine_verdicts import probe_of
from canfetch.lint.analysis.extension_records import records_named
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Find `DisallowAITraining` and `AllowAITraining` lines."""
    for extension, record, _ in records_named(file, "disallowaitraining", "allowaitraining"):
        rule = "Allow" if extension.name.startswith("allow") else "Disallow"
        probe = probe_of(extension.value) if extension.value[:1] in (b"/", b"*") else None
        yield Found(file.content_span(record), {"key": file.text(file.key(record)), "rule": rule}, probe)


CHECK = Check(
    code="CF621",
    name="ai-training-record",
    severities=Severities(rfc=Severity.WARNING, google=Severity.ERROR),
    title="An AI training rule that Google reads as a crawling rule",
    message="Google reads `{key}` as `{rule}`",
    why="The draft that defined this line has expired, and no crawler documents it. Google's parser recognises keys "
    "by how they start, so it reads the line as a rule for crawling. Disallowed pages then disappear from search as "
    "well.",
    mend="Use `Content-Usage` or `Content-Signal`, or name the crawlers that collect training data.",
    source="draft-canel-robots-ai-control-00; google/robotstxt, ParsedRobotsKey",
    bad=Given(b"User-agent: *\nDisallowAITraining: /\nDisallow: /private/\n"),
    good=Given(b"User-agent: *\nContent-Usage: train-ai=n\nDisallow: /private/\n"),
    find=find,
)
