"""Traefik 3.4.1 or later: a dynamic configuration with routers that refuse, and middlewares that set headers.

A router without `tls` gets only requests without TLS, and one with `tls` only those with TLS. So each router exists
twice. Those with TLS have no rule for a host: they need no certificate, and do not affect the TLS options of hosts.

The rules match the path without the query, decoded except for reserved characters, and without dot segments and
double slashes. So a pattern that ends in `$` also matches with any query, and a pattern with a query is unsupported.
Dot segments with escaped slashes remain, and are refused here. Traefik itself refuses a raw `#`. No middleware
only responds with a status, but an allow list without a possible address has that effect.

Source: Traefik 3, rules, priority and TLS of HTTP routers; request path; IPAllowList; Headers.
"""

from collections.abc import Iterator
from typing import Final

from canfetch.author.regexes import path_regex
from canfetch.author.servers.rules import ServerIntent, ServerRules
from canfetch.errors import InvalidSitePolicy

_COMPARED: Final = (
    "Rules match the path without the query, as normalised by Traefik 3.4.1 and later. "
    "A pattern that ends in '$' also matches with any query."
)
_NO_ADDRESS: Final = "255.255.255.255/32"
# By default, the priority of a router is the length of its rule.
_PRIORITY: Final = 1_000_000
# The backend may decode it, treat a backslash as a slash, or drop the text after a `;`.
_DOT_SEGMENTS: Final = r".*(?:[/\x5C]|%2F|%5C)\.\.?(?:[;/\x5C]|%2F|%5C|$)"
# Null bytes, tabs and line breaks, decoded.
_CONTROL_BYTES: Final = r".*[\x00\x09\x0A\x0D]"
_ROBOTS_TXT: Final = "!Path(`/robots.txt`)"


def traefik_rules(rules: ServerRules) -> Iterator[str]:
    """Yield the lines of the dynamic configuration for Traefik, in YAML.

    Raises: InvalidSitePolicy: Its rules cannot express a pattern, or the text of a refusal.
    Cost: O(bytes of the output), which grows with the exceptions of each rule.
    """
    if rules.refusal.text is not None:
        raise InvalidSitePolicy("refusal: Traefik cannot respond with a text: remove it, or use another server")
    yield from (f"# {line}" for line in rules.comments(_COMPARED))
    if not rules.intents and not rules.tags:
        return
    yield "http:"
    terms = {intent.number: term for intent in rules.intents if (term := _refused(intent))}
    if terms:
        yield "  routers:"
    # The response is for crawlers only, so no cache may store it.
    middlewares = "[canfetch-refuse]" if rules.refusal.is_default else "[canfetch-no-store, canfetch-refuse]"
    before: list[str] = []
    for intent in rules.intents:
        header = f"HeaderRegexp(`User-Agent`, `(?i){intent.user_agent_regex}`)"
        if intent.number in terms:
            others = "".join(f" && !{other}" for other in before)
            yield f"    # {intent.summary}"
            rule = f"'{header}{others} && {_ROBOTS_TXT} && ({terms[intent.number]})'"
            yield from _router(intent.number, f"&canfetch-rule-{intent.number} {rule}", middlewares)
            yield from _router(intent.number, f"*canfetch-rule-{intent.number}", middlewares, with_tls=True)
        before.append(header)
    yield "  middlewares:"
    if terms:
        yield "    canfetch-refuse:"
        yield "      ipAllowList:"
        yield f"        sourceRange: ['{_NO_ADDRESS}']"
        if not rules.refusal.is_default:
            yield f"        rejectStatusCode: {rules.refusal.status}"
            yield "    canfetch-no-store:"
            yield "      headers:"
            yield "        customResponseHeaders:"
            yield "          Cache-Control: no-store"
    for tag in rules.tags:
        paths = " || ".join(_path_matcher(path_regex(pattern)) for pattern in tag.patterns)
        yield f"    # Add this middleware to your routers, for the rule: {paths}"
        yield f"    canfetch-tag-{tag.number}:"
        yield "      headers:"
        yield "        customResponseHeaders:"
        yield f"          X-Robots-Tag: '{tag.value}'"


def _router(number: int, rule: str, middlewares: str, *, with_tls: bool = False) -> Iterator[str]:
    """Yield a router that refuses what a rule matches, for requests without TLS, or for those with TLS."""
    yield f"    canfetch-refused-{number}{'-tls' if with_tls else ''}:"
    yield f"      rule: {rule}"
    yield f"      priority: {_PRIORITY - number}"
    yield f"      middlewares: {middlewares}"
    yield "      service: noop@internal"
    if with_tls:
        yield "      tls: {}"


def _refused(intent: ServerIntent) -> str:
    """Return the term that matches what an intent refuses, or an empty string if it refuses nothing."""
    overriding: list[str] = []
    terms: list[str] = []
    patterns = {rule.pattern for rule in intent.rules}
    for rule in intent.rules:
        if rule.pattern.endswith("?") and f"{rule.pattern[:-1]}$" in patterns:
            # The same page with a query, which the rule of its path covers.
            continue
        matches = _path_matcher(path_regex(rule.pattern, as_application=not rule.allow))
        if rule.allow:
            overriding.append(matches)
        else:
            terms.append("".join([f"({matches}", *(f" && !{other}" for other in overriding), ")"]))
    return " || ".join([_path_matcher(_DOT_SEGMENTS), _path_matcher(_CONTROL_BYTES), *terms]) if terms else ""


def _path_matcher(regex: str) -> str:
    # With the flag, `.` matches a line break as well.
    return f"PathRegexp(`(?s)^{regex}`)"
