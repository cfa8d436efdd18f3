"""A suppression comment that the linter does not understand."""

from collections.abc import Iterator

from canfetch.lint._tables import ENTRIES_BY_WORD
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere
from canfetch.lint.suppression import find_suppressions


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find comments with an unknown word or check after `canfetch:`."""
    for suppression in find_suppressions(file):
        if not suppression.is_valid:
            yield Occurrence(file.text_span(suppression.record), {"text": suppression.word})
            continue
        for name, span in suppression.names:
            if name not in ENTRIES_BY_WORD:
                yield Occurrence(span, {"text": name})


CHECK = Check(
    code="CF901",
    name="unknown-suppression",
    severities=everywhere(Severity.WARNING),
    title="An invalid suppression comment",
    message="`{text}` suppresses nothing: expected `allow` or `allow-file`, then the name or code of a check",
    why="The linter keeps reporting what the comment was meant to suppress. Crawlers ignore comments.",
    how_to_fix="Write a comment such as `canfetch: allow missing-colon`.",
    source="canfetch",
    bad=b"User-agent: *\nDisallow: /a$b  # canfetch: allow dollar-sign\n",
    good=b"User-agent: *\nDisallow: /a$b  # canfetch: allow dollar-inside\n",
    find=find,
    needs=(b"canfetch:",),
)
