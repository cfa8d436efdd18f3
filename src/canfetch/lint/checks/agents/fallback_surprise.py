"""A crawler's own group that omits rules of its family's group."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.agent_names import known_agents
from canfetch.lint.analysis.engine_verdicts import try_allows
from canfetch.lint.analysis.example_paths import example_path
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_PROFILES: Final = {"Google": "googlebot", "Yandex": "yandex"}
# At most this many rules of the family's group are checked.
_MAX_RULES: Final = 200


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find crawlers whose own group allows a path that the group of their family disallows."""
    seen: set[str] = set()
    for agent, crawler, _ in known_agents(file):
        name = crawler.name
        if name in seen or len(crawler.tokens) == 1 or not name.startswith(crawler.tokens[1]):
            continue
        seen.add(name)
        profile = _PROFILES.get(crawler.operator, "rfc9309")
        family = crawler.tokens[1]
        rules = [
            rule
            for group in file.groups_named(family)[:1]
            for rule in group.rules
            if not rule.allow and rule.specificity
        ]
        for rule in rules[:_MAX_RULES]:
            path = example_path(rule.value)
            if path is None:
                continue
            if try_allows(file, path, profile, name) is True and try_allows(file, path, profile, family) is False:
                yield Occurrence(
                    agent.span,
                    {"name": name, "family": family, "pattern": file.text(rule.value), "line": str(rule.line)},
                    VerdictQuery(path, (agent.record.line, rule.line), contrast_only=True),
                )
                break


CHECK = Check(
    code="CF512",
    name="fallback-surprise",
    severities=Severities(rfc=Severity.INFO, google=Severity.INFO, yandex=Severity.INFO),
    title="A crawler's own group that omits rules of its family's group",
    message="`{name}` has its own group, so `{pattern}` for `{family}` on line {line} does not apply to it",
    why="A crawler follows the groups of one name. It looks for its own name first, then for that of its family, and "
    "then for `*`. Groups of different names are never combined.",
    how_to_fix="Repeat in its own group the rules that the crawler should follow.",
    source="Google, common crawlers; Yandex, how robots read User-agent",
    bad=b"User-agent: Googlebot\nDisallow: /private/\n\nUser-agent: Googlebot-Image\nDisallow: /photos/\n",
    good=b"User-agent: Googlebot\nDisallow: /private/\n\n"
    b"User-agent: Googlebot-Image\nDisallow: /photos/\nDisallow: /private/\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
)
