"""A crawler with two groups."""

from collections.abc import Iterator

from canfetch.lint.analysis.canonical_rules import form_in
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.named_engines import engine_of
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.rule_coverage import covered_rules
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find product tokens that an earlier group with other rules already has."""
    first: dict[str, tuple[int, int]] = {}
    equal: dict[tuple[int, int], bool] = {}
    loses: dict[tuple[int, int], bool] = {}
    rule_sets: dict[int, set[tuple[bool, bytes]]] = {}
    for group in file.groups:
        rule = next((rule for rule in group.rules if rule.value.startswith(b"/")), None)
        for token in group.tokens:
            name = token.token.lower()
            if not name:
                continue
            index, line = first.setdefault(name, (group.index, token.line))
            if index == group.index:
                continue
            pair = index, group.index
            if pair not in equal:
                for one in pair:
                    if one not in rule_sets:
                        rule_sets[one] = _effective_rules(file, one)
                equal[pair] = rule_sets[index] == rule_sets[group.index]
                loses[pair] = any(value for _, value in rule_sets[group.index] - rule_sets[index])
            if equal[pair] and name != "*":
                continue  # equal groups do no harm
            yield Occurrence(
                file.text_span(token.record),
                {"token": token.token, "line": str(line)},
                None if rule is None else query_for(rule.value, rule.line, contrast_only=True),
                # A crawler that obeys only the first group loses no rule, or it is Google's and combines them.
                harmless=not loses[pair] or engine_of(name) == "google",
            )


def _effective_rules(file: LintedFile, index: int) -> set[tuple[bool, bytes]]:
    redundant = file.compute_once(_redundant_lines)
    rules = (rule for rule in file.groups[index].rules if rule.line not in redundant)
    return {(rule.allow, form_in(file, rule.value) or rule.value) for rule in rules}


def _redundant_lines(file: LintedFile) -> frozenset[int]:
    return frozenset(rule.line for found in covered_rules(file) for rule in found.equal)


CHECK = Check(
    code="CF303",
    name="agent-in-two-groups",
    severities=Severities(rfc=Severity.INFO, google=Severity.INFO, bing=Severity.WARNING, yandex=Severity.WARNING),
    title="A crawler with two groups",
    message="`{token}` already has a group on line {line}",
    why="RFC 9309 and Google combine the groups of a crawler. Parsers that follow the 1996 draft obey only the first "
    "group, and Yandex reports a second `*` group as an error.",
    how_to_fix="Write all rules for a crawler in one group.",
    source="RFC 9309 section 2.2.1; draft-koster-robots-00; Yandex Webmaster, robots.txt analysis",
    bad=b"User-agent: *\nDisallow: /a/\n\nUser-agent: *\nDisallow: /b/\n",
    good=b"User-agent: *\nDisallow: /a/\nDisallow: /b/\n",
    find=find,
    needs=(Trait.SEVERAL_AGENTS,),
)
