"""An `Allow` without which its URLs are allowed as well."""

from collections.abc import Iterator

from canfetch.core.keys import RecordKind
from canfetch.lint.analysis.ineffective_rules import Cause, ineffective_occurrences
from canfetch.lint.check import Check, LineOccurrence, Variant
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find allow rules without which no URL has another verdict."""
    return ineffective_occurrences(file, Cause.ALLOWED)


CHECK = Check(
    code="CF428",
    name="allow-without-effect",
    severities=everywhere(Severity.INFO),
    title="An `Allow` that changes nothing",
    message="`{pattern}` has no effect: crawlers may fetch the same URLs without this `Allow`",
    why="Everything is allowed unless a rule disallows it. An `Allow` only makes an exception from a shorter "
    "`Disallow` that matches some of its URLs. Only parsers that use the first matching rule may see a difference.",
    how_to_fix="Remove the rule. If its URLs should be the only ones that are allowed, add `Disallow: /`.",
    variants={
        "whole-site": Variant(how_to_fix="Remove the rule: everything that no `Disallow` matches is allowed anyway.")
    },
    source="RFC 9309 section 2.2.2; Google, Disallow and Allow",
    bad=b"User-agent: *\nAllow: /shop/\nDisallow: /private/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(RecordKind.ALLOW,),
    fixable=True,
    removes_redundant_lines=True,
)
