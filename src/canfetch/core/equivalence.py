"""Equivalence of two files: the same meaning for every crawler and URL in a profile.

1. Files with equal comparison keys have the same verdict for every agent and URL, and the same records beyond the RFC.
2. The converse does not hold. Rules are compared as texts, not as sets of paths.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Any, Final, NamedTuple

from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.record import ExtensionScope
from canfetch.core.patterns import is_void, parse_pattern
from canfetch.core.profiles import PROFILES, Profile, get_profile

# Records for people, which have no meaning for crawlers.
_NO_MEANING: Final = frozenset({"comment"})
# The profile `original1994` reads an `Allow` line as a record that it does not know.
_NO_MEANING_OR_RULES: Final = _NO_MEANING | {"allow"}
# Whether a rule allows, and its pattern.
_WrittenRule = tuple[bool, bytes]
_RuleKey = tuple[bool, tuple[Any, ...]]


def differing_profiles(content: bytes, other: bytes) -> tuple[str, ...]:
    """Return the profiles in which two files may have different meanings.

    Cost: as parsing both in every profile, plus O(rules) for each.
    """
    if content == other:
        return ()
    return tuple(name for name in PROFILES if _differ(content, other, name))


def _differ(content: bytes, other: bytes, profile: str) -> bool:
    before, after = _read(content, profile), _read(other, profile)
    # Rules that are written in the same way have the same texts, which take longer to compute.
    if _key(before, _as_written) == _key(after, _as_written):
        return False
    texts = _Texts(get_profile(profile))
    return _key(before, texts.of) != _key(after, texts.of)


def comparison_key(content: bytes, profile: str, *, engine: str | None = None) -> object:
    """Return a value that represents the meaning of a file: files with equal values have equal verdicts.

    Args:
        content: the file.
        profile, engine: as for `parse`.
    Raises: UnknownProfile, EngineError.
    Cost: O(bytes).
    """
    return _key(_read(content, profile, engine=engine), _Texts(get_profile(profile)).of)


class _Reading(NamedTuple):
    """What a file states in a profile.

    Attributes:
        groups: The index, the tokens and the rules of each group.
        extensions: The records beyond the RFC, of the file and of each group.
        flags: The profile.
    """

    groups: list[tuple[int, tuple[bytes, ...], list[_WrittenRule]]]
    extensions: tuple[dict[Any, None], dict[int, dict[Any, None]]]
    flags: Profile


def _read(content: bytes, profile: str, *, engine: str | None = None) -> _Reading:
    robots = parse(content, profile=profile, engine=engine)
    flags = get_profile(profile)
    return _Reading(list(_groups(robots, flags)), _extensions(robots), flags)


class _Texts:
    """The texts of rules, each computed once."""

    def __init__(self, flags: Profile) -> None:
        self._flags = flags
        self._found: dict[_WrittenRule, _RuleKey] = {}

    def of(self, rule: _WrittenRule) -> _RuleKey:
        """Return what a rule is compared by."""
        found = self._found.get(rule)
        if found is None:
            allow, pattern = rule
            found = self._found[rule] = allow, parse_pattern(pattern, allow=allow, profile=self._flags)
        return found


def _as_written(rule: _WrittenRule) -> object:
    return rule


def _key(reading: _Reading, rule_key: Callable[[_WrittenRule], object]) -> object:
    flags = reading.flags
    file_extensions, group_extensions = reading.extensions
    groups = ((index, tokens, list(map(rule_key, rules))) for index, tokens, rules in reading.groups)
    if flags.first_match or flags.substring_tokens or flags.first_group_only:
        # The chosen group and the deciding rule depend on the order.
        ordered = [
            (tokens, tuple(dict.fromkeys(rules)), tuple(group_extensions.get(index, ())))
            for index, tokens, rules in groups
            if rules or group_extensions.get(index) or not flags.ignore_empty_groups
        ]
        return ordered, file_extensions
    by_token: dict[bytes, tuple[set[object], dict[Any, None]]] = {}
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


def _groups(robots: RobotsTxt, flags: Profile) -> Iterator[tuple[int, tuple[bytes, ...], list[_WrittenRule]]]:
    # The rows of the engine, because the specificity of the rules is not needed.
    for index, (agents, rules) in enumerate(robots._compiled.group_table()):  # noqa: SLF001 - of this package
        tokens = dict.fromkeys(token.lower() for token, _ in agents if token)
        written = [(allow, pattern) for allow, pattern, _ in rules if pattern and not is_void(pattern, flags)]
        yield index, tuple(tokens), written


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
