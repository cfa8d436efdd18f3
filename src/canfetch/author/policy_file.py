"""Parsing a site policy in TOML, with its environments.

comments = ["Contact: press@example.com"]
sitemaps = ["https://www.example.com/sitemap.xml"]
licenses = ["https://www.example.com/license.xml"]

[everyone]
fetch = "all"                       # or "none": the default if no rule below matches
disallow = ["/private/"]
allow = ["/private/press/"]
usage = { training = false, search = true }

[purpose.training]
fetch = "none"

[refusal]                           # of server rules
status = 451
text = "Write to press@example.com for a license."

[crawler.Googlebot-Image]
disallow_file_types = ["gif"]

[[page]]
paths = ["/drafts/"]
rules = ["noindex", "noarchive"]

[environment.production]
hosts = ["www.example.com"]

[environment.staging]
hosts = ["staging.example.com", "*.preview.example.com"]
closed = true                       # or false: it is open on purpose

[environment.staging.crawler.ExampleBot]
disallow = ["/admin/"]              # in place of the table of the same name above
"""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from canfetch.author.closing import find_closing_rule
from canfetch.author.hosts import HostPattern, parse_host_pattern
from canfetch.author.policy_compiler import compile_policy
from canfetch.author.policy_tables import (
    POLICY_KEYS,
    check_keys,
    check_strings,
    check_table,
    crawler_name,
    fault,
    invalid_value,
    parse_tables,
)
from canfetch.author.site_policy import Environment, SitePolicy
from canfetch.core.document import parse
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidDraft, InvalidOption, InvalidSitePolicy

PRODUCTION: Final = "production"
"""The environment that has to be open; all others have to be closed, unless the policy states the opposite."""
BY_HOST: Final = "by-host"
"""In place of the name of an environment: that of the host of each request."""
ENVIRONMENT_VARIABLE: Final = "CANFETCH_ENVIRONMENT"
"""The variable with the name of the environment, which an argument overrides."""
_BYTE_ORDER_MARK: Final = "\ufeff"
_ENVIRONMENT: Final = "environment"
_TOP: Final = (*POLICY_KEYS, _ENVIRONMENT)
_OWN: Final = ("hosts", "closed")
_BY_NAME: Final = ("purpose", "crawler")
# What a closed environment has in common with the others.
_KEPT_IF_CLOSED: Final = ("comments", "page", "refusal")
_CLOSED_EVERYONE: Final = {"fetch": "none", "include_star_ignorers": True}
_NAME_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_MAX_NAME: Final = 63
# Each is parsed and rendered together with the tables of the policy.
_MAX_ENVIRONMENTS: Final = 100
# All are compared with the host of each request.
_MAX_HOSTS: Final = 1000
_RESERVED: Final = frozenset((*_TOP, *_OWN, BY_HOST))
_TABLE_HEADERS: Final = (("[[", "]]"), ("[", "]"))


def parse_policy(toml: str) -> SitePolicy:
    """Parse a site policy.

    Args: toml: The content of a policy file.
    Raises: InvalidSitePolicy: The TOML is invalid, a key is unknown, a value is invalid, production is closed, or
        another environment is open, and the file does not state that. The message names the key and the line.
        TypeError: `toml` is not a str.
    Cost: O(characters), and a rendering for each environment.
    """
    if not isinstance(toml, str):
        raise TypeError(f"toml must be a str, the content of a policy file, not {type(toml).__name__}")
    toml = toml.removeprefix(_BYTE_ORDER_MARK)
    try:
        table = tomllib.loads(toml)
    except (ValueError, RecursionError) as error:
        # Invalid TOML, numbers with thousands of digits, or values that are nested too deeply.
        raise InvalidSitePolicy(f"invalid TOML: {error}") from None
    try:
        check_keys(table, _TOP, "")
        policy = parse_tables(table)
        environments = tuple(_parse_environments(table))
        _check_hosts(environments)
    except InvalidSitePolicy as error:
        line = find_line(toml, error.key)
        place = "" if line is None else f" (at line {line})"
        raise InvalidSitePolicy(f"{error}{place}", key=error.key, line=line) from None
    return policy._replace(environments=environments)


def is_policy_content(content: bytes) -> bool:
    """Return whether content is the TOML of a policy, which crawlers would read as a robots.txt without rules.

    Cost: O(bytes). A robots.txt is not TOML from its first record on.
    """
    try:
        table = tomllib.loads(content.decode("utf-8").removeprefix(_BYTE_ORDER_MARK))
    except (ValueError, RecursionError):
        return False
    return not table.keys().isdisjoint(_TOP)


