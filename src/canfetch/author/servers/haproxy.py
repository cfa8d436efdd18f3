"""HAProxy: rules for a frontend; in single quotes nothing has a meaning.

`pathq` is the target as it was sent. The first rule that matches sets a variable, and the others see that it is
set: no rule of the site's own is skipped.

Source: HAProxy 2.6, configuration manual, sections 2.2, 4.2 and 7.
"""

from collections.abc import Iterator

from canfetch.author.servers.rules import COMPARED_AS_SENT, DOT_SEGMENTS, FRAGMENT, ROBOTS_TXT, ServerRules, verb


def haproxy_rules(rules: ServerRules) -> str:
    """Write the rules of HAProxy.

    Cost: O(octets of the output).
    """
    return "".join(f"{line}\n" for line in _lines(rules))


def _lines(rules: ServerRules) -> Iterator[str]:
    yield from (f"# {line}" for line in rules.comments(COMPARED_AS_SENT))
    yield "#"
    yield "# These lines belong into a frontend of mode http."
    yield ""
    if rules.tags:
        # A response knows no target any more, and one that is refused has one, too.
        yield "    http-request set-var(txn.canfetch_target) pathq"
    for intent in rules.intents:
        yield f"    # {intent.summary}"
        yield (
            f"    http-request set-var(txn.canfetch_who) int({intent.number})"
            " if !{ var(txn.canfetch_who) -m found }"
            f" {{ req.fhdr(User-Agent) -m reg -i '{intent.user_agent_regex}' }}"
        )
    if rules.intents:
        yield "    # Always served, and never served."
        yield _deciding(ROBOTS_TXT, "-m found", allow=True)
        for never in (DOT_SEGMENTS, FRAGMENT):
            yield _deciding(never, "-m found", allow=False)
        # Of a whole URL without a path there is no sample.
        yield (
            "    http-request set-var(txn.canfetch_verdict) str(refuse)"
            " if { var(txn.canfetch_who) -m found } !{ pathq -m found }"
        )
    for intent in rules.intents:
        for rule in intent.rules:
            yield f"    # {intent.intent.audience}: {verb(allow=rule.allow)} {rule.pattern}"
            yield _deciding(rule.expression, f"-m int {intent.number}", allow=rule.allow)
    if rules.intents:
        yield "    http-request deny deny_status 403 if { var(txn.canfetch_verdict) -m str refuse }"
    for tag in rules.tags:
        yield f"    # {' '.join(tag.patterns)}"
        yield (
            f"    http-after-response add-header X-Robots-Tag '{tag.value}'"
            f" if {{ var(txn.canfetch_target) -m reg '^{tag.expression}' }}"
        )


def _deciding(expression: str, who: str, *, allow: bool) -> str:
    return (
        f"    http-request set-var(txn.canfetch_verdict) str({'pass' if allow else 'refuse'})"
        " if !{ var(txn.canfetch_verdict) -m found }"
        f" {{ var(txn.canfetch_who) {who} }} {{ pathq -m reg '^{expression}' }}"
    )
