"""A comment that allows what is not there."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from canfetch.lint.check import Check, Found, Subject
from canfetch.lint.fixing import replacing
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere
from canfetch.lint.suppression import Suppression


def unused_suppressions(
    file: LintedFile, suppressions: tuple[Suppression, ...], used: AbstractSet[tuple[int, str]], asked: AbstractSet[str]
) -> Iterator[Found]:
    """Look for comments that allowed nothing, though the check that they name was asked.

    Args:
        file, suppressions: a file and the comments in it.
        used: those that allowed something, by the place and the text of the name.
        asked: codes of the checks that were asked.
    """
    from canfetch.lint.checks import CHECKS_BY_WORD  # noqa: PLC0415 - all checks, of which this is one

    for suppression in suppressions:
        for name, span in suppression.names if suppression.is_understood else ():
            check = CHECKS_BY_WORD.get(name)
            if check is None or check.code not in asked or (span[0], name) in used or not _can_look(check, file):
                continue
            # The only name goes with its comment; of several, one alone would leave a comma behind.
            fix = None
            if len(suppression.names) == 1:
                start, end = suppression.record.span
                line = file.octets[start:end]
                before = line.partition(b"#")[0]
                kept = before.rstrip() if before.strip() else b""
                ending = line[len(line.rstrip(b"\r\n")) :] if kept else b""
                fix = replacing(start + len(kept), end, ending)
            yield Found(span, {"name": name}, fix=fix)


def _can_look(check: Check, file: LintedFile) -> bool:
    # Without what it looks at it finds nothing, whatever the file is; and this check does not look at itself.
    given = file.given
    if check.subject is Subject.DELIVERY:
        return given.delivery is not None or bool(given.siblings)
    wanted: dict[str, object] = {
        "directory-without-slash": given.pages,
        "file-name": given.path,
        "hidden-noindex": given.pages,
        "not-at-root": given.url,
        "sitemap-of-other-host": given.url,
    }
    return bool(wanted.get(check.name, True)) and check.code != CHECK.code


def find(_file: LintedFile) -> Iterator[Found]:
    """Find nothing: the linter asks `unused_suppressions` when all others have answered."""
    return iter(())


CHECK = Check(
    code="CF902",
    name="unused-suppression",
    severities=everywhere(Severity.INFO),
    title="A comment that allows what is not there",
    message="`{name}` finds nothing here: the comment allows nothing",
    why="Crawlers skip comments; one that outlives its reason hides the next finding of that kind.",
    mend="Remove the comment.",
    source="canfetch",
    bad=Given(b"User-agent: *\nDisallow: /a/  # canfetch: allow dollar-inside\n"),
    good=Given(b"User-agent: *\nDisallow: /a$b  # canfetch: allow dollar-inside\n"),
    find=find,
    fixable=True,
)
