"""The tables of a site policy. Every error names the key, the value, and the expected values.

A policy has these tables itself, and so has each of its environments.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from canfetch.agents.crawler import Purpose
from canfetch.agents.registry import REGISTRY
from canfetch.author.draft import MIN_CRAWL_DELAY, is_delay
from canfetch.author.ordering import DraftRule
from canfetch.author.preferences import Preferences, parse_preferences
from canfetch.author.refusal import Refusal
from canfetch.author.site_policy import Audience, Intent, PageIntent, SitePolicy
from canfetch.author.validation import (
    literal_path,
    validate_comment,
    validate_pattern,
    validate_rule_pattern,
    validate_token,
    validate_url,
)
from canfetch.core.choices import unknown_choice
from canfetch.core.escapes import canonical
from canfetch.core.quoting import quoted
from canfetch.core.text import encode_text
from canfetch.errors import InvalidDraft, InvalidOption, InvalidSitePolicy
from canfetch.pages.directive_lists import parse_directives
from canfetch.pages.directives import DirectiveNote
from canfetch.pages.positions import PagePosition, PageSource
from canfetch.pages.vocabulary import KNOWN

# The characters of page-level rules: enough for all dates and values, and without a special meaning for any server.
_PAGE_RULE_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,:+_./-")
POLICY_KEYS: Final = ("comments", "sitemaps", "licenses", "everyone", "purpose", "crawler", "page", "refusal")
_RULE_KEYS: Final = tuple(f"{verb}{what}" for verb in ("allow", "disallow") for what in ("", "_pages", "_file_types"))
_INTENT: Final = ("fetch", *_RULE_KEYS, "usage", "crawl_delay", "licenses")
_EVERYONE: Final = (*_INTENT, "include_star_ignorers")
_PAGE: Final = ("paths", "rules", "crawler")
_REFUSAL: Final = ("status", "text")
_PURPOSES: Final = get_args(Purpose)
_FETCH: Final = {"all": True, "none": False}


def parse_tables(table: Mapping[str, Any], prefix: str = "") -> SitePolicy:
    """Return the policy of some tables.

    The keys `usage`, `crawl_delay` and `licenses` of a table override those of `everyone` one by one. The rules of a
    table apply alone.

    Args:
        table: The keys `POLICY_KEYS`.
        prefix: What precedes each key in messages.
    Raises: InvalidSitePolicy: A key is unknown, or a value is invalid.
    """
    everyone = _parse_intent(table.get("everyone", {}), Audience("everyone"), f"{prefix}everyone", None)
    include_star_ignorers = table.get("everyone", {}).get("include_star_ignorers", False)
    if not isinstance(include_star_ignorers, bool):
        raise invalid_value(f"{prefix}everyone.include_star_ignorers", include_star_ignorers, "true or false")
    policy = SitePolicy(
        everyone=everyone,
        purposes=tuple(_parse_intents(table, prefix, "purpose", everyone)),
        crawlers=tuple(_parse_intents(table, prefix, "crawler", everyone)),
        pages=tuple(_parse_pages(table.get("page", []), prefix)),
        sitemaps=tuple(_validated(table, "sitemaps", f"{prefix}sitemaps", lambda url: validate_url(url, "sitemap"))),
        licenses=tuple(_validated(table, "licenses", f"{prefix}licenses", lambda url: validate_url(url, "license"))),
        comments=tuple(_validated(table, "comments", f"{prefix}comments", validate_comment)),
        include_star_ignorers=include_star_ignorers,
        refusal=_parse_refusal(table.get("refusal", {}), f"{prefix}refusal"),
    )
    _check_duplicates(policy, prefix)
    return policy


def _parse_intents(table: Mapping[str, Any], prefix: str, kind: Any, everyone: Intent) -> Iterator[Intent]:
    for name, value in check_table(table.get(kind, {}), f"{prefix}{kind}").items():
        key = f"{prefix}{kind}.{name}"
        if kind == "purpose":
            if name not in _PURPOSES:
                raise fault(key, unknown_choice("purpose", name, _PURPOSES))
            canonical_name = name
        else:
            canonical_name = crawler_name(name, key)
        yield _parse_intent(value, Audience(kind, canonical_name), key, everyone)


def _parse_intent(value: Any, audience: Audience, key: str, everyone: Intent | None) -> Intent:
    table = check_table(value, key)
    check_keys(table, _INTENT if everyone else _EVERYONE, key)
    fetch = table.get("fetch", "all")
    if not isinstance(fetch, str) or fetch not in _FETCH:
        raise invalid_value(f"{key}.fetch", fetch, "'all' or 'none'")
    rules: dict[str, DraftRule] = {}
    for name in _RULE_KEYS:
        for rule in _parse_rules(table, name, f"{key}.{name}"):
            if rules.setdefault(rule.pattern, rule).allow != rule.allow:
                raise fault(key, f"{quoted(rule.pattern)} is both allowed and disallowed: remove one")
    if rules and all(rule.allow is _FETCH[fetch] for rule in rules.values()):
        other = "allow" if fetch == "none" else "disallow"
        raise fault(
            key, f"with fetch = {quoted(fetch)}, these rules change nothing: add {other} rules, or change fetch"
        )
    delay = table.get("crawl_delay")
    if delay is not None and not is_delay(delay) and (isinstance(delay, bool) or delay != 0):
        raise invalid_value(f"{key}.crawl_delay", delay, f"a number of seconds from {MIN_CRAWL_DELAY} to 86400, or 0")
    licenses = tuple(_validated(table, "licenses", f"{key}.licenses", lambda url: validate_url(url, "license")))
    usage = _parse_usage(table.get("usage"), f"{key}.usage")
    if everyone is not None:
        delay = everyone.crawl_delay if delay is None else delay
        licenses = licenses or everyone.licenses
        usage = {**(everyone.usage or {}), **(usage or {})} or None
    return Intent(audience, _FETCH[fetch], tuple(rules.values()), delay, usage, licenses)


def _parse_rules(table: Mapping[str, Any], name: str, key: str) -> Iterator[DraftRule]:
    allow = name.startswith("allow")
    for text in check_strings(table.get(name, []), key):
        try:
            for pattern in _parse_patterns(text, name):
                yield DraftRule(allow, pattern)
        except InvalidDraft as error:
            raise fault(key, str(error)) from None


def _parse_patterns(text: str, name: str) -> tuple[str, ...]:
    if name.endswith("_file_types"):
        ending = text.removeprefix(".")
        if not ending.replace(".", "").isalnum() or not ending.isascii() or ending.endswith("."):
            raise InvalidDraft(f"invalid file type {quoted(text)}: expected letters and digits, such as 'gif'")
        return (f"/*.{ending}$",)
    if name.endswith("_pages"):
        if set("*$?#") & set(text):
            raise InvalidDraft(
                f"invalid page path {quoted(text)}: expected a path without a query and without '*', '$' and '#', "
                "which not all crawlers interpret in the same way"
            )
        path = literal_path(text)
        # The page itself, and the page with a query.
        return validate_rule_pattern(f"{path}$"), validate_rule_pattern(f"{path}?")
    return (_parse_rule_pattern(text),)


def _parse_rule_pattern(text: str) -> str:
    pattern = _normalize_pattern(text)
    if pattern == "/" or (pattern.startswith("/*") and not pattern.strip("/*$")):
        raise InvalidDraft(f"invalid pattern {quoted(text)}: to match everything, use fetch = 'all' or fetch = 'none'")
    return validate_rule_pattern(pattern)


def _normalize_pattern(text: str) -> str:
    if text.startswith("*"):
        raise InvalidDraft(
            f"invalid pattern {quoted(text)}: not all crawlers support a leading '*'; write {quoted('/' + text)}"
        )
    if "#" in text:
        # Raises an error with the reason.
        validate_pattern(text)
    return validate_pattern(canonical(encode_text(text)).decode("ascii"))


def _parse_usage(value: Any, key: str) -> Preferences | None:
    if value is None:
        return None
    try:
        return parse_preferences(check_table(value, key))
    except InvalidDraft as error:
        raise fault(key, str(error)) from None


def _parse_pages(value: Any, prefix: str) -> Iterator[PageIntent]:
    if not isinstance(value, list):
        raise invalid_value(f"{prefix}page", value, f"[[{prefix}page]] tables")
    for number, table in enumerate(value, 1):
        key = f"{prefix}page {number}"
        check_keys(check_table(table, key), _PAGE, key)
        patterns = tuple(_validated(table, "paths", f"{key}.paths", _normalize_pattern))
        rules = tuple(check_strings(table.get("rules", []), f"{key}.rules"))
        if not patterns or not rules:
            raise fault(key, "expected paths and rules, such as paths = ['/drafts/'] and rules = ['noindex']")
        crawler = table.get("crawler")
        if crawler is not None:
            crawler = crawler_name(crawler, f"{key}.crawler")
        page = PageIntent(patterns, rules, crawler)
        try:
            _validate_page_rules(page)
        except InvalidDraft as error:
            raise fault(f"{key}.rules", str(error)) from None
        yield page


def _parse_refusal(value: Any, key: str) -> Refusal:
    table = check_table(value, key)
    check_keys(table, _REFUSAL, key)
    try:
        return Refusal(**table)
    except InvalidOption as error:
        raise fault(key, str(error)) from None


def crawler_name(name: Any, key: str) -> str:
    """Return the name of a crawler as the registry spells it.

    Raises: InvalidSitePolicy: It is not a product token.
    """
    if not isinstance(name, str):
        raise invalid_value(key, name, "a product token, such as 'Googlebot'")
    try:
        validate_token(name)
    except InvalidDraft as error:
        raise fault(key, str(error)) from None
    if name == "*":
        raise fault(key, "expected the name of one crawler; use [everyone] for all crawlers")
    known = REGISTRY.get_crawler(name)
    return name if known is None else known.name


def _check_duplicates(policy: SitePolicy, prefix: str) -> None:
    seen: set[str] = set()
    for url in policy.sitemaps:
        if url in seen:
            raise fault(f"{prefix}sitemaps", f"duplicate URL {quoted(url)}")
        seen.add(url)
    seen.clear()
    for intent in policy.crawlers:
        folded = intent.audience.name.lower()
        if folded in seen:
            raise fault(f"{prefix}{intent.audience}", "duplicate table, in another spelling of the name")
        seen.add(folded)


def _validated(table: Mapping[str, Any], name: str, key: str, check: Any) -> Iterator[str]:
    for text in check_strings(table.get(name, []), key):
        try:
            yield check(text)
        except InvalidDraft as error:
            raise fault(key, str(error)) from None


def check_strings(value: Any, key: str) -> list[str]:
    """Return a value if it is a list of strings.

    Raises: InvalidSitePolicy.
    """
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise invalid_value(key, value, "a list of strings, such as ['/private/']")
    return value


def check_table(value: Any, key: str) -> dict[str, Any]:
    """Return a value if it is a table.

    Raises: InvalidSitePolicy.
    """
    if not isinstance(value, dict):
        raise invalid_value(key, value, "a table")
    return value


def check_keys(table: Mapping[str, Any], allowed: tuple[str, ...], key: str) -> None:
    """Check that a table has only known keys.

    Raises: InvalidSitePolicy.
    """
    for name in table:
        if name not in allowed:
            raise fault(key, unknown_choice("key", name, allowed), at=f"{key}.{name}" if key else name)


def fault(key: str, message: str, *, at: str | None = None) -> InvalidSitePolicy:
    """Return the error for a key.

    Args: at: The key whose line is at fault, if it is another one.
    """
    return InvalidSitePolicy(f"{key}: {message}" if key else message, key=key if at is None else at)


def invalid_value(key: str, value: Any, expected: str) -> InvalidSitePolicy:
    """Return the error for the value of a key."""
    return InvalidSitePolicy(f"invalid {key} {quoted(value)}: expected {expected}", key=key)


def _validate_page_rules(page: PageIntent) -> None:
    """Check that page-level rules parse back to themselves, alone and combined in one header.

    Raises: InvalidDraft: A directive is unknown, a value is invalid, or two rules interfere with each other.
    """
    position = PagePosition(PageSource.X_ROBOTS_TAG, 1)
    for rule in page.rules:
        name, colon, value = (part.strip() for part in rule.partition(":"))
        if name.lower() not in KNOWN:
            raise InvalidDraft(unknown_choice("page-level rule", name, sorted(KNOWN)))
        if not _PAGE_RULE_CHARACTERS.issuperset(rule):
            raise InvalidDraft(
                f"invalid page-level rule {quoted(rule)}: expected only ASCII letters, digits, spaces and ',:+_./-'"
            )
        found = list(parse_directives(rule, position, agents_inside=True))
        if len(found) != 1 or found[0].notes != DirectiveNote.NONE or (colon and found[0].value != value):
            raise InvalidDraft(f"invalid page-level rule {quoted(rule)}: expected one directive with a valid value")
    agent = None if page.crawler is None else page.crawler.lower()
    together = list(parse_directives(page.value, position, agents_inside=True))
    alone = [next(parse_directives(rule, position, agents_inside=True)) for rule in page.rules]
    if [(one.agent, one.name, one.value) for one in together] != [(agent, one.name, one.value) for one in alone]:
        raise InvalidDraft(
            f"ambiguous X-Robots-Tag header {quoted(page.value)}: use one [[page]] table for each rule, "
            "and a crawler whose name is not a directive"
        )
