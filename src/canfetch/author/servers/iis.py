"""IIS: a web.config with rules of the URL Rewrite module. No IIS has run them.

`{UNENCODED_URL}` is the target as sent, including escapes and the query. A rule that refuses has all its conditions: no
earlier intent matches, and no rule before it allows the target. So none of the site's own rules is skipped.

Sources: Microsoft Learn, URL Rewrite module configuration reference 2.0; for the size of the file, "Web.config file
maximum size and count" of the IIS Support Blog.
"""

from collections.abc import Iterator
from itertools import count
from typing import Final
from xml.sax.saxutils import quoteattr

from canfetch.author.refusal import Refusal
from canfetch.author.regexes import atomic_regex
from canfetch.author.servers.rules import (
    COMPARED_AS_SENT,
    NEVER_ALLOWED,
    NOT_ROOTED,
    ORIGIN,
    ROBOTS_TXT,
    ServerIntent,
    ServerRules,
    ServerTag,
    any_of,
)

MAX_WEB_CONFIG_BYTES: Final = 250 * 1024
"""The size of a web.config that IIS reads by default. With a larger one, all requests get status 500.19."""
_SIZE_NOTE: Final = (
    f"  This file has more than {MAX_WEB_CONFIG_BYTES // 1024} KB. By default, IIS does not read such a file,",
    "  and responds to all requests with status 500.19. Use fewer rules, or raise the limit in the Windows registry,",
    r"  MaxWebConfigFileSizeInKB in HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\InetStp\Configuration.",
)
_DIRECTIVES_WITH_VALUE: Final = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")


def iis_rules(rules: ServerRules) -> Iterator[str]:
    """Yield the lines of the web.config for IIS.

    Cost: O(rules of each intent squared).
    """
    lines = list(_web_config(rules))
    if sum(len(line.encode()) + 1 for line in lines) > MAX_WEB_CONFIG_BYTES:
        end = lines.index("-->")
        lines[end:end] = _SIZE_NOTE
    yield from lines


def _web_config(rules: ServerRules) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<!--"
    # A comment in XML must not contain two hyphens.
    yield from (f"  {line.replace('--', '- -')}" for line in rules.comments(COMPARED_AS_SENT))
    yield "  These rules belong in the web.config in the root of the site, before its own rules. They require the URL"
    yield "  Rewrite module 2. They have not been run on IIS: test them before you rely on them."
    yield "-->"
    yield "<configuration>"
    yield "  <system.webServer>"
    yield "    <rewrite>"
    if rules.intents:
        yield "      <rules>"
        action = _action(rules.refusal)
        for number, intent in enumerate(rules.intents):
            if not intent.is_for_browsers:
                yield from _refusals(intent, rules.intents[:number], action)
        yield "      </rules>"
    if rules.tags:
        yield "      <outboundRules>"
        # Without a prefix first: in a joined header, a prefix reaches to the next prefix.
        for tag in sorted(rules.tags, key=_has_prefix):
            yield from _tag_rules(tag)
        yield "      </outboundRules>"
    yield "    </rewrite>"
    yield "  </system.webServer>"
    yield "</configuration>"


def _action(refusal: Refusal) -> str:
    description = quoteattr(refusal.text or refusal.phrase)
    return (
        f'<action type="CustomResponse" statusCode="{refusal.status}" statusReason={quoteattr(refusal.phrase)} '
        f"statusDescription={description} />"
    )


def _refusals(intent: ServerIntent, earlier: tuple[ServerIntent, ...], action: str) -> Iterator[str]:
    headers = [_condition("HTTP_USER_AGENT", intent.user_agent_regex)]
    headers += [_condition("HTTP_USER_AGENT", other.user_agent_regex, negate=True) for other in earlier]
    never = [f"^{NOT_ROOTED}", *(_target(regex) for regex in NEVER_ALLOWED)]
    name = f"canfetch {intent.number}: never allowed"
    yield from _refusal(name, [*headers, *_conditions(f"(?:{'|'.join(never)})", [])], action)
    allowed: list[str] = []
    for number, rule in enumerate(intent.rules, 1):
        target = _target(atomic_regex(rule.regex, count(1)))
        if rule.allow:
            allowed.append(target)
        else:
            name = f"canfetch {intent.number}.{number}: {intent.intent.audience}: {rule}"
            yield from _refusal(name, [*headers, *_conditions(target, allowed)], action)


def _conditions(target: str, allowed: list[str]) -> Iterator[str]:
    yield _condition("UNENCODED_URL", target, ignore_case=False)
    for exception in (_target(ROBOTS_TXT), *allowed):
        yield _condition("UNENCODED_URL", exception, ignore_case=False, negate=True)


def _refusal(name: str, conditions: list[str], action: str) -> Iterator[str]:
    yield f'        <rule name={quoteattr(name)} patternSyntax="ECMAScript" stopProcessing="true">'
    yield '          <match url=".*" />'
    yield '          <conditions logicalGrouping="MatchAll" trackAllCaptures="false">'
    yield from conditions
    yield "          </conditions>"
    yield f"          {action}"
    yield "        </rule>"


def _tag_rules(tag: ServerTag) -> Iterator[str]:
    name = f"canfetch tag {tag.number}: {' '.join(tag.patterns)}"
    groups = count(1)
    regex = any_of(atomic_regex(one, groups) for one in tag.regexes)
    # A header that is already set gets another value. At most one of the two rules applies.
    for case, pattern, value in (("added", "^(.+)$", f"{{R:1}}, {tag.value}"), ("new", "^$", tag.value)):
        yield f'        <rule name={quoteattr(f"{name} ({case})")} patternSyntax="ECMAScript">'
        yield f'          <match serverVariable="RESPONSE_X_Robots_Tag" pattern="{pattern}" />'
        yield '          <conditions logicalGrouping="MatchAll" trackAllCaptures="false">'
        yield _condition("UNENCODED_URL", f"^{ORIGIN}{regex}", ignore_case=False)
        yield "          </conditions>"
        yield f'          <action type="Rewrite" value={quoteattr(value)} />'
        yield "        </rule>"


def _condition(variable: str, pattern: str, *, ignore_case: bool = True, negate: bool = False) -> str:
    options = f' ignoreCase="{str(ignore_case).lower()}"' + (' negate="true"' if negate else "")
    return f'            <add input="{{{variable}}}" pattern={quoteattr(pattern)}{options} />'


def _target(regex: str) -> str:
    return f"^{ORIGIN}{regex}"


def _has_prefix(tag: ServerTag) -> bool:
    prefix, colon, _ = tag.value.partition(":")
    return bool(colon) and "," not in prefix and prefix.strip() not in _DIRECTIVES_WITH_VALUE
