"""A group that lacks rules of the `*` group."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from canfetch.agents import REGISTRY
from canfetch.lint.analysis.example_paths import example_path
from canfetch.lint.analysis.misread_groups import star_disallows
from canfetch.lint.analysis.named_engines import main_crawlers
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.crawler_verdicts import OTHER_CRAWLER
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedRule
from canfetch.lint.severity import Severity, everywhere

_WHOLE: Final = (b"/", b"/*", b"*")
# Each group and each rule costs verdicts. The author of many groups probably knows this.
_MAX_GROUPS: Final = 64
_MAX_TRIED: Final = 8


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find groups that do not disallow what the `*` group disallows."""
    disallowed = {rule.value: rule for rule in star_disallows(file)}
    if not disallowed or not disallowed.keys().isdisjoint(_WHOLE):
        return
    tried = 0
    # All groups of a crawler are one, so each crawler has one finding.
    compared: set[str] = set()
    allowed_to_others: dict[str, bool] = {}
    for group in file.groups:
        names = group.names
        if "*" in names or not names or group.first_token.lower() in compared or _ignores_star(group):
            continue
        if not _disallows_a_part(group) and not _opens_all_to_engine(file, group):
            continue
        compared.add(group.first_token.lower())
        tried += 1
        if tried > _MAX_GROUPS:
            return
        occurrence = _lacking(file, group, disallowed, allowed_to_others)
        if occurrence is not None:
            yield occurrence


def _lacking(
    file: LintedFile,
    group: LintedGroup,
    disallowed: dict[bytes, LintedRule],
    allowed_to_others: dict[str, bool],
) -> Occurrence | None:
    """Return the occurrence for a group that lacks rules.

    Args: allowed_to_others: The verdicts for crawlers without a group of their own, to which others are added.
    """
    token = group.first_token
    own_rules = [rule for same in file.groups_named(token) for rule in same.rules]
    own = {rule.value for rule in own_rules}
    lacking = len(disallowed) - sum(value in disallowed for value in own)
    for value in islice((value for value in disallowed if value not in own), _MAX_TRIED):
        path = example_path(value)
        if path is None:
            continue
        if path not in allowed_to_others:
            allowed_to_others[path] = file.robots.allows(path, agent=OTHER_CRAWLER)
        if not allowed_to_others[path] and file.robots.allows(path, agent=token):
            line = next(one.record for one in group.tokens if one.token)
            details = {"token": token, "value": file.text(value), "count": str(lacking)}
            query = VerdictQuery(path, (line.line, disallowed[value].record.line), contrast_only=True)
            # A long group, one that repeats more than a quarter of the rules, or one for a crawler with a special
            # purpose was probably written in full knowledge. The main crawlers of search engines should rarely fetch
            # what all others may not. An Allow repeats no rule.
            repeated = len({rule.value for rule in own_rules if not rule.allow} & disallowed.keys())
            is_complete = repeated > 0 and (len(own) > lacking or 4 * repeated > len(disallowed))
            is_deliberate = is_complete or not main_crawlers(file, group.names) or not _disallows_a_part(group)
            return Occurrence(file.text_span(line), details, query, harmless=is_deliberate)
    return None


def _disallows_a_part(group: LintedGroup) -> bool:
    values = [rule.value for rule in group.rules if not rule.allow]
    return any(map(_is_partial, values)) and not any(value in _WHOLE for value in values)


def _opens_all_to_engine(file: LintedFile, group: LintedGroup) -> bool:
    """Return whether a group lets the main crawler of a search engine fetch everything."""
    allows_all = bool(group.rules) and all(
        rule.value in _WHOLE if rule.allow else not rule.value for rule in group.rules
    )
    return allows_all and bool(main_crawlers(file, group.names))


def _ignores_star(group: LintedGroup) -> bool:
    """Return whether no crawler of a group ever follows the `*` group, as AdsBot-Google."""
    return not any(REGISTRY.agent(token.token).star_applies for token in group.tokens if token.token)


def _is_partial(value: bytes) -> bool:
    return value.startswith((b"/", b"*")) and value not in _WHOLE and b" " not in value


CHECK = Check(
    code="CF307",
    name="no-inheritance",
    severities=everywhere(Severity.WARNING),
    title="A group that lacks rules of the `*` group",
    message="`{token}` has its own group, which lacks {count|rule|rules} of the `*` group, such as `{value}`",
    why="A crawler with its own group follows only that group. It does not inherit any rule from the `*` group. In "
    "four cases, this is probably intended, and the severity is `info`: the group opens the whole site, it repeats "
    "more than a quarter of the rules, it repeats some and has more rules than it lacks, or it is not for the main "
    "crawler of a search engine.",
    how_to_fix="Repeat in the group those rules of the `*` group that should apply to this crawler too.",
    source="RFC 9309 section 2.2.1; Bing Webmaster, robots.txt; Google, order of precedence for user agents",
    bad=b"User-agent: *\nDisallow: /private/\n\nUser-agent: FooBot\nDisallow: /images/\n",
    good=b"User-agent: *\nDisallow: /private/\n\nUser-agent: FooBot\nDisallow: /private/\nDisallow: /images/\n",
    find=find,
    needs=(Trait.SEVERAL_AGENTS,),
)
