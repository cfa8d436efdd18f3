"""Selection of the groups that apply to an agent.

Source: RFC 9309 section 2.2.1.
"""

from typing import NamedTuple

from canfetch.core.profiles import Profile
from canfetch.core.reference.parser import GroupLines
from canfetch.core.tokens import STAR, token_matches


class Selection(NamedTuple):
    """The selected groups in file order, the kind of selection, and the index of the token that decided, or -1."""

    choice: str
    token_index: int
    groups: tuple[int, ...]


class TokenTable:
    """The product tokens of a file, each with the groups that name it."""

    __slots__ = ("_groups", "_profile")

    def __init__(self, groups: list[GroupLines], profile: Profile) -> None:
        self._profile = profile
        table: dict[bytes, list[int]] = {}
        for index, group in enumerate(groups):
            if profile.ignore_empty_groups and not group.rules:
                continue
            for token, _ in group.user_agents:
                named = table.setdefault(token.lower(), [])
                if not named or named[-1] != index:
                    named.append(index)
        table.pop(b"", None)
        self._groups = {token: tuple(named) for token, named in table.items()}

    def _groups_for(self, agent: bytes) -> tuple[int, ...]:
        if self._profile.substring_tokens and agent != STAR:
            found = {
                index
                for token, groups in self._groups.items()
                if token_matches(token, agent, self._profile)
                for index in groups
            }
            named = tuple(sorted(found))
        else:
            named = self._groups.get(agent.lower(), ())
        return named[:1] if self._profile.first_group_only else named

    def select(self, tokens: tuple[bytes, ...], *, star_applies: bool) -> Selection:
        """Return the groups of the first token that has any, or else those of `*` if it applies, or else none.

        Cost: O(tokens), times the tokens of the file in profiles that match names within values.
        """
        for index, token in enumerate(tokens):
            named = self._groups_for(token)
            if named and token == STAR:
                return Selection("star", -1, named)
            if named:
                return Selection("fallback" if index else "own-token", index, named)
        named = self._groups_for(STAR) if star_applies else ()
        if named:
            return Selection("star", -1, named)
        return Selection("none", -1, ())
