# The interface of the native engine, described in canfetch.core.contract.

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias, final

from canfetch.core.contract import Decision, GroupRow, OriginCheck, OtherRow
from canfetch.core.verdict import Rule

__all__ = [
    "CONTRACT",
    "PROFILES",
    "BoundRules",
    "Column",
    "CompiledFile",
    "Kernel",
    "OriginTable",
    "Refinement",
    "Table",
    "TargetDomain",
    "__version__",
    "allows_once",
    "build_column",
    "compile_file",
    "differing_target",
    "read_values",
]

# The product tokens of an agent, and whether the `*` groups apply to it.
_Chain: TypeAlias = tuple[tuple[bytes, ...], bool]
# Sources, further contents, and aliases of IDs.
_Plan: TypeAlias = tuple[list[int], list[bytes], list[tuple[bytes, bytes]]]

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

@final
class Column:
    def __len__(self) -> int: ...
    def to_pylist(self) -> list[Any]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

@final
class Kernel:
    def __new__(
        cls,
        profile_name: str,
        max_bytes: int,
        memory_limit: int,
        resolve_agent: Callable[[bytes], _Chain | None],
        by_id: bool,
        warn_about_names: Callable[[list[bytes]], None] | None,
        /,
    ) -> Kernel: ...
    @property
    def memory_bytes(self) -> int: ...
    def load(self, ids: Any, contents: Any, /) -> None: ...
    @staticmethod
    def open_table(table: Any) -> Table: ...
    def load_table(self, table: Table, id_name: str, content_name: str, plan: _Plan | None, /) -> None: ...
    def has_text_ids(self) -> bool: ...
    def allows(self, file: Any, agent: Any, url: Any, /) -> Column: ...
    def decide(self, file: Any, agent: Any, url: Any, /) -> Column: ...
    def matrix(self, file: Any, names: list[str], chains: list[_Chain], url: Any, /) -> Column: ...
    def usage(self, file: Any, agent: Any, url: Any, purpose: Any, /) -> Column: ...
    def clear(self) -> None: ...
    def __len__(self) -> int: ...

@final
class OriginTable:
    def __new__(cls) -> OriginTable: ...
    @property
    def hits(self) -> int: ...
    def allows(self, url: object, now: float, /) -> bool | None: ...
    def find(self, url: object, /) -> Any: ...
    def get(self, name: str, /) -> Any: ...
    def put(self, name: str, state: Any, /) -> tuple[Any, int]: ...
    def pop(self, name: str, /) -> Any: ...
    def last_used(self, name: str, /) -> int: ...
    def __len__(self) -> int: ...
    def __contains__(self, name: str, /) -> bool: ...

@final
class Table:
    @property
    def names(self) -> list[str]: ...
    def values(self, name: str, /) -> list[bytes | int | None]: ...

def allows_once(
    content: bytes, profile_name: str, tokens: tuple[bytes, ...], star_applies: bool, url: str | bytes, /
) -> bool: ...
def build_column(type_: Any, values: list[Any], /) -> Column: ...
def read_values(column: Any, /) -> list[bytes | int | None]: ...
def compile_file(content: bytes, profile_name: str, /) -> CompiledFile: ...
def differing_target(
    changed: Sequence[tuple[bool, bytes]],
    before: Sequence[tuple[bool, bytes]],
    after: Sequence[tuple[bool, bytes]],
    profile_name: str,
    ordinary: TargetDomain,
    complete: TargetDomain,
    confirm: Callable[[bytes], bool],
    steps: int,
    /,
) -> tuple[bytes | None, bool, str, int, int]: ...

# Head, segments, whether anchored, and index of the form.
_Pattern: TypeAlias = tuple[bytes, tuple[bytes, ...], bool, int]

@final
class Refinement:
    def __new__(
        cls,
        patterns: list[_Pattern],
        sides: list[tuple[bytes, bool]],
        ordinary: TargetDomain,
        complete: TargetDomain,
        /,
    ) -> Refinement: ...
    def index_of(self, item: _Pattern, /) -> int: ...
    def set_value(self, side: int, index: int, value: int, /) -> None: ...
    def find(
        self, wanted: list[bytes], within: list[int], outside: list[int], shortest: bool, steps: int, /
    ) -> tuple[bytes | None, str, int, int]: ...
    def describe(
        self,
        decisions: tuple[bool, ...],
        candidates: list[tuple[list[int], bool]],
        outside: list[int],
        steps: int,
        /,
    ) -> tuple[list[tuple[int, bytes, bytes | None, bytes | None]], str, int, int]: ...

@final
class TargetDomain:
    def __new__(
        cls,
        table: list[int],
        accepting: list[bool],
        needs_query: list[bool],
        classes: list[bytes] | None,
        ordinary: bytes,
        order: bytes,
        forms: list[tuple[list[bool], list[bool]]],
        /,
    ) -> TargetDomain: ...