def _parse_environments(base: Mapping[str, Any]) -> Iterator[Environment]:
    tables = check_table(base.get(_ENVIRONMENT, {}), _ENVIRONMENT)
    if len(tables) > _MAX_ENVIRONMENTS:
        raise fault(_ENVIRONMENT, f"{len(tables)} environments: expected at most {_MAX_ENVIRONMENTS}")
    for name in tables:
        _check_name(name, f"{_ENVIRONMENT}.{name}")
    if _ENVIRONMENT in base and PRODUCTION not in tables:
        raise fault(
            _ENVIRONMENT,
            f"{PRODUCTION} is missing, so it would be closed: add [{_ENVIRONMENT}.{PRODUCTION}] with its hosts, or "
            "with closed = true if that is intended",
        )
    for name, value in tables.items():
        key = f"{_ENVIRONMENT}.{name}"
        own = check_table(value, key)
        check_keys(own, (*_OWN, *POLICY_KEYS), key)
        closed = own.get("closed")
        if closed is not None and not isinstance(closed, bool):
            raise invalid_value(f"{key}.closed", closed, "true or false")
        policy = parse_tables(_combined(base, own, key, closed=bool(closed)), f"{key}.")
        environment = Environment(name, tuple(_parse_hosts(own, f"{key}.hosts")), policy, closed)
        _check_effect(environment, own, key)
        yield environment


def _check_name(name: str, key: str) -> None:
    if name in _RESERVED:
        raise fault(
            key,
            f"{quoted(name)} cannot be the name of an environment: write a table such as [{_ENVIRONMENT}.staging], and "
            f"its own tables as [{_ENVIRONMENT}.staging.everyone]",
        )
    if not name or len(name) > _MAX_NAME or not _NAME_CHARACTERS.issuperset(name):
        raise fault(
            key,
            f"invalid environment {quoted(name)}: expected up to {_MAX_NAME} lower-case letters, digits, '-' and '_', "
            "such as 'staging'",
        )


def _combined(base: Mapping[str, Any], own: Mapping[str, Any], key: str, *, closed: bool) -> dict[str, Any]:
    """Return the tables of the policy, each replaced by that of the environment if there is one.

    A closed environment starts with a table that disallows everything in place of those of the policy.
    """
    shared = _KEPT_IF_CLOSED if closed else POLICY_KEYS
    combined = {name: base[name] for name in shared if name in base}
    if closed:
        combined["everyone"] = _CLOSED_EVERYONE
    combined |= {name: own[name] for name in POLICY_KEYS if name in own}
    for kind in _BY_NAME:
        ours = check_table(own.get(kind, {}), f"{key}.{kind}")
        replaced = {_folded(kind, name, f"{key}.{kind}.{name}") for name in ours}
        theirs = {} if closed else base.get(kind, {})
        combined[kind] = {name: value for name, value in theirs.items() if _folded(kind, name, kind) not in replaced}
        combined[kind] |= ours
    return combined


def _folded(kind: str, name: str, key: str) -> str:
    return crawler_name(name, key).lower() if kind == "crawler" else name


def _parse_hosts(own: Mapping[str, Any], key: str) -> Iterator[HostPattern]:
    for text in check_strings(own.get("hosts", []), key):
        try:
            yield parse_host_pattern(text)
        except InvalidOption as error:
            raise fault(key, str(error)) from None


def _check_hosts(environments: tuple[Environment, ...]) -> None:
    """Check that the most specific pattern of a host is always that of one environment.

    Raises: InvalidSitePolicy.
    """
    number = sum(len(environment.hosts) for environment in environments)
    if number > _MAX_HOSTS:
        raise fault(_ENVIRONMENT, f"{number} hosts: expected at most {_MAX_HOSTS}; use patterns")
    seen: dict[object, list[tuple[HostPattern, Environment]]] = {}
    for environment in environments:
        key = f"{_ENVIRONMENT}.{environment.name}.hosts"
        for pattern in environment.hosts:
            similar = seen.setdefault(pattern if pattern.is_exact else pattern.specificity, [])
            for other, owner in similar:
                if pattern == other:
                    raise fault(key, f"duplicate host {quoted(str(pattern))}, also of {_ENVIRONMENT}.{owner.name}")
                if owner is not environment and pattern.is_ambiguous_with(other):
                    raise fault(
                        key,
                        f"{quoted(str(pattern))} and {quoted(str(other))} of {_ENVIRONMENT}.{owner.name} match the "
                        "same hosts, and neither is more specific: lengthen one of them",
                    )
            similar.append((pattern, environment))


