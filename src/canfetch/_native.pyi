# The interface of the native engine, described in canfetch.core.contract.

from collections.abc import Iterable
from typing import Final, final

from canfetch.core.contract import Decision, GroupRow, OriginCheck, OtherRow
from canfetch.core.verdict import Rule

__all__ = ["CONTRACT", "PROFILES", "BoundRules", "CompiledFile", "__version__", "compile_file"]

__version__: str
CONTRACT: Final[int]
PROFILES: Final[tuple[str, ...]]

@final
class BoundRules:
    @property
    def choice(self) -> str: ...
    @property
    def token_index(self) -> int: ...
    @property
    def group_indices(self) -> list[int]: ...
    @property
    def rule_count(self) -> int: ...
    def allows(self, url: str | bytes, /) -> bool: ...
    def allows_many(self, urls: Iterable[str | bytes], /) -> list[bool]: ...
    def decide(self, url: str | bytes, /) -> Decision: ...
    def deciding_rule(self, url: str | bytes, /) -> tuple[bool, Rule | None]: ...

@final
class CompiledFile:
    def group_table(self) -> list[GroupRow]: ...
    def other_records(self) -> list[OtherRow]: ...
    def bind(
        self,
        tokens: tuple[bytes, ...],
        star_applies: bool,
        origin_prefix: bytes | None,
        check_origin: OriginCheck | None,
        /,
    ) -> BoundRules: ...
    def __sizeof__(self) -> int: ...

def compile_file(content: bytes, profile_name: str, /) -> CompiledFile: ...
