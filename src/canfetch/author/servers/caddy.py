"""Caddy: maps and a response, for the beginning of a `route` block.

The inputs of a map are tried in order, and the first match applies. The placeholder `http.request.orig_uri` is the
target as sent. In backticks, no character has a special meaning.

Caddy accepts 1 MiB of header fields. In HTTP/2, a request of a few bytes can repeat a field that was sent before, and
Caddy joins the repeated fields. So the size of the header is compared before a regex reads it.

Source: Caddy 2, directives map, respond, header, route; matcher expression; global option max_header_size.
"""

from collections.abc import Iterator
from typing import Final

from canfetch.author.servers.rules import (
    BEFORE_SERVED_PATH,
    COMPARED_AS_SENT,
    NEVER_ALLOWED,
    NOT_ROOTED,
    ORIGIN,
    ROBOTS_TXT,
    ServerRules,
    any_of,
)

# Headers of browsers and crawlers have a few hundred characters. The time of the regexes grows with each.
_MAX_HEADER: Final = 1024
# HTTP/2 and HTTP/3 can send a raw space in a target. Caddy passes it on as `%20`, while the other servers refuse it.
_SPACE: Final = r"[^\x20]*\x20"
# nginx and Apache refuse longer request lines by default, with 8,192 and 8,190 bytes.
_MAX_TARGET: Final = 8192


def caddy_rules(rules: ServerRules) -> Iterator[str]:
    """Yield the lines of the configuration for Caddy.

    Cost: O(bytes of the output).
    """
    yield from (f"# {line}" for line in rules.comments(COMPARED_AS_SENT))
    yield "#"
    yield "# Import this file first in a route block with the rest of the site, because order matters there:"
    yield "#"
    yield "#     route {"
    yield "#         import canfetch.caddy"
    yield "#         file_server"
    yield "#     }"
    yield ""
    if rules.intents:
        yield "# No browser or crawler sends such a header, of which the regexes would read each byte."
        yield f"@canfetch_long_header expression `size({{http.request.header.User-Agent}}) > {_MAX_HEADER}`"
        yield "respond @canfetch_long_header 431"
        yield "map {http.request.header.User-Agent} {canfetch_intent} {"
        for intent in rules.intents:
            yield f"\t# {intent.summary}"
            value = "none" if intent.is_for_browsers else f"intent{intent.number}"
            yield f"\t`~(?i){intent.user_agent_regex}` {value}"
        yield "\tdefault none"
        yield "}"
        yield 'map "{canfetch_intent} {http.request.orig_uri}" {canfetch_verdict} {'
        yield "\t`~^none ` pass"
        yield f"\t`~^[a-z0-9]+ {_SPACE}` refuse"
        yield f"\t`~^[a-z0-9]+ {ORIGIN}{ROBOTS_TXT}` pass"
        yield f"\t`~^[a-z0-9]+ {NOT_ROOTED}` refuse"
        for never in NEVER_ALLOWED:
            yield f"\t`~^[a-z0-9]+ {ORIGIN}{never}` refuse"
        for intent in rules.intents:
            for rule in intent.rules:
                yield f"\t# {intent.rule_summary(rule)}"
                yield f"\t`~^intent{intent.number} {ORIGIN}{rule.regex}` {'pass' if rule.allow else 'refuse'}"
        yield "\tdefault pass"
        yield "}"
    for tag in rules.tags:
        yield f"# {tag.summary}"
        regex = f"^{BEFORE_SERVED_PATH}{any_of(tag.regexes)}"
        yield f"@canfetch_tag_{tag.number} vars_regexp {{http.request.orig_uri}} `{regex}`"
        yield f"header @canfetch_tag_{tag.number} +X-Robots-Tag `{tag.value}`"
    if rules.intents:
        # The operands are evaluated in order. So the regexes read no long target, and none of a browser.
        is_long = f"size({{http.request.orig_uri}}) > {_MAX_TARGET}"
        is_refused = f'{{canfetch_intent}} != "none" && ({is_long} || {{canfetch_verdict}} == "refuse")'
        yield f"@canfetch_refused expression `{is_refused}`"
        if rules.refusal.is_default:
            yield "respond @canfetch_refused 403"
        else:
            # The text is for crawlers only, so no cache may store it.
            yield "header @canfetch_refused Cache-Control no-store"
            text = "" if rules.refusal.text is None else f"`{rules.refusal.text}` "
            yield f"respond @canfetch_refused {text}{rules.refusal.status}"
