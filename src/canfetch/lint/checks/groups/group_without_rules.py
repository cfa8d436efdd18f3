"""A group without rules."""

from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.lint.analysis.canonical_rules import matches_everything
from canfetch.lint.analysis.line_fixes import line_end
from canfetch.lint.analysis.misread_groups import listed_names, star_disallows, star_example
from canfetch.lint.analysis.named_engines import follower_of, main_crawlers
from canfetch.lint.check import VARIANT, Check, Occurrence, Variant, VerdictQuery
from canfetch.lint.crawler_verdicts import OTHER_CRAWLER
from canfetch.lint.fixes import Fix, replace_span
from canfetch.lint.linted_file import LintedFile, LintedGroup
from canfetch.lint.severity import Severities, Severity

# A proof has four, one of which is a crawler without a group.
_MAX_CRAWLERS: Final = 3
# One group with rules is no pattern.
_MIN_CLOSED: Final = 2


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find groups without rules."""
    empty = [group for group in file.groups if not group.rules]
    if not empty:
        return
    disallowed = star_disallows(file)
    is_closed_to_others = _closes_other_groups(file)
    for group in empty:
        last = group.tokens[-1].record
        lacks_rules = bool(disallowed) and "*" not in group.names
        main = main_crawlers(file, [name for name in group.names if not _has_rules_elsewhere(file, name)])
        names = listed_names((token.token for token in group.tokens if token.token), main)
        details = {"token": names or "*"}
        if lacks_rules:
            details |= {
                VARIANT: "delay-only" if _has_delay(file, group) else "lacking",
                "count": str(len(disallowed)),
                "value": file.text(disallowed[0].value),
            }
        # A group with a delay is complete.
        if is_closed_to_others and not group.others and "*" not in group.names:
            details[VARIANT] = "among-closed"
        followers = ((name, follower_of(file, name)) for name in sorted(main))
        alias, follower = next((pair for pair in followers if pair[1] is not None), (None, None))
        if alias is not None and follower is not None:
            details |= {"alias": alias, "follower": follower}
        yield Occurrence(
            file.text_span(group.tokens[0].record),
            details,
            partial(_query, file, group, main) if lacks_rules else None,
            # An empty `Disallow:` is not what most authors want if the crawlers lack rules.
            fix=None if VARIANT in details else _fix(file, group),
            # The rules may be lines that crawlers do not read.
            lines=tuple(range(last.line + 1, _next_line(file, last.line))),
            harmless=not disallowed or _is_harmless(group, is_of_engine=bool(main)),
        )


def _has_rules_elsewhere(file: LintedFile, name: str) -> bool:
    # All groups of a crawler are one.
    return any(group.rules for group in file.groups_named(name))


def _has_delay(file: LintedFile, group: LintedGroup) -> bool:
    return any(key.lower() == b"crawl-delay" for key in file.keys(group.others))


def _closes_other_groups(file: LintedFile) -> bool:
    """Return whether all other groups of named crawlers disallow everything, so that such a rule may be missing."""
    groups = [group for group in file.groups if group.rules and "*" not in group.names]
    return len(groups) >= _MIN_CLOSED and all(
        all(not rule.allow and matches_everything(rule.value) for rule in group.rules) for group in groups
    )


def _query(file: LintedFile, group: LintedGroup, main: frozenset[str]) -> VerdictQuery | None:
    example = star_example(file)
    token = next((token for token in group.tokens if token.token), None)
    if example is None or token is None:
        return None
    names = sorted(
        dict.fromkeys(one.token for one in group.tokens if one.token), key=lambda one: one.lower() not in main
    )
    crawlers = (*names[:_MAX_CRAWLERS], OTHER_CRAWLER)
    return VerdictQuery(example.path, (token.line, example.line), contrast_only=True, crawlers=crawlers)


def _fix(file: LintedFile, group: LintedGroup) -> Fix:
    last = group.tokens[-1].record
    end = last.span[0] + len(file.line_content(last))
    return replace_span(end, end, line_end(file) + b"Disallow:", changes_verdicts=True)


def _next_line(file: LintedFile, line: int) -> int:
    """Return the number of the next user-agent line, or of the line after the last."""
    following = bisect_right(file.user_agents, line - 1)
    return file.user_agents[following] + 1 if following < len(file.user_agents) else len(file.records) + 1


def _is_harmless(group: LintedGroup, *, is_of_engine: bool) -> bool:
    # For `*` itself, parsers of all standards allow everything. A group with nothing but a crawl delay is deliberate,
    # unless it frees a search engine from the rules for `*`.
    return "*" in group.names or (bool(group.others) and not is_of_engine)


_LACKING: Final = "the group of `{token}` has no rules: it lacks {count|rule|rules} of the `*` group, such as `{value}`"
_EVERYTHING: Final = "Write an empty `Disallow:` only if these crawlers may fetch everything."

CHECK = Check(
    code="CF302",
    name="group-without-rules",
    severities=Severities(rfc=Severity.WARNING, google=Severity.INFO, bing=Severity.INFO, yandex=Severity.WARNING),
    title="A group without rules",
    message="the group of `{token}` has no rules",
    why="Under RFC 9309, the crawlers of such a group may fetch everything, even what the `*` group disallows. "
    "Parsers that follow the 1994 standard or the 1996 draft skip the group and follow the `*` group.",
    how_to_fix="Add the missing rules, or write an empty `Disallow:` to allow everything.",
    how_to_fix_here="`{follower}` follows the group of `{alias}`, because it has no group of its own.",
    variants={
        "lacking": Variant(
            _LACKING, f"Repeat the rules of the `*` group that should apply, or remove the group. {_EVERYTHING}"
        ),
        "delay-only": Variant(
            _LACKING,
            "Repeat the rules of the `*` group that should apply, or remove the group and write the `Crawl-delay` into "
            f"the `*` group. {_EVERYTHING}",
        ),
        "among-closed": Variant(
            "the group of `{token}` has no rules, but the groups of all other named crawlers disallow everything",
            f"Add the missing rule, which is probably `Disallow: /`. {_EVERYTHING}",
        ),
    },
    source="RFC 9309 section 2.2.1; A Standard for Robot Exclusion, 1994",
    bad=b"User-agent: *\nDisallow:\n\nUser-agent: FooBot\n",
    good=b"User-agent: *\nDisallow:\n\nUser-agent: FooBot\nDisallow:\n",
    find=find,
    fixable=True,
)
