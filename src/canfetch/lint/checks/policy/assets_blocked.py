"""Scripts or styles that Google may not fetch."""

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import Final

from canfetch.agents import REGISTRY
from canfetch.core.agent_rules import AgentRules, find_deciding_rule
from canfetch.core.keys import SPELLINGS, RecordKind
from canfetch.core.patterns import matches
from canfetch.core.verdict import Rule
from canfetch.lint.analysis.asset_patterns import (
    ASSETS,
    Asset,
    blocked_asset,
    file_in_asset_folder,
    is_ambiguous_folder,
    is_typical_asset,
    names_assets,
    names_file_type,
    names_folder,
)
from canfetch.lint.analysis.canonical_rules import canonical_form, is_plain_prefix
from canfetch.lint.analysis.odd_lines import has_longer_keys
from canfetch.lint.analysis.site_blocks import is_closed
from canfetch.lint.check import VARIANT, Check, Occurrence, Variant, VerdictQuery
from canfetch.lint.linted_file import LintedFile, LintedRule
from canfetch.lint.severity import Severities, Severity

_GOOGLEBOT: Final = "Googlebot"
# Each one costs a comparison.
_MAX_EXCEPTIONS: Final = 256
# Of a longer list, only the rules that decide are reported: each URL would be compared with every rule.
_MAX_RULES: Final = 1000
# Each one costs a decision.
_MAX_NAMED: Final = 64
# With more of them, verdicts are faster.
_MAX_STARTS: Final = 32


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules that keep Googlebot from files that pages need for rendering."""
    token = _GOOGLEBOT if file.groups_named(_GOOGLEBOT) else "*"
    if is_closed(file, token):
        return
    rules = file.robots_for("googlebot").rules_for(REGISTRY.agent(_GOOGLEBOT))
    own = [rule for group in file.groups_named(token) for rule in group.rules if rule.value]
    opened = [rule.value for rule in own if rule.allow][:_MAX_EXCEPTIONS]
    for place, deciding in _places(file, rules, own):
        yield from _report(file, place, opened, deciding)


def _places(file: LintedFile, rules: AgentRules, own: list[LintedRule]) -> Iterator[tuple[tuple[Rule, Asset], Rule]]:
    """Yield each rule that blocks the folder of an asset, with the rule that decides about the asset."""
    blocked = list(_blocked(file, rules))
    seen: set[int] = set()
    for asset, rule in blocked:
        if _is_new(seen, rule, asset):
            yield (rule, asset), rule
    if len(own) > _MAX_RULES:
        return
    for asset, deciding in _blocked_by_name(rules, own):
        if deciding.line not in seen:
            seen.add(deciding.line)
            yield (deciding, asset), deciding
    for asset, deciding in blocked:
        # Without the line that decides, these would block the file, too.
        for rule in takewhile(lambda other: not other.allow, rules.decide(asset.url).also_matched):
            if _is_new(seen, rule, asset):
                yield (rule, asset), deciding


def _blocked(file: LintedFile, rules: AgentRules) -> Iterator[tuple[Asset, Rule]]:
    """Yield the assets at usual URLs that are blocked, with the rules that decide this."""
    assets = _possibly_blocked(file)
    for asset, is_allowed in zip(assets, rules.allows_many([asset.url for asset in assets]), strict=True):
        _, rule = (True, None) if is_allowed else find_deciding_rule(rules, asset.url)
        if rule is not None and is_typical_asset(file, asset):
            yield asset, rule


def _possibly_blocked(file: LintedFile) -> Sequence[Asset]:
    """Return the assets that rules may block. In most files, all rules are plain prefixes."""
    starts = tuple({rule.value for rule in file.rules if not rule.allow and rule.value})
    is_plain = len(starts) <= _MAX_STARTS and all(map(is_plain_prefix, starts))
    if not is_plain or has_longer_keys(file):
        return ASSETS
    texts = tuple([file.text(start) for start in starts])
    return [asset for asset in ASSETS if asset.url.startswith(texts)]


def _blocked_by_name(rules: AgentRules, own: list[LintedRule]) -> Iterator[tuple[Asset, Rule]]:
    """Yield the rules about folders that are known only by their names."""
    named = ((rule, path) for rule in own if not rule.allow and (path := file_in_asset_folder(rule.value)))
    for rule, path in islice(named, _MAX_NAMED):
        _, deciding = find_deciding_rule(rules, path)
        if deciding is not None and deciding.line == rule.line:
            yield Asset(path), deciding


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
        details = {"pattern": file.text(rule.pattern), "path": asset.url, **_advice(file, rule.pattern)}
        is_needed = (asset.is_needed or names_assets(rule.pattern)) and not is_ambiguous_folder(
            file, rule.pattern, opened
        )
        harmless = not is_needed or _has_exceptions(rule.pattern, opened)
        decides = rule.line == deciding.line
        # The effect would name the line that decides.
        query, lines = (VerdictQuery(asset.url), ()) if decides else (None, (deciding.line,))
        yield Occurrence(record.value, details, query, lines=lines, harmless=harmless)


def _advice(file: LintedFile, pattern: bytes) -> dict[str, str]:
    """Return the details that select the advice about a rule."""
    if names_file_type(pattern):
        return {VARIANT: "file-type"}
    folder = pattern.rstrip(b"*$")
    if b"?" in pattern or b"=" in pattern or b"." in folder.rpartition(b"/")[2]:
        return {}
    base = file.text(folder if folder.endswith(b"/") else folder + b"/")
    return {VARIANT: "folder", "styles": f"{base}*.css", "scripts": f"{base}*.js"}


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
    how_to_fix="Remove the rule, or let crawlers fetch scripts and styles with an `Allow` line that is at least as "
    "long as the rule.",
    variants={
        "file-type": Variant(how_to_fix="Remove the rule."),
        "folder": Variant(
            how_to_fix="Remove the rule, or add `Allow: {styles}` and `Allow: {scripts}`. Such an exception must be at "
            "least as long as the rule."
        ),
    },
    source="Google, JavaScript and robots.txt basics",
    bad=b"User-agent: *\nDisallow: /wp-includes/\n",
    good=b"User-agent: *\nDisallow: /wp-admin/\n",
    find=find,
    needs=dict(SPELLINGS)[RecordKind.DISALLOW],
)
