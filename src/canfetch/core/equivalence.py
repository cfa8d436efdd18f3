"""Whether two files say the same: to every crawler, of every URL, in a profile's reading.

1. Files with one meaning give the same verdict for every agent and URL, and the same records beyond the RFC.
2. The converse does not hold: this compares what was written, and no languages of paths.
"""

from collections.abc import Iterator
from typing import Any, Final

from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.record import ExtensionScope
from canfetch.core.groups import Group
from canfetch.core.patterns import is_void, texts_of
from canfetch.core.profiles import PROFILES, Profile, get_profile
from canfetch.core.text import encode_text

# Lines of text for people mean nothing to a crawler, wherever they stand.
_NO_MEANING: Final = frozenset({"comment"})
_RuleMeaning = tuple[bool, tuple[Any, ...]]


def differing_profiles(octets: bytes, others: bytes) -> tuple[str, ...]:
    """Give the profiles in which two files may not say the same; none where they do in all.

    Cost: as parsing both in every profile, and O(rules) for each.
    """
    if octets == others:
        return ()
    return tuple(name for name in PROFILES if meaning_of(octets, name) != meaning_of(others, name))


def meaning_of(octets: bytes, profile: str, *, engine: str | None = None) -> object:
    """Give what a file says in a profile, to be compared: equal meanings are equal verdicts.

    Args:
        octets: the file.
        profile, engine: as those of `parse`.
    Raises: UnknownProfile, EngineError.
    Cost: O(octets).
    """
    robots = parse(octets, profile=profile, engine=engine)
    flags = get_profile(profile)
    in_order = flags.first_match or flags.name_in_value or flags.first_group_only or flags.robotparser
    groups = list(_groups(robots, flags))
    files, asides = _asides(robots)
    if in_order:
        # Which group is chosen, and which rule decides, depends on what stands before.
        spoken = [
            (tokens, tuple(dict.fromkeys(rules)), tuple(asides.get(index, ())))
            for index, tokens, rules in groups
            if rules or asides.get(index) or not flags.group_without_rules_is_none
        ]
        return spoken, files
    by_token: dict[bytes, tuple[set[_RuleMeaning], dict[Any, None]]] = {}
    for index, tokens, rules in groups:
        for token in tokens:
            of_token = by_token.setdefault(token, (set(), {}))
            of_token[0].update(rules)
            of_token[1].update(asides.get(index, {}))
    return by_token, files


def _groups(robots: RobotsTxt, flags: Profile) -> Iterator[tuple[int, tuple[bytes, ...], list[_RuleMeaning]]]:
    for index, group in enumerate(robots.groups):
        tokens = (encode_text(agent.token) for agent in group.user_agents if agent.token)
        if not flags.agent_case_sensitive:
            tokens = (token.lower() for token in tokens)
        yield index, tuple(dict.fromkeys(tokens)), list(_rules(group, flags))


def _rules(group: Group, flags: Profile) -> Iterator[_RuleMeaning]:
    for rule in group.rules:
        if flags.robotparser:
            # It has its own way with values; what is written alike is read alike.
            yield rule.allow, (rule.pattern,)
        elif rule.pattern and not is_void(rule.pattern, flags):
            yield rule.allow, texts_of(rule.pattern, allow=rule.allow, profile=flags)


def _asides(robots: RobotsTxt) -> tuple[dict[Any, None], dict[int, dict[Any, None]]]:
    # A record that is repeated says nothing more.
    files: dict[Any, None] = {}
    groups: dict[int, dict[Any, None]] = {}
    for extension in robots.extensions:
        if extension.name in _NO_MEANING:
            continue
        # One that speaks to everyone does so wherever it stands.
        spoken_to_all = extension.group is None or extension.scope is ExtensionScope.FILE
        place = files if spoken_to_all else groups.setdefault(extension.group or 0, {})
        place[extension.name, extension.value, extension.scope] = None
    return files, groups
