"""A byte order mark before the first line."""

from collections.abc import Iterator

from canfetch.core.lines import BYTE_ORDER_MARK
from canfetch.lint.check import Check, Found
from canfetch.lint.fixing import replacing
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look at the first octets."""
    if not file.octets.startswith(BYTE_ORDER_MARK):
        return
    first = file.records[0] if file.records else None
    # Readers that do not know the mark read it as part of the first key.
    says_nothing = first is None or (first.kind is None and file.content(first).lstrip().startswith(b"#"))
    yield Found((0, 3), fix=replacing(0, 3, b"", changes_verdicts=not says_nothing))


CHECK = Check(
    code="CF105",
    name="byte-order-mark",
    severities=Severities(
        rfc=Severity.WARNING, google=Severity.INFO, bing=Severity.WARNING, yandex=Severity.WARNING, lighthouse=None
    ),
    title="A byte order mark",
    message="the file begins with a byte order mark, which nobody sees",
    why="Google skips the mark. Readers that do not, take it for a part of the first line, which they then ignore: "
    "often the only user-agent line.",
    mend="Save the file as UTF-8 without a byte order mark.",
    source="Google, file format; google/robotstxt; RFC 9309 section 2.2",
    bad=Given(b"\xef\xbb\xbfUser-agent: *\nDisallow: /private/\n"),
    good=Given(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
