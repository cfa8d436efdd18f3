"""What an engine gives: a compiled file, and its rules bound to an agent. Both engines have this surface.

Rows are plain tuples, since files are full of them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

CONTRACT: Final = 2

OriginCheck = Callable[[str | bytes, int | None], None]
RuleRow = tuple[bool, bytes, int, int]
GroupRow = tuple[list[tuple[bytes, int]], list[tuple[bool, bytes, int]]]
OtherRow = tuple[int, int, int, int, int, int, int]


class BoundRules(Protocol):
    """A file's rules for one agent, as either engine binds them."""

    @property
    def choice(self) -> str:
        """How the groups were chosen: own-token, fallback, star or none."""

    @property
    def token_index(self) -> int:
        """Which of the agent's tokens chose them, or -1."""

    @property
    def group_indices(self) -> list[int]:
        """The groups chosen, in file order."""

    @property
    def rule_count(self) -> int:
        """How many rules these groups have."""

    def allows(self, url: str | bytes, /) -> bool:
        """Say whether the agent may fetch the URL."""

    def allows_many(self, urls: Iterable[str | bytes], /) -> list[bool]:
        """Say it of each of many URLs, in order."""

    def decide(self, url: str | bytes, /) -> tuple[bool, str, RuleRow | None, bytes]:
        """Give allowed or not, the reason, the deciding rule, and the target."""

    def matched(self, url: str | bytes, /) -> Sequence[RuleRow]:
        """Give every rule that matches, the deciding one first."""


class CompiledFile(Protocol):
    """A compiled file, as either engine makes it."""

    def group_table(self) -> list[GroupRow]:
        """Give each group's user-agent lines and rules, as written."""

    def other_records(self) -> list[OtherRow]:
        """Give the records that are neither: line, kind, spans of key and value, group or -1."""

    def bind(
        self,
        tokens: tuple[bytes, ...],
        star_applies: bool,  # noqa: FBT001
        origin_prefix: bytes | None,
        check_origin: OriginCheck | None,
        /,
    ) -> BoundRules:
        """Bind the rules to an agent: its tokens in order, and whether `*` applies to it."""
        ...


CompileFile = Callable[[bytes, str], CompiledFile]
