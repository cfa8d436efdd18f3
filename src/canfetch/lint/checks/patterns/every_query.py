"""A pattern that blocks every URL with a query, even scripts and styles."""

import re
from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.asset_patterns import names_assets
from canfetch.lint.analysis.canonical_rules import canonical_form
from canfetch.lint.analysis.engine_verdicts import deciding_line
from canfetch.lint.analysis.named_engines import main_crawlers
from canfetch.lint.analysis.needs import InRule
from canfetch.lint.analysis.rule_values import rules_matching
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedRule
from canfetch.lint.severity import Severity, everywhere

_SPELLINGS: Final = re.compile(rb"\n/?\*+\?\**\$?\n")
_FORMS: Final = (b"/*?", b"*?")
_ASSETS: Final = ("/style.css?ver=1", "/script.js?ver=1")


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules such as `/*?` that decide about a script or a style with a version."""
    # Many groups can have the same token.
    deciding: dict[str, list[int | None]] = {}
    for rule in rules_matching(file, _SPELLINGS):
        if rule.allow or canonical_form(rule.value) not in _FORMS:
            continue
        group = file.groups[rule.group]
        token = group.first_token
        if token not in deciding:
            deciding[token] = [deciding_line(file, asset, "rfc9309", token) for asset in _ASSETS]
        for asset, line in zip(_ASSETS, deciding[token], strict=True):
            if line == rule.line:
                details = {"pattern": file.text(rule.value), "path": asset}
                harmless = not _is_for_search_engine(file, group) or any(map(_is_exception, group.rules))
                yield Occurrence(file.text_span(rule.record), details, VerdictQuery(asset), harmless=harmless)
                break


def _is_for_search_engine(file: LintedFile, group: LintedGroup) -> bool:
    # Others do not render pages.
    return "*" in group.names or bool(main_crawlers(file, group.names))


def _is_exception(rule: LintedRule) -> bool:
    # An author who allows some scripts or styles knows that the rule blocks them. One who allows a parameter may not.
    return rule.allow and names_assets(rule.value)


CHECK = Check(
    code="CF422",
    name="every-query",
    severities=everywhere(Severity.WARNING),
    title="A pattern that blocks every URL with a query, even scripts and styles",
    message="`{pattern}` blocks URLs with a query, even scripts and styles such as `{path}`",
    why="Many systems add a version to the URLs of their scripts and styles, and a number to those of the pages of a "
    "list. Search engines cannot render pages without scripts and styles, and do not find what only later pages of a "
    "list link to. In a group that allows some scripts or styles, the severity is `info`.",
    how_to_fix="Disallow only the parameters that should not be crawled, such as `/*?sort=` and `/*&sort=`. Or add "
    "`Allow: /*.css?` and `Allow: /*.js?`.",
    source="Google, JavaScript and robots.txt basics; RFC 9309 section 2.2.3",
    bad=b"User-agent: *\nDisallow: /*?\n",
    good=b"User-agent: *\nAllow: /*.css?\nAllow: /*.js?\nDisallow: /*?\n",
    find=find,
    needs=(InRule(b"*?"),),
    supersedes=("CF703",),
)
