"""A comment that suppresses nothing."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from canfetch.lint._tables import ENTRIES_BY_WORD
from canfetch.lint.check import Category, Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere
from canfetch.lint.suppression import Suppression


def unused_suppressions(
    file: LintedFile, suppressions: tuple[Suppression, ...], used: AbstractSet[tuple[int, str]], ran: AbstractSet[str]
) -> Iterator[Occurrence]:
    """Find comments that suppressed nothing, although the check that they name ran.

    Args:
        file: The file.
        suppressions: Its suppression comments.
        used: Offset and text of each name that suppressed a finding.
        ran: Codes of the checks that ran.
    """
    for suppression in suppressions:
        for name, span in suppression.names if suppression.is_valid else ():
            entry = ENTRIES_BY_WORD.get(name)
            if entry is None or entry.code not in ran or (span[0], name) in used or not _has_input(entry.check, file):
                continue
            # A single name is removed with its comment. Removing one of several would leave a comma.
            fix = None
            if len(suppression.names) == 1:
                start, end = suppression.record.span
                line = file.content[start:end]
                before = line.partition(b"#")[0]
                rest = before.rstrip() if before.strip() else b""
                line_end = line[len(line.rstrip(b"\r\n")) :] if rest else b""
                fix = replace_span(start + len(rest), end, line_end)
            yield Occurrence(span, {"name": name}, fix=fix)


def _has_input(check: Check, file: LintedFile) -> bool:
    # A check finds nothing, or less, in any file if its input is missing. This check does not report itself.
    if check is CHECK:
        return False
    if check.category is Category.DELIVERY:
        return file.input.delivery is not None or bool(file.input.siblings)
    return all(getattr(file.input, part) for part in (check.requires, check.finds_more_with) if part is not None)


def find(_file: LintedFile) -> Iterator[Occurrence]:
    """Find nothing: the linter calls `unused_suppressions` after all other checks."""
    return iter(())


CHECK = Check(
    code="CF902",
    name="unused-suppression",
    severities=everywhere(Severity.INFO),
    title="A suppression comment that suppresses nothing",
    message="`{name}` finds nothing here, so this comment suppresses nothing",
    why="A comment that outlives its reason hides the next finding of that check. Crawlers ignore comments.",
    how_to_fix="Remove the comment.",
    source="canfetch",
    bad=b"User-agent: *\nDisallow: /a/  # canfetch: allow dollar-inside\n",
    good=b"User-agent: *\nDisallow: /a$b  # canfetch: allow dollar-inside\n",
    find=find,
    needs=(b"canfetch:",),
    fixable=True,
)
