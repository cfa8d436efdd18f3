"""nginx: two maps for the `http` block, and an `if` for each `server` block.

The regexes of a map are tried in order, and the first match applies. `$request_uri` is the target as sent. In double
quotes, a backslash is literal unless a quote or a backslash follows; the regexes contain neither.

Source: nginx, ngx_http_map_module, ngx_http_rewrite_module, ngx_http_headers_module.
"""

from collections.abc import Iterator
from typing import Final

from canfetch.author.refusal import Refusal
from canfetch.author.servers.rules import COMPARED_AS_SENT, NEVER_ALLOWED, ROBOTS_TXT, ServerRules
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidSitePolicy

# nginx reads its configuration in blocks of 4,096 bytes, and a word must fit into one.
_MAX_WORD_BYTES: Final = 4_000


def nginx_rules(rules: ServerRules) -> Iterator[str]:
    """Yield the lines of the configuration for nginx.

    Raises: InvalidSitePolicy: A pattern exceeds the word length of nginx.
    Cost: O(bytes of the output).
    """
    yield from (f"# {line}" for line in rules.comments(COMPARED_AS_SENT))
    yield "#"
    yield "# These maps belong in the http block, and are for all its sites. Of two maps for the same variable, the"
    yield "# last one applies. For a second policy, write another prefix in place of canfetch_."
    yield ""
    yield "map $http_user_agent $canfetch_intent {"
    yield "    default 0;"
    for intent in rules.intents:
        yield f"    # {intent.summary}"
        for regex in intent.user_agent_regexes:
            yield f"    {_word(f'~*{regex}', intent.summary)} {intent.number};"
    yield "}"
    yield ""
    yield 'map "$canfetch_intent $request_uri" $canfetch_refused {'
    # The last rule of each intent matches everything, so this is only for errors.
    yield "    default 1;"
    yield '    "~^0 " 0;'
    yield f'    "~^[0-9]+ {ROBOTS_TXT}" 0;'
    for never in NEVER_ALLOWED:
        yield f'    "~^[0-9]+ {never}" 1;'
    for intent in rules.intents:
        for rule in intent.rules:
            yield f"    # {intent.rule_summary(rule)}"
            yield f"    {_word(f'~^{intent.number} {rule.atomic_regex}', rule.pattern)} {int(not rule.allow)};"
    yield "}"
    for tag in rules.tags:
        yield ""
        yield f"# {tag.summary}"
        yield f"map $request_uri $canfetch_tag_{tag.number} {{"
        yield '    default "";'
        for regex, pattern in zip(tag.atomic_regexes, tag.patterns, strict=True):
            yield f'    {_word(f"~^{regex}", pattern)} "{tag.value}";'
        yield "}"
    yield ""
    yield "# Add these lines to each server block, before its own rewrite and break, which would skip them (add_header"
    yield "# has no effect in a location with its own add_header):"
    yield "#"
    yield from (f"#     {line}" for line in _refusal_lines(rules.refusal))
    for tag in rules.tags:
        yield f"#     add_header X-Robots-Tag $canfetch_tag_{tag.number} always;"


def _refusal_lines(refusal: Refusal) -> Iterator[str]:
    # Without a text, an `error_page` of the site would apply, which can be the application.
    if refusal.is_default:
        yield 'if ($canfetch_refused) { return 403 "403 Forbidden"; }'
        return
    # The type of a returned text depends on the extension of the path, and only a location can change that. The text is
    # for crawlers only, so no cache may store it.
    text = (refusal.text or f"{refusal.status} {refusal.phrase}").replace('"', r"\"")
    yield "if ($canfetch_refused) { rewrite ^ /canfetch-refusal last; }"
    yield "location = /canfetch-refusal {"
    yield "    internal;"
    yield "    types { }"
    yield "    default_type 'text/plain; charset=utf-8';"
    yield "    add_header Cache-Control no-store always;"
    yield f'    return {refusal.status} "{text}";'
    yield "}"


def _word(text: str, subject: str) -> str:
    if len(text) > _MAX_WORD_BYTES:
        raise InvalidSitePolicy(
            f"too long for nginx: {quoted(subject)} requires a word of {len(text)} bytes, expected at most "
            f"{_MAX_WORD_BYTES}; shorten it, or use another server"
        )
    return f'"{text}"'
