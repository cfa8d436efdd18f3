# The surface of the native engine, which is that of the Python engine: canfetch.core.engines describes it.

from collections.abc import Iterable
from typing import Final, final

from canfetch.core.engines import GroupRow, OriginCheck, OtherRow, RuleRow

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
    def allows(self, url: str | bytes, /) -> bool: ...
    def allows_many(self, urls: Iterable[str | bytes], /) -> list[bool]: ...
    def decide(self, url: str | bytes, /) -> tuple[bool, str, RuleRow | None, bytes]: ...
    def matched(self, url: str | bytes, /) -> list[RuleRow]: ...

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

def compile_file(octets: bytes, profile_name: str, /) -> CompiledFile: ...
