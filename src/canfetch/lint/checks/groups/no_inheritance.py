"""A group that lacks rules of the `*` group."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.crawler_verdicts import OTHER_CRAWLER, example_path
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedRule
from canfetch.lint.severity import Severities, Severity

_WHOLE: Final = (b"/", b"/*", b"*")
# One question to the engine for each; what so many groups mean, their author knows.
_MOST_GROUPS: Final = 64
_MOST_TRIED: Final = 8


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Look for groups of named crawlers that bar something, and not what is barred to all others."""
    general = file.groups_named("*")
    barred = {rule.value: rule for group in general for rule in group.rules if _is_part(rule)}
    if not barred or any(_is_whole(rule) for group in general for rule in group.rules):
        return
    asked = 0
    for group in file.groups:
        names = group.names
        if "*" in names or not names or not any(map(_is_part, group.rules)) or any(map(_is_whole, group.rules)):
            continue
        asked += 1
        if asked > _MOST_GROUPS:
            return
        found = _lacking(file, group, barred)
        if found is not None:
            yield found


def _lacking(file: LintedFile, group: LintedGroup, barred: dict[bytes, LintedRule]) -> Occurrence | None:
    token = group.first_token
    own = {rule.value for same in file.groups_named(token) for rule in same.rules}
    lacking = [value for value in barred if value not in own]
    for value in lacking[:_MOST_TRIED]:
        query = VerdictQuery(example_path(value), (token, OTHER_CRAWLER))
        if file.robots.allows(query.url, agent=token) and not file.robots.allows(query.url, agent=OTHER_CRAWLER):
            line = next(one.record for one in group.tokens if one.token)
            details = {"token": token, "value": file.text(value), "count": str(len(lacking))}
            return Occurrence(file.text_span(line), details, query)
    return None


def _is_part(rule: LintedRule) -> bool:
    return (
        not rule.allow and rule.value.startswith((b"/", b"*")) and rule.value not in _WHOLE and b" " not in rule.value
    )


def _is_whole(rule: LintedRule) -> bool:
    return not rule.allow and rule.value in _WHOLE


CHECK = Check(
    code="CF307",
    name="no-inheritance",
    severities=Severities(rfc=Severity.INFO, google=Severity.INFO, bing=Severity.INFO, yandex=Severity.INFO),
    title="A group that lacks rules of the `*` group",
    message="`{token}` has its own group, which lacks {count|rule|rules} of the `*` group, such as `{value}`",
    why="A crawler with its own group follows only that group. It does not inherit any rule from the `*` group.",
    how_to_fix="Repeat in the group those rules of the `*` group that should apply to this crawler too.",
    source="RFC 9309 section 2.2.1; Bing Webmaster, robots.txt; Google, order of precedence for user agents",
    bad=LintInput(b"User-agent: *\nDisallow: /private/\n\nUser-agent: FooBot\nDisallow: /images/\n"),
    good=LintInput(
        b"User-agent: *\nDisallow: /private/\n\nUser-agent: FooBot\nDisallow: /private/\nDisallow: /images/\n"
    ),
    find=find,
)
