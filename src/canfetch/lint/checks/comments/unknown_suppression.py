"""A comment to the linter that it does not understand."""

from collections.abc import Iterator

from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere
from canfetch.lint.suppression import suppressions_of


def find(file: LintedFile) -> Iterator[Found]:
    """Look at what follows the mark of the linter in comments."""
    from canfetch.lint.checks import CHECKS_BY_WORD  # noqa: PLC0415 - all checks, of which this is one

    for suppression in suppressions_of(file.octets, file.records):
        if not suppression.is_understood:
            yield Found(file.content_span(suppression.record), {"text": suppression.word})
            continue
        for name, span in suppression.names:
            if name not in CHECKS_BY_WORD:
                yield Found(span, {"text": name})


CHECK = Check(
    code="CF901",
    name="unknown-suppression",
    severities=everywhere(Severity.WARNING),
    title="A comment to the linter that it does not understand",
    message="`{text}` allows nothing: a comment is `canfetch: allow NAME` or `canfetch: allow-file NAME`",
    why="Crawlers skip comments; the linter would go on reporting what the comment was meant to allow.",
    mend="Name the check, by its name or its code, behind `allow` or `allow-file`.",
    source="canfetch",
    bad=Given(b"User-agent: *\nDisallow: /a$b  # canfetch: allow dollar-sign\n"),
    good=Given(b"User-agent: *\nDisallow: /a$b  # canfetch: allow dollar-inside\n"),
    find=find,
)
