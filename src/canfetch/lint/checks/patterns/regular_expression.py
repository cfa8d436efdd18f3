"""A regular expression instead of a pattern."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# These are unlikely in a path.
_REGEX_PARTS: Final = (
    *(b"\\.", b"\\d", b"\\w", b"\\s", b"\\/", b"\\?", b"\\-"),
    *(b"[0-9", b"[a-z", b"[A-Z", b"[^", b"(.*", b"(.+", b".*)", b"(?:", b"(?!", b"(?i", b"]+", b"]*", b"]{"),
)
_REGEX_CHARACTERS: Final = b"\\[]()^"
# After a folder, `.*` is intended as "anything", but as a pattern it matches names that start with a dot.
_REGEX_ENDINGS: Final = (b"/.*", b"/.*$", b"/.+", b"/.+$")


def looks_like_regex(value: bytes) -> bool:
    """Return whether a value looks like a regular expression.

    Cost: O(bytes).
    """
    if len(value.translate(None, _REGEX_CHARACTERS)) == len(value) and b"/." not in value:
        return False  # the common case
    if value[:1] == b"^" or value[:2] == b"/^" or any(part in value for part in _REGEX_PARTS):
        return True
    if (value.endswith(_REGEX_ENDINGS) and value.count(b"/") > 1) or b"/.*/" in value:
        return True
    _, opening, rest = value.partition(b"(")
    inside, closing, _ = rest.partition(b")")
    return bool(opening and closing) and b"|" in inside


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find values with the syntax of regular expressions."""
    if not any(part in file.content for part in (b"\\", b"[", b"]", b"(", b"^", b"/.")):
        return
    for record in file.rule_records:
        value = file.value(record)
        if record.value is not None and looks_like_regex(value):
            yield Occurrence(record.value, {"pattern": file.text(value)})


CHECK = Check(
    code="CF416",
    name="regular-expression",
    severities=everywhere(Severity.WARNING),
    title="A regular expression instead of a pattern",
    message="`{pattern}` is not read as a regular expression: patterns support only `*` and a final `$`",
    why="No crawler supports regular expressions in robots.txt. All characters except `*` and a final `$` are "
    "literal, so the rule hardly ever matches the intended URLs.",
    how_to_fix="Write one pattern for each path, with `*` for any run of characters.",
    source="RFC 9309 section 2.2.3; Google, URL matching based on path values",
    bad=LintInput(b"User-agent: *\nDisallow: /(cart|checkout)/.*\n"),
    good=LintInput(b"User-agent: *\nDisallow: /cart/\nDisallow: /checkout/\n"),
    find=find,
)
