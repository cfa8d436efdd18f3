"""The native engine: what `canfetch.core.reference` says, from other data structures.

`canfetch.core.engines` chooses between them; nothing else imports this module.
"""

from collections.abc import Callable, Iterable
from typing import Final, final

__all__ = ["CONTRACT", "PROFILES", "BoundRules", "CompiledFile", "__version__", "compile_file"]

CONTRACT: Final[int]
"""The version of the surface that both engines share."""
PROFILES: Final[tuple[str, ...]]
"""The profiles that this engine does."""
__version__: Final[str]

def compile_file(octets: bytes, profile_name: str, /) -> CompiledFile:
    """Compile a file, cut and transcoded already; never raises on what it holds.

    Raises: ValueError: the profile is none of `PROFILES`; the file has more than 512 MiB.
    Cost: O(octets).
    """

@final
class CompiledFile:
    """A file's groups and records, and the rule sets that agents asked for; safe to share among threads.

    It keeps the octets, and no copy of them: a rule is a span.
    """

    def group_table(self) -> list[tuple[list[tuple[bytes, int]], list[tuple[bool, bytes, int]]]]:
        """Give each group's user-agent lines as (token, line) and its rules as (allow, value, line)."""

    def other_records(self) -> list[tuple[int, int, int, int, int, int, int]]:
        """Give the records that are neither rules nor user-agent lines, in file order.

        Each is (line, kind, key start, key end, value start, value end, group); kind 1 is a sitemap, and the
        group is -1 before the first.
        """

    def bind(
        self,
        tokens: tuple[bytes, ...],
        star_applies: bool,
        origin_prefix: bytes | None,
        check_origin: Callable[[str | bytes, int | None], None] | None,
        /,
    ) -> BoundRules:
        """Bind the rules to an agent.

        Args:
            tokens: product tokens to try in order.
            star_applies: whether the groups for `*` are for this agent, where none of its tokens has a group.
            origin_prefix: the file's origin, canonical; None leaves origins unchecked.
            check_origin: called with a URL that does not begin with it, and its index in a batch; it may raise.
        Cost: O(user-agent lines) at first, then O(log user-agent lines).
        """

    def __sizeof__(self) -> int: ...

@final
class BoundRules:
    """A file's rules for one agent: the hot path; safe to share among threads."""

    @property
    def choice(self) -> str:
        """How the groups were chosen: own-token, fallback, star or none."""

    @property
    def token_index(self) -> int:
        """Which of the agent's tokens chose them, or -1."""

    @property
    def group_indices(self) -> list[int]:
        """The groups chosen, in file order."""

    def allows(self, url: str | bytes, /) -> bool:
        """Say whether the URL may be fetched.

        Raises: InvalidURL, TypeError; what `check_origin` raises.
        Cost: O(octets of the URL) as a rule, through an index that is built after the first sixteen questions.
        """

    def allows_many(self, urls: Iterable[str | bytes], /) -> list[bool]:
        """Say it of each of many URLs, in order; the interpreter's lock is free while they are decided.

        Raises: as `allows`, with the index of the URL; what the iterator raises.
        """

    def decide(self, url: str | bytes, /) -> tuple[bool, str, tuple[bool, bytes, int, int] | None, bytes]:
        """Give allowed or not, the reason, the deciding rule as (allow, value, line, specificity), and the target."""

    def matched(self, url: str | bytes, /) -> list[tuple[bool, bytes, int, int]]:
        """Give every rule that matches, the deciding one first."""
