"""A word after `*` that is also the end of other words."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from canfetch.lint.analysis.engine_verdicts import deciding_line
from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_values import rules_matching
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_WORD_AT_END: Final = re.compile(rb"\n/?\*+[a-z]+\**\$?\n")
_AROUND_WORD: Final = b"/*$"
# Words that sites block, each with a common word that ends with it. Most other words do not end one.
_LONGER: Final = dict(
    word.split(b":")
    for word in (
        b"action:transaction ad:download ads:downloads amp:camp art:cart book:notebook date:update draft:overdraft "
        b"edit:credit event:prevent feed:newsfeed file:profile files:profiles form:platform "
        b"forms:platforms id:android link:blink list:specialist lists:specialists log:catalog mail:email map:sitemap "
        b"maps:sitemaps media:multimedia mobile:automobile new:renew old:gold order:border orders:borders out:about "
        b"page:homepage pages:homepages pay:repay payment:prepayment play:display print:blueprint prints:blueprints "
        b"rate:corporate rating:operating review:preview reviews:previews sale:wholesale sales:wholesales "
        b"search:research session:possession share:timeshare shop:workshop shops:workshops site:website "
        b"sites:websites sort:resort source:resource sources:resources store:restore tag:hashtag tags:hashtags "
        b"test:latest text:context version:conversion view:interview views:interviews vote:devote"
    ).split()
)
# Each one takes a decision.
_MAX_EXAMINED: Final = 16


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find the first disallow rule such as `/*print`, which also matches `/blueprint`."""
    words = ((rule, rule.value.strip(_AROUND_WORD)) for rule in rules_matching(file, _WORD_AT_END) if not rule.allow)
    known = ((rule, _LONGER[word]) for rule, word in words if word in _LONGER)
    for rule, longer in islice(known, _MAX_EXAMINED):
        path = f"/{longer.decode()}"
        if deciding_line(file, path, "rfc9309", file.groups[rule.group].first_token) == rule.line:
            details = {"pattern": file.text(rule.value), "path": path}
            yield Occurrence(file.text_span(rule.record), details, VerdictQuery(path, contrast_only=True))
            return


CHECK = Check(
    code="CF431",
    name="word-after-star",
    severities=everywhere(Severity.INFO),
    title="A word after `*` that is also the end of other words",
    message="`{pattern}` also blocks `{path}`, because `*` matches letters before the word, too",
    why="`*` matches any characters, also the beginning of a longer word.",
    how_to_fix="Write the character before the word, such as the slash in `/*/print` or the question mark in "
    "`/*?print`.",
    source="RFC 9309 section 2.2.3",
    bad=b"User-agent: *\nDisallow: /*print\n",
    good=b"User-agent: *\nDisallow: /*/print\n",
    find=find,
    needs=(InRule(b"*"),),
)
