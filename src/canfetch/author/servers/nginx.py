"""nginx: two maps for its `http` block, and an `if` for each `server` block.

A map's expressions are tried in the order in which they stand, and the first that matches counts. `$request_uri` is
the target as it was sent. In double quotes a backslash stays one, unless a quote or a backslash follows; no
expression of ours holds either.

Source: nginx, ngx_http_map_module, ngx_http_rewrite_module, ngx_http_headers_module.
"""

from collections.abc import Iterator
from typing import Final

from canfetch.author.servers.rules import COMPARED_AS_SENT, NEVER_SENT, ROBOTS_TXT, ServerRules, verb
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidSitePolicy

# nginx reads its file in pieces of 4,096 octets, and a word must fit into one.
_WORD_OCTETS_LIMIT: Final = 4_000


def nginx_rules(rules: ServerRules) -> str:
    """Write the rules of nginx.

    Raises: InvalidSitePolicy: a pattern takes a longer word than nginx reads.
    Cost: O(octets of the output).
    """
    return "".join(f"{line}\n" for line in _lines(rules))


def _lines(rules: ServerRules) -> Iterator[str]:
    yield from (f"# {line}" for line in rules.comments(COMPARED_AS_SENT))
    yield "#"
    yield "# These maps belong into the http block:"
    yield ""
    yield "map $http_user_agent $canfetch_who {"
    yield "    default 0;"
    for intent in rules.intents:
        yield f"    # {intent.summary}"
        for expression in intent.user_agent_regexes:
            yield f"    {_word(f'~*{expression}', intent.summary)} {intent.number};"
    yield "}"
    yield ""
    yield 'map "$canfetch_who $request_uri" $canfetch_refused {'
    yield "    default 0;"
    yield '    "~^0 " 0;'
    yield f'    "~^[0-9]+ {ROBOTS_TXT}" 0;'
    for never in NEVER_SENT:
        yield f'    "~^[0-9]+ {never}" 1;'
    for intent in rules.intents:
        for rule in intent.rules:
            yield f"    # {intent.intent.audience}: {verb(allow=rule.allow)} {rule.pattern}"
            yield f"    {_word(f'~^{intent.number} {rule.expression}', rule.pattern)} {int(not rule.allow)};"
    yield "}"
    for tag in rules.tags:
        yield ""
        yield f"# {' '.join(tag.patterns)}"
        yield f"map $request_uri $canfetch_tag_{tag.number} {{"
        yield '    default "";'
        for expression, pattern in zip(tag.expressions, tag.patterns, strict=True):
            yield f'    {_word(f"~^{expression}", pattern)} "{tag.value}";'
        yield "}"
    yield ""
    yield "# And these lines into each server block (add_header counts in a location that has none of its own):"
    yield "#"
    yield "#     if ($canfetch_refused) { return 403; }"
    for tag in rules.tags:
        yield f"#     add_header X-Robots-Tag $canfetch_tag_{tag.number} always;"


def _word(text: str, what: str) -> str:
    if len(text) > _WORD_OCTETS_LIMIT:
        raise InvalidSitePolicy(
            f"{quoted(what)} takes a longer word than nginx reads: shorten it, or use another server"
        )
    return f'"{text}"'
