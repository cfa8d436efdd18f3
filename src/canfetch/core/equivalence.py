"""Equivalence of two files: the same meaning for every crawler and URL in a profile.

1. Files with equal comparison keys have the same verdict for every agent and URL, and the same records beyond the RFC.
2. The converse does not hold. Rules are compared as texts, not as sets of paths.
"""

from collections.abc import Collection, Iterator
from typing import Any, Final

from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.record import ExtensionScope
from canfetch.core.groups import Group
from canfetch.core.patterns import is_void, parse_pattern
from canfetch.core.profiles import PROFILES, Profile, get_profile
from canfetch.core.text import encode_text

# Records for people, which have no meaning for crawlers.
_NO_MEANING: Final = frozenset({"comment"})
# The profile `original1994` reads an `Allow` line as a record that it does not know.
_NO_MEANING_OR_RULES: Final = _NO_MEANING | {"allow"}
_RuleKey = tuple[bool, tuple[Any, ...]]


def differing_profiles(content: bytes, other: bytes) -> tuple[str, ...]:
    """Return the profiles in which two files may have different meanings.

    Cost: as parsing both in every profile, plus O(rules) for each.
    """
    if content == other:
        return ()
    return tuple(name for name in PROFILES if comparison_key(content, name) != comparison_key(other, name))


def comparison_key(content: bytes, profile: str, *, engine: str | None = None) -> object:
    """Return a value that represents the meaning of a file: files with equal values have equal verdicts.

    Args:
        content: the file.
        profile, engine: as for `parse`.
    Raises: UnknownProfile, EngineError.
    Cost: O(bytes).
    """
    robots = parse(content, profile=profile, engine=engine)
    flags = get_profile(profile)
    in_order = flags.first_match or flags.substring_tokens or flags.first_group_only
    groups = list(_groups(robots, flags))
    file_extensions, group_extensions = _extensions(robots)
    if in_order:
        # The chosen group and the deciding rule depend on the order.
        ordered = [
            (tokens, tuple(dict.fromkeys(rules)), tuple(group_extensions.get(index, ())))
            for index, tokens, rules in groups
            if rules or group_extensions.get(index) or not flags.ignore_empty_groups
        ]
        return ordered, file_extensions
    by_token: dict[bytes, tuple[set[_RuleKey], dict[Any, None]]] = {}
    for index, tokens, rules in groups:
        for token in tokens:
            token_rules, token_extensions = by_token.setdefault(token, (set(), {}))
            token_rules.update(rules)
            token_extensions.update(group_extensions.get(index, {}))
    return by_token, file_extensions


def have_equal_extensions(content: bytes, other: bytes) -> bool:
    """Return whether two files have the same records beyond the RFC, for every crawler in every profile.

    Cost: as parsing both in every profile.
    """
    return all(extensions_key(content, name) == extensions_key(other, name) for name in PROFILES)


def extensions_key(content: bytes, profile: str) -> object:
    """Return a value that is equal for files with the same records beyond the RFC for every crawler in a profile.

    Cost: As parsing the file.
    """
    robots = parse(content, profile=profile)
    file_extensions, group_extensions = _extensions(robots, _NO_MEANING_OR_RULES)
    if not group_extensions:
        return list(file_extensions), None
    # Also groups without such a record: a crawler that reads one of them does not read another.
    tokens = [tuple(agent.token for agent in group.user_agents) for group in robots.groups]
    in_groups = [(names, tuple(group_extensions.get(index, ()))) for index, names in enumerate(tokens)]
    return list(file_extensions), in_groups


def _groups(robots: RobotsTxt, flags: Profile) -> Iterator[tuple[int, tuple[bytes, ...], list[_RuleKey]]]:
    for index, group in enumerate(robots.groups):
        tokens = (encode_text(agent.token).lower() for agent in group.user_agents if agent.token)
        yield index, tuple(dict.fromkeys(tokens)), list(_rules(group, flags))


def _rules(group: Group, flags: Profile) -> Iterator[_RuleKey]:
    for rule in group.rules:
        if rule.pattern and not is_void(rule.pattern, flags):
            yield rule.allow, parse_pattern(rule.pattern, allow=rule.allow, profile=flags)


def _extensions(
    robots: RobotsTxt, ignored: Collection[str] = _NO_MEANING
) -> tuple[dict[Any, None], dict[int, dict[Any, None]]]:
    # The keys of dictionaries, because a repeated record adds nothing and the order matters in some profiles.
    file_extensions: dict[Any, None] = {}
    group_extensions: dict[int, dict[Any, None]] = {}
    for extension in robots.extensions:
        if extension.name in ignored:
            continue
        # A record that applies to the whole file may be in any group.
        if extension.group is None or extension.scope is ExtensionScope.FILE:
            extensions = file_extensions
        else:
            extensions = group_extensions.setdefault(extension.group, {})
        extensions[extension.name, extension.value, extension.scope] = None
    return file_extensions, group_extensions
