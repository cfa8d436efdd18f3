"""An allowed `index.html` that opens its folder for Google."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.engine_verdicts import try_allows
from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_values import rules_matching
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_PAGE: Final = re.compile(rb"/index\.htm")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find allowed index pages whose folder only Google may fetch."""
    for rule in rules_matching(file, _PAGE):
        folder, slash, page = rule.value.rpartition(b"/")
        if not rule.allow or not slash or not page.startswith(b"index.htm"):
            continue
        token = file.groups[rule.group].first_token
        path = file.text(folder.replace(b"*", b"x") + b"/")
        if rule.record.value is None or not path.startswith("/"):
            continue
        # Most of these folders are allowed, so this order needs fewer verdicts.
        if try_allows(file, path, "rfc9309", token) is False and try_allows(file, path, "googlebot", token) is True:
            yield Occurrence(
                rule.record.value,
                {"pattern": file.text(rule.value), "folder": path},
                VerdictQuery(path),
            )


CHECK = Check(
    code="CF407",
    name="index-html-allow",
    severities=Severities(rfc=Severity.INFO, google=Severity.INFO),
    title="An allowed `index.html` that opens its folder for Google",
    message="`{pattern}` also allows `{folder}` for Google, but not for other crawlers",
    why="Google's parser applies an allowed `index.html` to the folder's own URL as well. RFC 9309 and other crawlers "
    "do not.",
    how_to_fix="If all crawlers may fetch the folder's own URL, allow it too, with a `$` at the end.",
    source="google/robotstxt, LongestMatchRobotsMatchStrategy::MatchAllow",
    bad=b"User-agent: *\nAllow: /press/index.html\nDisallow: /press/\n",
    good=b"User-agent: *\nAllow: /press/index.html\nAllow: /press/$\nDisallow: /press/\n",
    find=find,
    needs=(InRule(b"/index.htm"),),
)
