"""A group without rules."""

from bisect import bisect_right
from collections.abc import Iterator

from canfetch.lint.analysis.line_ends import line_end
from canfetch.lint.analysis.named_engines import main_crawlers
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile, LintedGroup
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find groups without rules."""
    star_has_rules = any(rule.value for group in file.groups_named("*") for rule in group.rules)
    for group in file.groups:
        if group.rules:
            continue
        last = group.tokens[-1].record
        insertion = line_end(file) + b"Disallow:"
        end = last.span[0] + len(file.line_content(last))
        main = main_crawlers(file, group.names)
        shown = next((token for token in group.tokens if token.token.lower() in main), group.tokens[-1])
        yield Occurrence(
            file.text_span(shown.record),
            {"token": shown.token or group.first_token},
            fix=replace_span(end, end, insertion, changes_verdicts=True),
            # The rules may be lines that crawlers do not read.
            lines=tuple(range(last.line + 1, _next_line(file, last.line))),
            harmless=not star_has_rules or _is_harmless(group, is_of_engine=bool(main)),
        )


def _next_line(file: LintedFile, line: int) -> int:
    """Return the number of the next user-agent line, or of the line after the last."""
    following = bisect_right(file.user_agents, line - 1)
    return file.user_agents[following] + 1 if following < len(file.user_agents) else len(file.records) + 1


def _is_harmless(group: LintedGroup, *, is_of_engine: bool) -> bool:
    # For `*` itself, parsers of all standards allow everything. A group with nothing but a crawl delay is deliberate,
    # unless it frees a search engine from the rules for `*`.
    return "*" in group.names or (bool(group.others) and not is_of_engine)


CHECK = Check(
    code="CF302",
    name="group-without-rules",
    severities=Severities(rfc=Severity.WARNING, google=Severity.INFO, bing=Severity.INFO, yandex=Severity.WARNING),
    title="A group without rules",
    message="the group of `{token}` has no rules",
    why="Under RFC 9309, the crawlers of such a group may fetch everything, even what the `*` group disallows. "
    "Parsers that follow the 1994 standard or the 1996 draft skip the group and follow the `*` group.",
    how_to_fix="Add the missing rules, or write an empty `Disallow:` to allow everything.",
    source="RFC 9309 section 2.2.1; A Standard for Robot Exclusion, 1994",
    bad=b"User-agent: *\nDisallow: /\n\nUser-agent: FooBot\n",
    good=b"User-agent: *\nDisallow: /\n\nUser-agent: FooBot\nDisallow:\n",
    find=find,
    fixable=True,
)
