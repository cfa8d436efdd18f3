"""A parameter that is blocked only where it is the first one of a URL, or only where it is not."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.engine_verdicts import try_allows
from canfetch.lint.analysis.line_fixes import add_rule_below
from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_values import rules_matching
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.fixes import Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# After a fixed path, such as `/search?q=`, the site itself writes the parameters in one order.
_PARAMETER: Final = re.compile(rb"\*[?&][^?&=*$\n]+=[^?&*$\n]*\*?\$?\n")
_END: Final = re.compile(rb"\*([?&])([^?&=*$]+=[^?&*$]*)\*?\$?\Z")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules for a parameter in one place that no other rule blocks in the other place."""
    for rule in rules_matching(file, _PARAMETER):
        span, place = rule.record.value, _END.search(rule.value)
        if rule.allow or span is None or place is None:
            continue
        is_first, parameter = place[1] == b"?", place[2]
        # `*?*&` is a way to write "not the first one". Other parameters have the order of the site's own links.
        path = rule.value[: place.start()].removesuffix(b"*?")
        if b"?" in path:
            continue
        # A pattern that begins with `*` is compared as if a slash came first.
        missed = (path.replace(b"*", b"") or b"/") + (b"?a=1&" if is_first else b"?") + parameter
        example = file.text(missed)
        if not try_allows(file, example, "rfc9309", file.groups[rule.group].first_token):
            continue
        other = path + (b"*&" if is_first else b"*?") + rule.value[place.start(2) :]
        yield Occurrence(
            span,
            {"pattern": file.text(rule.value), "url": example, "other": file.text(other)},
            VerdictQuery(example),
            Fix((add_rule_below(file, rule, other),), changes_verdicts=True),
        )


CHECK = Check(
    code="CF432",
    name="parameter-in-one-place",
    severities=everywhere(Severity.INFO),
    title="A parameter that is blocked in one place of the query only",
    message="`{pattern}` does not block `{url}`; `{other}` does",
    why="With `?` before its name, a parameter is blocked only where it is the first one of a URL. With `&`, it is "
    "blocked only where it is not.",
    how_to_fix="If URLs can have the parameter in both places, write a rule for each.",
    source="RFC 9309 section 2.2.2; Google, URL matching based on path values",
    bad=b"User-agent: *\nDisallow: /*&sort=\n",
    good=b"User-agent: *\nDisallow: /*&sort=\nDisallow: /*?sort=\n",
    find=find,
    needs=(InRule(b"*?"), InRule(b"*&")),
    fixable=True,
)
