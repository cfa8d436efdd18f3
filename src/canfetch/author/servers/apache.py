"""Apache: rewrite rules for a virtual host; mod_rewrite, and mod_headers for X-Robots-Tag.

`%{THE_REQUEST}` is the request line as it was sent, so that escapes and the query are seen. The first rule that
matches sets a variable, and the others see that it is set: no rule of the site's own is skipped.

Source: Apache httpd 2.4, mod_rewrite, mod_headers, ap_expr.
"""

from collections.abc import Iterator
from typing import Final

from canfetch.author.servers.rules import COMPARED_AS_SENT, NEVER_SENT, ROBOTS_TXT, ServerRules, verb

# A proxy's client sends the whole URL.
_METHOD: Final = r"^[^\x20]+\x20+(?:[A-Za-z][A-Za-z0-9+.-]*://[^/?\x20]*)?"


def apache_rules(rules: ServerRules) -> str:
    """Write the rules of Apache.

    Cost: O(octets of the output).
    """
    return "".join(f"{line}\n" for line in _lines(rules))


def _lines(rules: ServerRules) -> Iterator[str]:
    yield from (f"# {line}" for line in rules.comments(COMPARED_AS_SENT))
    yield "#"
    yield "# These lines belong into a virtual host, before its own rewrite rules; mod_rewrite does the refusing, and"
    yield "# mod_headers the headers."
    yield ""
    if rules.intents:
        yield "RewriteEngine On"
    for intent in rules.intents:
        yield f"# {intent.summary}"
        yield "RewriteCond %{ENV:CANFETCH_WHO} ^$"
        yield f'RewriteCond %{{HTTP_USER_AGENT}} "{intent.user_agent_regex}" [NC]'
        yield f"RewriteRule ^ - [E=CANFETCH_WHO:{intent.number}]"
    if rules.intents:
        yield "# Always served, and never served."
        yield from _deciding(f'"{_METHOD}{_in_request(ROBOTS_TXT)}"', "[1-9]", allow=True)
        for never in NEVER_SENT:
            yield from _deciding(f'"{_METHOD}{_in_request(never)}"', "[1-9]", allow=False)
    for intent in rules.intents:
        for rule in intent.rules:
            yield f"# {intent.intent.audience}: {verb(allow=rule.allow)} {rule.pattern}"
            expression = f'"{_METHOD}{_in_request(rule.expression)}"'
            yield from _deciding(expression, f"^{intent.number}$", allow=rule.allow)
    if rules.intents:
        yield "# The page of an error may be served."
        yield "RewriteCond %{ENV:REDIRECT_STATUS} ^$"
        yield "RewriteCond %{ENV:CANFETCH_VERDICT} =refuse"
        yield "RewriteRule ^ - [F]"
    for tag in rules.tags:
        yield f"# {' '.join(tag.patterns)}"
        expression = f"{_METHOD}{_in_request(tag.expression)}".replace("/", r"\x2F")
        yield f'Header always add X-Robots-Tag "{tag.value}" "expr=%{{THE_REQUEST}} =~ /{expression}/"'


def _deciding(expression: str, who: str, *, allow: bool) -> Iterator[str]:
    yield "RewriteCond %{ENV:CANFETCH_VERDICT} ^$"
    yield f"RewriteCond %{{ENV:CANFETCH_WHO}} {who}"
    yield f"RewriteCond %{{THE_REQUEST}} {expression}"
    yield f"RewriteRule ^ - [E=CANFETCH_VERDICT:{'pass' if allow else 'refuse'}]"


def _in_request(expression: str) -> str:
    # The target's end is the space in front of the protocol, which no octet of a target is.
    return expression.replace(".*", r"[^\x20]*").replace("|$)", r"|\x20)").replace("$", r"\x20")
