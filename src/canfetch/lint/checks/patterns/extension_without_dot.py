"""A file type without its dot."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_values import rules_matching
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_NAME_AT_END: Final = re.compile(rb"\*[A-Za-z0-9]+\$\n")
_TYPES: Final = frozenset(
    {b"asp", b"aspx", b"cgi", b"css", b"csv", b"doc", b"docx", b"exe", b"gif", b"htm", b"html", b"jpeg", b"jpg"}
    | {b"js", b"json", b"jsp", b"mp3", b"mp4", b"pdf", b"php", b"png", b"ppt", b"pptx", b"rss", b"svg", b"swf"}
    | {b"txt", b"webp", b"xls", b"xlsx", b"xml", b"zip"}
)

# Pages need these for rendering, and names such as `/learn-nodejs` end with these letters.
_NEEDED: Final = frozenset({b"css", b"js"})


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules such as `/*js$`."""
    for rule in rules_matching(file, _NAME_AT_END):
        value = rule.value
        head, star, name = value.rpartition(b"*")
        if not star or not name.endswith(b"$") or name[:-1].lower() not in _TYPES or rule.record.value is None:
            continue
        start = rule.record.value[0] + len(head) + 1
        yield Occurrence(
            rule.record.value,
            {"pattern": file.text(value), "extension": file.text(name[:-1])},
            VerdictQuery("/x" + file.text(name[:-1])) if head in (b"", b"/") else None,
            replace_span(start, start, b".", changes_verdicts=True),
            # The intended files are blocked, and hardly any page has a name that ends with these letters.
            harmless=name[:-1].lower() not in _NEEDED,
        )


CHECK = Check(
    code="CF425",
    name="extension-without-dot",
    severities=everywhere(Severity.WARNING),
    title="A file type without its dot",
    message="`{pattern}` matches every URL that ends with `{extension}`, not only with `.{extension}`",
    why="`*` matches any characters, so the pattern also matches pages whose names end with these letters.",
    how_to_fix="Write the dot before the file type.",
    source="RFC 9309 section 2.2.3",
    bad=b"User-agent: *\nDisallow: /*pdf$\n",
    good=b"User-agent: *\nDisallow: /*.pdf$\n",
    find=find,
    needs=(InRule(b"$"),),
    fixable=True,
    supersedes=("CF703",),
)
