"""HAProxy: rules for a frontend.

`pathq` is the target as sent. The first rule that matches sets a variable, which disables the later ones, so that
none of the site's own rules is skipped. In single quotes, no character has a special meaning.

Source: HAProxy 2.6, configuration manual, sections 2.2, 4.2 and 7.
"""

from collections.abc import Iterator
from typing import Final

from canfetch.author.refusal import Refusal
from canfetch.author.servers.rules import COMPARED_AS_SENT, NEVER_ALLOWED, ROBOTS_TXT, ServerRules, any_of, check_length

# The library of HAProxy compiles regexes to at most 64 KiB.
_MAX_REGEX_BYTES: Final = 16_000

# Rules of another policy may have set them.
_UNSET: Final = tuple(f"    http-request unset-var(txn.canfetch_{name})" for name in ("intent", "verdict"))


def haproxy_rules(rules: ServerRules) -> Iterator[str]:
    """Yield the lines of the configuration for HAProxy.

    Raises: InvalidSitePolicy: A `[[page]]` table has too many paths for one regex.
    Cost: O(bytes of the output).
    """
    yield from (f"# {line}" for line in rules.comments(COMPARED_AS_SENT))
    yield "#"
    yield "# These lines belong in a frontend with mode http, before its own http-request rules."
    yield ""
    yield from _UNSET if rules.intents else ()
    if rules.tags:
        # Responses have no target, so it is saved first, for refused requests, too.
        yield "    http-request set-var(txn.canfetch_target) pathq"
    for intent in rules.intents:
        yield f"    # {intent.summary}"
        yield (
            f"    http-request set-var(txn.canfetch_intent) int({intent.number})"
            " if !{ var(txn.canfetch_intent) -m found }"
            f" {{ req.fhdr(User-Agent) -m reg -i '{intent.user_agent_regex}' }}"
            # The regex is tried on each of several fields, and another one may name a crawler.
            f"{' { req.fhdr_cnt(User-Agent) 1 }' if intent.is_for_browsers else ''}"
        )
    if any(intent.is_for_browsers for intent in rules.intents):
        # The variable is only found for crawlers.
        yield "    http-request unset-var(txn.canfetch_intent) if { var(txn.canfetch_intent) -m int 0 }"
    if rules.intents:
        yield "    # Always allowed, and never allowed."
        yield _deciding(ROBOTS_TXT, "-m found", allow=True)
        for never in NEVER_ALLOWED:
            yield _deciding(never, "-m found", allow=False)
    for intent in rules.intents:
        for rule in intent.rules:
            yield f"    # {intent.rule_summary(rule)}"
            yield _deciding(rule.atomic_regex, f"-m int {intent.number}", allow=rule.allow)
    if rules.intents:
        yield f"    {_refuse(rules.refusal)} if {{ var(txn.canfetch_verdict) -m str refuse }}"
    for tag in rules.tags:
        yield f"    # {tag.summary}"
        regex = check_length(any_of(tag.atomic_regexes), _MAX_REGEX_BYTES, server="HAProxy", tag=tag)
        yield (
            f"    http-after-response add-header X-Robots-Tag '{tag.value}'"
            f" if {{ var(txn.canfetch_target) -m reg '^{regex}' }}"
        )


def _refuse(refusal: Refusal) -> str:
    if refusal.is_default:
        return "http-request deny deny_status 403"
    # In single quotes, nothing can be escaped. The text is for crawlers only, so no cache may store it.
    text = (refusal.text or f"{refusal.status} {refusal.phrase}").replace("'", r"'\''")
    return (
        f"http-request return status {refusal.status} content-type 'text/plain; charset=utf-8' string '{text}'"
        " hdr Cache-Control no-store"
    )


def _deciding(regex: str, intents: str, *, allow: bool) -> str:
    # A regex that fails matches nothing, and an absolute URL without a path has no pathq: both must be refused.
    condition = f"{{ pathq -m reg '^{regex}' }}" if allow else f"!{{ pathq -m reg '^(?!{regex})' }}"
    return (
        f"    http-request set-var(txn.canfetch_verdict) str({'pass' if allow else 'refuse'})"
        " if !{ var(txn.canfetch_verdict) -m found }"
        f" {{ var(txn.canfetch_intent) {intents} }} {condition}"
    )
