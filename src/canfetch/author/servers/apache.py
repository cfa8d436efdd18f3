"""Apache: rewrite rules for a virtual host or a .htaccess, with mod_rewrite, and with mod_headers for headers.

`%{THE_REQUEST}` is the request line as sent, including escapes and the query. The first rule that matches sets a
variable, which disables the later ones, so that none of the site's own rules is skipped.

In a .htaccess, the same rules run after the path was mapped to a file, and before the site's own rules in that file.

Source: Apache httpd 2.4, mod_rewrite, mod_headers, ap_expr.
"""

from collections.abc import Iterator
from typing import Final

from canfetch.author.refusal import Refusal
from canfetch.author.servers.rules import (
    BEFORE_SERVED_PATH,
    COMPARED_AS_SENT,
    NEVER_ALLOWED,
    NOT_ROOTED,
    ORIGIN,
    ROBOTS_TXT,
    ServerRules,
    any_of,
    check_length,
)

_VIRTUAL_HOST: Final = (
    "These lines belong in a virtual host, before its own rewrite rules. They require mod_rewrite, and",
    "mod_headers for headers.",
)
_HTACCESS: Final = (
    "These lines belong at the top of the file .htaccess in the root of the site. They require mod_rewrite,",
    "mod_headers for headers, and a server with `AllowOverride FileInfo` and `Options FollowSymLinks`.",
    "Rewrite rules in the .htaccess of a subfolder replace these there, unless it has `RewriteOptions InheritBefore`.",
    "If the server has mod_cache, it must have `CacheQuickHandler Off`.",
)
# With the value of the header. Apache reads regexes of up to 8,191 bytes, and in a .htaccess lines of up to 8,190.
_MAX_REGEX_BYTES: Final = 8_000
_IS_REFUSED: Final = "RewriteCond %{ENV:CANFETCH_VERDICT} =refuse"
_METHOD: Final = r"^[^\x20]+\x20+"
_BEFORE_PATH: Final = f"{_METHOD}{ORIGIN}"


def apache_rules(rules: ServerRules) -> Iterator[str]:
    """Yield the lines of the configuration for a virtual host of Apache.

    Raises: InvalidSitePolicy: A `[[page]]` table has too many paths for one regex.
    Cost: O(bytes of the output).
    """
    yield from _lines(rules, _VIRTUAL_HOST)
    if rules.intents:
        yield "# By default, a cache responds before these rules, with a page that a browser has requested."
        yield "<IfModule cache_module>"
        yield "CacheQuickHandler Off"
        yield "</IfModule>"


def htaccess_rules(rules: ServerRules) -> Iterator[str]:
    """Yield the lines of the configuration for the .htaccess in the root of a site.

    Raises: InvalidSitePolicy: As for `apache_rules`.
    Cost: O(bytes of the output).
    """
    return _lines(rules, _HTACCESS)


def _lines(rules: ServerRules, place: tuple[str, ...]) -> Iterator[str]:
    yield from (f"# {line}" for line in rules.comments(COMPARED_AS_SENT))
    yield "#"
    yield from (f"# {line}" for line in place)
    yield ""
    if rules.intents:
        yield "RewriteEngine On"
        yield "# The rules of another policy may have set them, such as those of the virtual host."
        yield "RewriteRule ^ - [E=!CANFETCH_INTENT,E=!CANFETCH_VERDICT]"
    for intent in rules.intents:
        yield f"# {intent.summary}"
        yield "RewriteCond %{ENV:CANFETCH_INTENT} ^$"
        yield f'RewriteCond %{{HTTP_USER_AGENT}} "{intent.user_agent_regex}" [NC]'
        yield f"RewriteRule ^ - [E=CANFETCH_INTENT:{intent.number}]"
    if rules.intents:
        yield "# Always allowed, and never allowed."
        yield from _deciding(f"{_BEFORE_PATH}{_in_request(ROBOTS_TXT)}", "[1-9]", allow=True)
        yield from _deciding(f"{_METHOD}{_in_request(NOT_ROOTED)}", "[1-9]", allow=False)
        for never in NEVER_ALLOWED:
            yield from _deciding(f"{_BEFORE_PATH}{_in_request(never)}", "[1-9]", allow=False)
    for intent in rules.intents:
        for rule in intent.rules:
            yield f"# {intent.rule_summary(rule)}"
            regex = f"{_BEFORE_PATH}{_in_request(rule.atomic_regex)}"
            yield from _deciding(regex, f"^{intent.number}$", allow=rule.allow)
    if rules.intents:
        # These rules also apply to an `ErrorDocument`, which often is the application.
        yield "# Error pages are served if they end in .html, .htm, .shtml, .txt or .var, without other rewrite rules."
        yield _IS_REFUSED
        yield r'RewriteCond "%{ENV:REDIRECT_STATUS} %{REQUEST_URI}" "^[45][^.]*\.(?:[^/]*\.)?(?:s?html?|txt|var)$"'
        yield "RewriteRule ^ - [L]"
        yield from _refusal_lines(rules.refusal)
    for tag in rules.tags:
        yield f"# {tag.summary}"
        regex = f"{_METHOD}{BEFORE_SERVED_PATH}{_in_request(any_of(tag.atomic_regexes))}".replace("/", r"\x2F")
        check_length(regex, _MAX_REGEX_BYTES - len(tag.value), server="Apache", tag=tag)
        yield f'Header always add X-Robots-Tag "{tag.value}" "expr=%{{THE_REQUEST}} =~ /{regex}/"'


def _refusal_lines(refusal: Refusal) -> Iterator[str]:
    if not refusal.is_default:
        yield _IS_REFUSED
        yield f"RewriteRule ^ - [R={refusal.status}]"
    # Apache ignores `R` in subrequests, such as that of a `FallbackResource`.
    yield _IS_REFUSED
    yield "RewriteRule ^ - [F]"
    if refusal.is_default:
        return
    # The text is for crawlers only, so no cache may store it.
    yield "Header always set Cache-Control no-store \"expr=%{ENV:CANFETCH_VERDICT} == 'refuse'\""
    if refusal.text is not None:
        yield f"# All responses of the site with the status {refusal.status} have this text, as HTML."
        yield f'ErrorDocument {refusal.status} "{_as_html(refusal.text)}"'


def _as_html(text: str) -> str:
    """Return a text without characters that are special in HTML, in quotes, or in Apache's expressions."""
    return "".join(
        character if character.isascii() and character not in "&\"'%" else f"&#{ord(character)};" for character in text
    )


def _deciding(regex: str, intents: str, *, allow: bool) -> Iterator[str]:
    yield "RewriteCond %{ENV:CANFETCH_VERDICT} ^$"
    yield f"RewriteCond %{{ENV:CANFETCH_INTENT}} {intents}"
    # A regex that fails matches nothing, so that no request passes by its failure.
    yield f'RewriteCond %{{THE_REQUEST}} "{regex if allow else f"!^(?!{regex})"}"'
    yield f"RewriteRule ^ - [E=CANFETCH_VERDICT:{'pass' if allow else 'refuse'}]"


def _in_request(regex: str) -> str:
    # The target ends at the space before the protocol, and contains no spaces itself.
    return regex.replace(".*", r"[^\x20]*").replace("|$)", r"|\x20)").replace("$", r"\x20")
