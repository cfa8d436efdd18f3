"""Traefik 3.4.1 or later: a dynamic configuration with a router that refuses, and middlewares that set headers.

What its rules compare is the path without its query, decoded but for reserved characters, without dot segments and
double slashes. So a pattern that ends in `$` also matches with a query behind, and one that speaks of a query is
refused. Dot segments whose slashes are written otherwise are still there, and refused; a raw `#` Traefik refuses
itself. A router has no middleware that answers 403, but one that lets in no address at all does.

Source: Traefik 3, rules and priority of HTTP routers; request path; IPAllowList; Headers.
"""

from collections.abc import Iterator
from typing import Final

from canfetch.author.regexes import path_regex
from canfetch.author.servers.rules import ServerIntent, ServerRules

_COMPARED: Final = (
    "Compared is the path without its query, as Traefik 3.4.1 and later normalise it: "
    "a pattern that ends in '$' matches with a query behind it, too."
)
_NOBODY: Final = "255.255.255.255/32"
# Routers of one's own have the length of their rule as priority.
_PRIORITY: Final = 1_000_000
# What is behind it may decode it, take a backslash for a slash, or drop what follows a `;`.
_DOT_SEGMENTS: Final = r"PathRegexp(`^.*(?:[/\x5C]|%2F|%5C)\.\.?(?:[;/\x5C]|%2F|%5C|$)`)"
_ROBOTS_TXT: Final = "!Path(`/robots.txt`)"


def traefik_rules(rules: ServerRules) -> str:
    """Write the dynamic configuration of Traefik, in YAML.

    Raises: InvalidSitePolicy: a pattern that its rules cannot express.
    Cost: O(octets of the output), which grows with the exceptions of each rule.
    """
    return "".join(f"{line}\n" for line in _lines(rules))


def _lines(rules: ServerRules) -> Iterator[str]:
    yield from (f"# {line}" for line in rules.comments(_COMPARED))
    if not rules.intents and not rules.tags:
        return
    yield "http:"
    terms = {intent.number: term for intent in rules.intents if (term := _refused(intent))}
    if terms:
        yield "  routers:"
    before: list[str] = []
    for intent in rules.intents:
        header = f"HeaderRegexp(`User-Agent`, `(?i){intent.user_agent_regex}`)"
        if intent.number in terms:
            others = "".join(f" && !{other}" for other in before)
            yield f"    # {intent.summary}"
            yield f"    canfetch-refused-{intent.number}:"
            yield f"      rule: '{header}{others} && {_ROBOTS_TXT} && ({terms[intent.number]})'"
            yield f"      priority: {_PRIORITY - intent.number}"
            yield "      middlewares: [canfetch-refuse]"
            yield "      service: noop@internal"
        before.append(header)
    yield "  middlewares:"
    if terms:
        yield "    canfetch-refuse:"
        yield "      ipAllowList:"
        yield f"        sourceRange: ['{_NOBODY}']"
    for tag in rules.tags:
        paths = " || ".join(f"PathRegexp(`^{path_regex(pattern)}`)" for pattern in tag.patterns)
        yield f"    # For a router of yours with the rule: {paths}"
        yield f"    canfetch-tag-{tag.number}:"
        yield "      headers:"
        yield "        customResponseHeaders:"
        yield f"          X-Robots-Tag: '{tag.value}'"


def _refused(intent: ServerIntent) -> str:
    """Give the term that is true of what an intent refuses; empty where it refuses nothing."""
    stronger: list[str] = []
    terms: list[str] = []
    patterns = {rule.pattern for rule in intent.rules}
    for rule in intent.rules:
        if rule.pattern.endswith("?") and f"{rule.pattern[:-1]}$" in patterns:
            # A page with a query, whose path alone is another rule.
            continue
        matches = f"PathRegexp(`^{path_regex(rule.pattern)}`)"
        if rule.allow:
            stronger.append(matches)
        else:
            terms.append("".join([f"({matches}", *(f" && !{other}" for other in stronger), ")"]))
    return " || ".join([_DOT_SEGMENTS, *terms]) if terms else ""
