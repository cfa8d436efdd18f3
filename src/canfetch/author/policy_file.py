"""A site's policy in TOML, read with exact errors: which key, what is wrong, what is allowed.

comments = ["Ask press@example.com."]
sitemaps = ["https://www.example.com/sitemap.xml"]
licenses = ["https://www.example.com/license.xml"]

[everyone]
fetch = "all"                       # or "none": what no line below says otherwise
disallow = ["/private/"]
allow = ["/private/press/"]
usage = { training = false, search = true }

[purpose.training]
fetch = "none"

[crawler.Googlebot-Image]
disallow_file_types = ["gif"]

[[page]]
paths = ["/drafts/"]
rules = ["noindex", "noarchive"]
"""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args

from canfetch.agents.crawler import Purpose
from canfetch.agents.registry import REGISTRY
from canfetch.author.draft import MIN_CRAWL_DELAY, is_delay
from canfetch.author.ordering import DraftRule
from canfetch.author.page_validation import validate_page_rules
from canfetch.author.preferences import Preferences, parse_preferences
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
from canfetch.errors import InvalidDraft, InvalidSitePolicy

_TOP: Final = ("comments", "sitemaps", "licenses", "everyone", "purpose", "crawler", "page")
_RULE_KEYS: Final = tuple(f"{verb}{what}" for verb in ("allow", "disallow") for what in ("", "_pages", "_file_types"))
_INTENT: Final = ("fetch", *_RULE_KEYS, "usage", "crawl_delay", "licenses")
_EVERYONE: Final = (*_INTENT, "include_star_ignorers")
_PAGE: Final = ("paths", "rules", "crawler")
_PURPOSES: Final = get_args(Purpose)
_FETCH: Final = {"all": True, "none": False}


def parse_policy(toml: str) -> SitePolicy:
    """Read a site's policy.

    What an audience says of `usage`, `crawl_delay` and `licenses` stands in place of what everyone's table
    says, key by key; what it may fetch is its own table's alone.

    Args: toml: the text of a policy file.
    Raises: InvalidSitePolicy: it is no TOML, a key is unknown, or a value cannot be meant; the message names the key.
    Cost: O(characters).
    """
    try:
        table = tomllib.loads(toml)
    except tomllib.TOMLDecodeError as error:
        raise InvalidSitePolicy(f"the policy is no TOML: {error}") from None
    _check_keys(table, _TOP, "")
    everyone = _intent(table.get("everyone", {}), Audience("everyone"), "everyone", None)
    given = table.get("everyone", {}).get("include_star_ignorers", False)
    if not isinstance(given, bool):
        raise _wrong("everyone.include_star_ignorers", given, "true or false")
    policy = SitePolicy(
        everyone=everyone,
        purposes=tuple(_intents(table, "purpose", everyone)),
        crawlers=tuple(_intents(table, "crawler", everyone)),
        pages=tuple(_pages(table.get("page", []))),
        sitemaps=tuple(_checked(table, "sitemaps", "sitemaps", lambda url: validate_url(url, "sitemap"))),
        licenses=tuple(_checked(table, "licenses", "licenses", lambda url: validate_url(url, "license"))),
        comments=tuple(_checked(table, "comments", "comments", validate_comment)),
        include_star_ignorers=given,
    )
    _refuse_doubles(policy)
    return policy


def _intents(table: Mapping[str, Any], kind: Any, everyone: Intent) -> Iterator[Intent]:
    for name, value in _table(table.get(kind, {}), kind).items():
        key = f"{kind}.{name}"
        if kind == "purpose":
            if name not in _PURPOSES:
                raise InvalidSitePolicy(f"{key}: {unknown_choice('purpose', name, _PURPOSES)}")
            spelt = name
        else:
            spelt = _crawler_name(name, key)
        yield _intent(value, Audience(kind, spelt), key, everyone)


def _intent(value: Any, audience: Audience, key: str, everyone: Intent | None) -> Intent:
    table = _table(value, key)
    _check_keys(table, _INTENT if everyone else _EVERYONE, key)
    fetch = table.get("fetch", "all")
    if not isinstance(fetch, str) or fetch not in _FETCH:
        raise _wrong(f"{key}.fetch", fetch, "'all' or 'none'")
    rules: dict[str, DraftRule] = {}
    for name in _RULE_KEYS:
        for rule in _rules(table, name, f"{key}.{name}"):
            if rules.setdefault(rule.pattern, rule).allow != rule.allow:
                raise InvalidSitePolicy(f"{key}: {quoted(rule.pattern)} is both allowed and disallowed: keep one")
    if rules and all(rule.allow is _FETCH[fetch] for rule in rules.values()):
        other = "allow" if fetch == "none" else "disallow"
        raise InvalidSitePolicy(
            f"{key}: fetch = {quoted(fetch)} and what is given beside it say the same: give {other} keys, "
            "or the other fetch"
        )
    delay = table.get("crawl_delay")
    if delay is not None and not is_delay(delay) and (isinstance(delay, bool) or delay != 0):
        raise _wrong(f"{key}.crawl_delay", delay, f"a number from {MIN_CRAWL_DELAY} to 86400, or 0")
    licenses = tuple(_checked(table, "licenses", f"{key}.licenses", lambda url: validate_url(url, "license")))
    usage = _usage(table.get("usage"), f"{key}.usage")
    if everyone is not None:
        delay = everyone.crawl_delay if delay is None else delay
        licenses = licenses or everyone.licenses
        usage = {**(everyone.usage or {}), **(usage or {})} or None
    return Intent(audience, _FETCH[fetch], tuple(rules.values()), delay, usage, licenses)


