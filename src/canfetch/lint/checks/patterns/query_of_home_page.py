"""A parameter that is blocked only on the home page."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.engine_verdicts import try_allows
from canfetch.lint.analysis.line_fixes import add_rule_below
from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_values import rules_matching
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_QUERY: Final = re.compile(rb"\n/\?")
_START: Final = b"/?"
# Parameters for tracking, sessions, sorting and filters, which the URLs of any page may have. Others, such as `s` and
# `q`, belong to the home page in some systems.
_PREFIXES: Final = (b"utm_", b"mc_", b"pk_", b"mtm_", b"hsa_")
_PARAMETERS: Final = frozenset(
    {b"gclid", b"dclid", b"fbclid", b"msclkid", b"yclid", b"gad_source", b"gbraid", b"wbraid", b"igshid", b"_ga"}
    | {b"ref", b"referrer", b"refer", b"openstat", b"_openstat", b"clickid", b"replytocom"}
    | {b"sid", b"sessionid", b"session_id", b"phpsessid", b"jsessionid"}
    | {b"sort", b"sortby", b"sort_by", b"order", b"orderby", b"dir", b"filter", b"filters", b"price", b"limit"}
)


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules for such a parameter that no other rule blocks on other pages."""
    for rule in rules_matching(file, _QUERY):
        rest = rule.value[len(_START) :]
        name, _, value = rest.lower().rstrip(b"*$").partition(b"=")
        # With a value, the rule may be about one URL that other sites link to.
        if rule.allow or value or not rule.value.startswith(_START) or rule.record.value is None:
            continue
        if name not in _PARAMETERS and not name.startswith(_PREFIXES):
            continue
        page = "/page?" + file.text(rest.rstrip(b"*$"))
        token = file.groups[rule.group].first_token
        if not try_allows(file, page, "rfc9309", token):
            continue
        wider = b"/*?" + rest
        start = rule.record.value[0] + 1
        yield Occurrence(
            rule.record.value,
            {"pattern": file.text(rule.value), "wider": file.text(wider)},
            VerdictQuery(page),
            Fix(
                (Edit(start, start, b"*"), add_rule_below(file, rule, b"/*&" + rest)),
                changes_verdicts=True,
            ),
        )


CHECK = Check(
    code="CF424",
    name="query-of-home-page",
    severities=everywhere(Severity.WARNING),
    title="A parameter that is blocked only on the home page",
    message="`{pattern}` blocks the parameter only on the home page; for all pages, write `{wider}`",
    why="A pattern is compared from the first character of the path. `/?` matches only the home page with a query.",
    how_to_fix="Write `/*?` before the name of the parameter, and a second rule with `/*&` for a parameter that is not "
    "the first one.",
    source="RFC 9309 section 2.2.2; Google, URL matching based on path values",
    bad=b"User-agent: *\nDisallow: /?utm_source=\n",
    good=b"User-agent: *\nDisallow: /*?utm_source=\nDisallow: /*&utm_source=\n",
    find=find,
    needs=(InRule(_START),),
    fixable=True,
)