def _check_effect(environment: Environment, own: Mapping[str, Any], key: str) -> None:
    """Check that production is open and every other environment closed, unless the policy states the opposite.

    Raises: InvalidSitePolicy.
    """
    try:
        content = compile_policy(environment.policy).render()
    except InvalidDraft as error:
        raise fault(key, str(error)) from None
    is_closed = find_closing_rule(parse(content)) is not None
    intended = environment.name != PRODUCTION if environment.closed is None else environment.closed
    if is_closed == intended:
        if is_closed:
            _check_inherited(environment, own, key)
        return
    # The default of `everyone` decides for crawlers that the policy does not name.
    place = f"{key}.everyone" if "everyone" in own else "everyone"
    closes = f"{place} closes the whole site to search engines"
    if environment.closed is not None:
        contradiction = closes if is_closed else "the rules of the environment leave the site open to search engines"
        stated = str(environment.closed).lower()
        raise fault(f"{key}.closed", f"it is {stated}, but {contradiction}; remove the key, or change these rules")
    if is_closed:
        raise fault(
            key,
            f"{closes}, in {PRODUCTION}; change it, or write closed = true in [{key}] if that is intended",
            at=f"{place}.fetch",
        )
    raise fault(
        key,
        "it leaves the site open to search engines; write closed = true to close it, or closed = false if it is open "
        "on purpose",
    )


def _check_inherited(environment: Environment, own: Mapping[str, Any], key: str) -> None:
    """Check that no table of the whole policy opens a closed environment to some crawlers.

    Raises: InvalidSitePolicy.
    """
    for intent in (*environment.policy.crawlers, *environment.policy.purposes):
        kind, name = intent.audience
        replaced = {_folded(kind, one, f"{key}.{kind}.{one}") for one in own.get(kind, ())}
        if not intent.disallows_everything and _folded(kind, name, key) not in replaced:
            raise fault(
                key,
                f"{intent.audience} leaves the site open to these crawlers; write closed = true to close it, or add "
                f"[{key}.{intent.audience}] if that is intended",
            )


def find_line(toml: str, key: str) -> int | None:
    """Return the line of a key, or of the nearest table around it, or None. `tomllib` does not report lines of keys.

    Lines within a multi-line string may be taken for keys, so the result is for messages only.

    Args:
        toml: Valid TOML.
        key: A path such as `environment.staging.closed`. The second table of `[[page]]` is `page 2`.
    Cost: O(characters).
    """
    lines = _key_lines(toml)
    while key not in lines:
        if f"{key} 1" in lines:
            return lines[f"{key} 1"]
        if not key:
            return None
        key = key.rpartition(".")[0]
    return lines[key]


def _key_lines(toml: str) -> dict[str, int]:
    lines: dict[str, int] = {}
    numbers: Counter[str] = Counter()
    table = ""
    for number, line in enumerate(toml.split("\n"), 1):
        text = line.strip()
        for opening, closing in _TABLE_HEADERS:
            if text.startswith(opening):
                end = text.find(closing)
                path = _path(text[len(opening) : end]) if end > 0 else None
                if path is not None:
                    if opening == "[[":
                        numbers[path] += 1
                        path = f"{path} {numbers[path]}"
                    table = path
                    _add(lines, path, number)
                break
        else:
            path = _path(text.partition("=")[0]) if "=" in text else None
            if path is not None:
                _add(lines, f"{table}.{path}" if table else path, number)
    return lines


def _add(lines: dict[str, int], path: str, number: int) -> None:
    """Add the line of a key and of the tables around it that have none."""
    while path and path not in lines:
        lines[path] = number
        path = path.rpartition(".")[0]


def _path(text: str) -> str | None:
    """Return a key such as `crawler."my.bot"` without its quotes, or None if it is not a key."""
    try:
        table: Any = tomllib.loads(f"{text} = 0")
    except (ValueError, RecursionError):
        return None
    names = []
    while isinstance(table, dict) and table:
        name, table = next(iter(table.items()))
        names.append(name)
    return ".".join(names) or None
