"""The interface of an engine: a compiled file, and its rules bound to an agent. Both engines implement it.

Rows are plain tuples, because a file can have many and they are cheap to create.
"""

from collections.abc import Callable, Iterable
from typing import Final, Protocol

from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Rule

CONTRACT: Final = 5
"""The version of this interface. A native module with another version is rejected."""

OriginCheck = Callable[[AnyURL, int | None], None]
"""Raises if a URL, with its index in a batch, does not belong to the origin of the file."""
GroupRow = tuple[list[tuple[bytes, int]], list[tuple[bool, bytes, int]]]
"""A group: its user-agent lines as (token, line) and its rules as (allow, value, line)."""
OtherRow = tuple[int, int, int, int, int, int, int]
"""Another record: line, kind, key start, key end, value start, value end, and group or -1."""
Decision = tuple[bool, str, Rule | None, tuple[Rule, ...], bytes]
"""Allowed or not, the reason, the deciding rule, the other matching rules in order of precedence, and the target."""


class BoundRules(Protocol):
    """A file's rules for one agent. Methods that take a URL raise InvalidURL, TypeError and what the check raises."""

    @property
    def choice(self) -> str:
        """How the groups were selected: own-token, fallback, star or none."""

    @property
    def token_index(self) -> int:
        """The index of the agent's token that selected the groups, or -1."""

    @property
    def group_indices(self) -> list[int]:
        """The indices of the selected groups, in file order."""

    @property
    def rule_count(self) -> int:
        """The number of rules in the selected groups."""

    def allows(self, url: AnyURL, /) -> bool:
        """Return whether the agent may fetch `url`."""

    def allows_many(self, urls: Iterable[AnyURL], /) -> list[bool]:
        """Return whether the agent may fetch each of `urls`, in order."""

    def decide(self, url: AnyURL, /) -> Decision:
        """Return whether the agent may fetch `url`, with all rules that match.

        A rule decides unless the reason is `robots-txt`. The engine may return the same Rule objects again.
        """

    def deciding_rule(self, url: AnyURL, /) -> tuple[bool, Rule | None]:
        """Return whether the agent may fetch `url`, and the deciding rule. Cheaper than `decide`."""


class CompiledFile(Protocol):
    """A compiled file."""

    def group_table(self) -> list[GroupRow]:
        """Return the user-agent lines and rules of each group, as written."""

    def other_records(self) -> list[OtherRow]:
        """Return the records that are neither user-agent lines nor rules, in file order."""

    def bind(
        self,
        tokens: tuple[bytes, ...],
        star_applies: bool,  # noqa: FBT001
        origin_prefix: bytes | None,
        check_origin: OriginCheck | None,
        /,
    ) -> BoundRules:
        """Bind the rules to an agent.

        Args:
            tokens: product tokens to try in order.
            star_applies: whether the groups for `*` apply if no group names a token.
            origin_prefix: canonical origin of the file; None accepts URLs of any origin.
            check_origin: called with each URL that has an authority and does not begin with `origin_prefix`.
        """
        ...


CompileFile = Callable[[bytes, str], CompiledFile]
"""Compiles content that is already transcoded and truncated, in a profile."""
AllowsOnce = Callable[[bytes, str, tuple[bytes, ...], bool, AnyURL], bool]
"""Returns whether an agent may fetch a URL, for a file that is not needed again.

The arguments are the content and the profile as for `CompileFile`, the tokens and whether the groups for `*` apply as
for `CompiledFile.bind`, and the URL.
"""