def _rules(table: Mapping[str, Any], name: str, key: str) -> Iterator[DraftRule]:
    allow = name.startswith("allow")
    for text in _texts(table.get(name, []), key):
        try:
            for pattern in _patterns(text, name):
                yield DraftRule(allow, pattern)
        except InvalidDraft as error:
            raise InvalidSitePolicy(f"{key}: {error}") from None


def _patterns(text: str, name: str) -> tuple[str, ...]:
    if name.endswith("_file_types"):
        ending = text.removeprefix(".")
        if not ending.replace(".", "").isalnum() or not ending.isascii() or ending.endswith("."):
            raise InvalidDraft(f"{quoted(text)} is no file type: give letters and digits, such as 'gif'")
        return (f"/*.{ending}$",)
    if name.endswith("_pages"):
        if set("*$?#") & set(text):
            raise InvalidDraft(
                f"{quoted(text)} is no page's path: leave out its query; what has '*', '$' or '#' in it is read in "
                "two ways by crawlers: give a pattern without it under allow or disallow"
            )
        path = literal_path(text)
        # The page itself, and the page with a query.
        return validate_rule_pattern(f"{path}$"), validate_rule_pattern(f"{path}?")
    return (_rule_pattern(text),)


def _rule_pattern(text: str) -> str:
    pattern = _pattern(text)
    if pattern == "/" or (pattern.startswith("/*") and not pattern.strip("/*$")):
        raise InvalidDraft(f"{quoted(text)} is everything: say fetch = 'all' or fetch = 'none'")
    return validate_rule_pattern(pattern)


def _pattern(text: str) -> str:
    if text.startswith("*"):
        raise InvalidDraft(
            f"pattern {quoted(text)} begins with '*', which not all crawlers read: write {quoted('/' + text)}"
        )
    if "#" in text:
        # It says what is wrong.
        validate_pattern(text)
    return validate_pattern(canonical(encode_text(text)).decode("ascii"))


def _usage(value: Any, key: str) -> Preferences | None:
    if value is None:
        return None
    try:
        return parse_preferences(_table(value, key))
    except InvalidDraft as error:
        raise InvalidSitePolicy(f"{key}: {error}") from None


def _pages(value: Any) -> Iterator[PageIntent]:
    if not isinstance(value, list):
        raise _wrong("page", value, "tables, each begun by [[page]]")
    for number, table in enumerate(value, 1):
        key = f"page {number}"
        _check_keys(_table(table, key), _PAGE, key)
        patterns = tuple(_checked(table, "paths", f"{key}.paths", _pattern))
        rules = tuple(_texts(table.get("rules", []), f"{key}.rules"))
        if not patterns or not rules:
            raise InvalidSitePolicy(
                f"{key}: give paths and rules, such as paths = ['/drafts/'] and rules = ['noindex']"
            )
        crawler = table.get("crawler")
        if crawler is not None:
            crawler = _crawler_name(crawler, f"{key}.crawler")
        page = PageIntent(patterns, rules, crawler)
        try:
            validate_page_rules(page)
        except InvalidDraft as error:
            raise InvalidSitePolicy(f"{key}.rules: {error}") from None
        yield page


def _crawler_name(name: Any, key: str) -> str:
    if not isinstance(name, str):
        raise _wrong(key, name, "a product token, such as 'Googlebot'")
    try:
        validate_token(name)
    except InvalidDraft as error:
        raise InvalidSitePolicy(f"{key}: {error}") from None
    if name == "*":
        raise InvalidSitePolicy(f"{key}: '*' is no crawler: say it under [everyone]")
    known = REGISTRY.get_crawler(name)
    return name if known is None else known.name


def _refuse_doubles(policy: SitePolicy) -> None:
    seen: set[str] = set()
    for url in policy.sitemaps:
        if url in seen:
            raise InvalidSitePolicy(f"sitemaps: {quoted(url)} is there twice: name it once")
        seen.add(url)
    seen.clear()
    for intent in policy.crawlers:
        folded = intent.audience.name.lower()
        if folded in seen:
            raise InvalidSitePolicy(f"{intent.audience} is there twice, in two spellings: keep one")
        seen.add(folded)


def _checked(table: Mapping[str, Any], name: str, key: str, check: Any) -> Iterator[str]:
    for text in _texts(table.get(name, []), key):
        try:
            yield check(text)
        except InvalidDraft as error:
            raise InvalidSitePolicy(f"{key}: {error}") from None


def _texts(value: Any, key: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise _wrong(key, value, "a list of texts, such as ['/private/']")
    return value


def _table(value: Any, key: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(key, value, "a table")
    return value


def _check_keys(table: Mapping[str, Any], allowed: tuple[str, ...], key: str) -> None:
    for name in table:
        if name not in allowed:
            where = f"{key}: " if key else ""
            raise InvalidSitePolicy(where + unknown_choice("key", name, allowed))


def _wrong(key: str, value: Any, allowed: str) -> InvalidSitePolicy:
    return InvalidSitePolicy(f"{key} is {quoted(value)}: give {allowed}")
