"""A pattern that blocks all folders."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.canonical_rules import form_in
from canfetch.lint.analysis.engine_verdicts import deciding_line
from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_values import rules_matching
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_SPELLINGS: Final = re.compile(rb"\n/\*+/\**\$?\n")
_FORM: Final = b"/*/"
_PAGE: Final = "/folder/page"


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules such as `/*/` that decide about a typical page in a folder."""
    # Many groups can have the same token.
    deciding: dict[str, int | None] = {}
    for rule in rules_matching(file, _SPELLINGS):
        if rule.allow or form_in(file, rule.value) != _FORM:
            continue
        token = file.groups[rule.group].first_token
        if token not in deciding:
            deciding[token] = deciding_line(file, _PAGE, "rfc9309", token)
        if deciding[token] == rule.line:
            yield Occurrence(file.text_span(rule.record), {"pattern": file.text(rule.value)}, VerdictQuery(_PAGE))


CHECK = Check(
    code="CF421",
    name="every-folder",
    severities=everywhere(Severity.WARNING),
    title="A pattern that blocks all folders",
    message="`{pattern}` blocks every path with a second slash, so all pages in any folder",
    why="`*` matches the name of every folder. Only pages directly under the root remain open.",
    how_to_fix="Write the name of each folder that should be closed.",
    source="RFC 9309 section 2.2.3",
    bad=b"User-agent: *\nDisallow: /*/\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(InRule(b"*/"),),
    supersedes=("CF703",),
)
