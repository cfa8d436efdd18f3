"""Scripts or styles that Google may not fetch."""

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from canfetch.agents import REGISTRY
from canfetch.core.agent_rules import find_deciding_rule
from canfetch.core.patterns import matches
from canfetch.core.verdict import Rule
from canfetch.lint.analysis.asset_patterns import (
    ASSETS,
    Asset,
    blocked_asset,
    is_typical_asset,
    names_assets,
    names_folder,
)
from canfetch.lint.analysis.canonical_rules import canonical_form
from canfetch.lint.analysis.site_blocks import is_closed
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_GOOGLEBOT: Final = "Googlebot"
# Each one costs a comparison.
_MAX_EXCEPTIONS: Final = 256
# Of a longer list, only the rules that decide are reported: each URL would be compared with every rule.
_MAX_RULES: Final = 1000


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules that keep Googlebot from files that pages need for rendering."""
    token = _GOOGLEBOT if file.groups_named(_GOOGLEBOT) else "*"
    if is_closed(file, token):
        return
    rules = file.robots_for("googlebot").rules_for(REGISTRY.agent(_GOOGLEBOT))
    own = [rule for group in file.groups_named(token) for rule in group.rules if rule.value]
    opened = [rule.value for rule in own if rule.allow][:_MAX_EXCEPTIONS]
    blocked: list[tuple[Asset, Rule]] = []
    for asset in ASSETS:
        allowed, rule = find_deciding_rule(rules, asset.url)
        if not allowed and rule is not None and is_typical_asset(file, asset):
            blocked.append((asset, rule))
    seen: set[int] = set()
    for asset, rule in blocked:
        if _is_new(seen, rule, asset):
            yield from _report(file, (rule, asset), opened, rule)
    if len(own) > _MAX_RULES:
        return
    for asset, deciding in blocked:
        # Without the line that decides, these would block the file, too.
        for rule in takewhile(lambda other: not other.allow, rules.decide(asset.url).also_matched):
            if _is_new(seen, rule, asset):
                yield from _report(file, (rule, asset), opened, deciding)


def _is_new(seen: set[int], rule: Rule, asset: Asset) -> bool:
    """Return whether a rule is about the folder of an asset and was not seen before, and note it as seen."""
    if rule.line in seen or not names_folder(rule.pattern, asset.url.encode()):
        return False
    seen.add(rule.line)
    return True


def _report(file: LintedFile, place: tuple[Rule, Asset], opened: list[bytes], deciding: Rule) -> Iterator[Occurrence]:
    rule, asset = place
    record = file.records[rule.line - 1]
    if record.value is not None:
        details = {"pattern": file.text(rule.pattern), "path": asset.url}
        is_needed = asset.is_needed or names_assets(rule.pattern)
        harmless = not is_needed or _has_exceptions(rule.pattern, opened)
        decides = rule.line == deciding.line
        # The effect would name the line that decides.
        query, lines = (VerdictQuery(asset.url), ()) if decides else (None, (deciding.line,))
        yield Occurrence(record.value, details, query, lines=lines, harmless=harmless)


def _has_exceptions(pattern: bytes, opened: list[bytes]) -> bool:
    """Return whether the author made exceptions from a rule, so that pages have what they need."""
    form = canonical_form(pattern)
    inside = [value for value in opened if matches(form, value.rstrip(b"$"))]
    if form == b"/":
        # Folders for scripts and styles are open, or only single pages are.
        return all(value.endswith(b"$") for value in inside) or any(blocked_asset(value) for value in inside)
    names_query = not form.translate(None, b"/*?=&")
    return any(names_query or names_assets(value) for value in inside)


CHECK = Check(
    code="CF703",
    name="assets-blocked",
    severities=Severities(rfc=Severity.WARNING, google=Severity.WARNING),
    title="Scripts or styles that Google may not fetch",
    message="`{pattern}` blocks files that pages may need for rendering, such as `{path}`",
    why="Search engines render a page as a browser does. Without its scripts and styles, they may see a different "
    "page, or an empty one.",
    how_to_fix="Let crawlers fetch scripts and styles. An `Allow` line must be at least as long as the rule, such as "
    "`Allow: /wp-includes/*.js`.",
    source="Google, JavaScript and robots.txt basics",
    bad=b"User-agent: *\nDisallow: /wp-includes/\n",
    good=b"User-agent: *\nDisallow: /wp-admin/\n",
    find=find,
)
