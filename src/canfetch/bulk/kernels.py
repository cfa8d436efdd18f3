"""Kernels: what decides columns, in each engine."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from canfetch.access.editions import choose_profile
from canfetch.bulk.arguments import Chain, resolve_crawlers, resolve_names
from canfetch.bulk.arrow_values import Value
from canfetch.bulk.column import ColumnSource
from canfetch.bulk.content_check import warn_about_names
from canfetch.bulk.parsed_files import FileTable, Plan
from canfetch.core.engines import engine_name, get_compiler, native_attribute
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.profiles import get_profile
from canfetch.core.source import decode_source
from canfetch.errors import EngineError

_Item = TypeVar("_Item")
MEMORY_LIMIT: Final = 256 * 1024 * 1024
"""The approximate memory of compiled files that a kernel keeps, in bytes."""


class KernelOptions(NamedTuple):
    """The options that all files of a kernel share. `kernel_options` creates those of `allows`.

    `warns` is whether the kernel warns about columns of names in place of contents. Commands that read archives turn it
    off.
    """

    profile: str = "rfc9309"
    max_bytes: int = DEFAULT_MAX_BYTES
    use_registry: bool = False
    engine: str | None = None
    warns: bool = True


def kernel_options(
    profile: str | None = None,
    edition: str | None = None,
    *,
    max_bytes: int = DEFAULT_MAX_BYTES,
    use_registry: bool = False,
    engine: str | None = None,
) -> KernelOptions:
    """Return the options of a call with the arguments of `allows`.

    Raises: UnknownEdition; InvalidOption: There are both a profile and an edition.
    """
    return KernelOptions(choose_profile(profile, edition), max_bytes, use_registry, engine)


class Kernel(Protocol):
    """Decides columns. `file` is the content of files, or their ID in the table that was loaded."""

    def allows(self, file: Any, agent: Any, url: Any, /) -> ColumnSource:
        """Return whether each URL may be fetched."""

    def decide(self, file: Any, agent: Any, url: Any, /) -> ColumnSource:
        """Return the verdicts."""

    def matrix(self, file: Any, names: list[str], chains: list[Chain], url: Any, /) -> ColumnSource:
        """Return whether each URL may be fetched by each agent."""

    def usage(self, file: Any, agent: Any, url: Any, purpose: Any, /) -> ColumnSource:
        """Return the preferences on a use of content. `purpose` is a column of the names of purposes."""

    def load(self, ids: Any, contents: Any, /) -> None:
        """Load files with IDs."""

    def open_table(self, table: Any, /) -> FileTable:
        """Return a table of Arrow data as this kernel reads it."""

    def load_table(self, table: Any, id_name: str, content_name: str, plan: Plan | None, /) -> None:
        """Load files from two columns of a table that was opened, according to a plan if there is one."""

    def has_text_ids(self) -> bool:
        """Return whether the IDs of the files that were loaded are texts."""

    def clear(self) -> None:
        """Forget all files that were not loaded, and all agents."""

    def __len__(self) -> int: ...


def create_kernel(options: KernelOptions, *, by_id: bool) -> Kernel:
    """Return a kernel of the engine in the options.

    Args: by_id: Whether rows name files by their ID in a table that is loaded once.
    Raises: UnknownProfile, InvalidLimit, EngineError.
    """
    profile = get_profile(options.profile)
    # Raises if a limit or an engine is invalid.
    decode_source(b"", profile, options.max_bytes)
    get_compiler(options.engine)
    engine = options.engine or engine_name()
    if engine == "native":
        return _native_kernel(options, by_id=by_id)
    from canfetch.bulk.python_kernel import PythonKernel  # noqa: PLC0415 - not needed with the native engine

    if engine == "python":
        return PythonKernel(options, by_id=by_id)
    # Only one kernel warns, so that a warning is not repeated.
    return KernelPair(PythonKernel(options._replace(warns=False), by_id=by_id), _native_kernel(options, by_id=by_id))


def _native_kernel(options: KernelOptions, *, by_id: bool) -> Kernel:
    resolve = resolve_crawlers if options.use_registry else resolve_names
    # Kernels of older modules have other parameters.
    native_attribute("Table")
    create: Callable[..., Kernel] = native_attribute("Kernel")
    warn = warn_about_names if options.warns else None
    return create(options.profile, options.max_bytes, MEMORY_LIMIT, resolve, by_id, warn)


class KernelPair:
    """Both engines: every answer is computed twice, and a difference is an error."""

    def __init__(self, python: Kernel, native: Kernel) -> None:
        self._python = python
        self._native = native

    def allows(self, file: Any, agent: Any, url: Any) -> ColumnSource:
        """Return whether each URL may be fetched."""
        return _same(self._python.allows(file, agent, url), self._native.allows(file, agent, url))

    def decide(self, file: Any, agent: Any, url: Any) -> ColumnSource:
        """Return the verdicts."""
        return _same(self._python.decide(file, agent, url), self._native.decide(file, agent, url))

    def matrix(self, file: Any, names: list[str], chains: list[Chain], url: Any) -> ColumnSource:
        """Return whether each URL may be fetched by each agent."""
        return _same(self._python.matrix(file, names, chains, url), self._native.matrix(file, names, chains, url))

    def usage(self, file: Any, agent: Any, url: Any, purpose: Any) -> ColumnSource:
        """Return the preferences on a use of content."""
        return _same(self._python.usage(file, agent, url, purpose), self._native.usage(file, agent, url, purpose))

    def load(self, ids: Any, contents: Any) -> None:
        """Load files with IDs."""
        self._python.load(ids, contents)
        self._native.load(ids, contents)

    def open_table(self, table: Any) -> "_TablePair":
        """Return a table of Arrow data as both kernels read it."""
        return _TablePair(self._python.open_table(table), self._native.open_table(table))

    def load_table(self, table: "_TablePair", id_name: str, content_name: str, plan: Plan | None) -> None:
        """Load files from two columns of a table."""
        self._python.load_table(table.python, id_name, content_name, plan)
        self._native.load_table(table.native, id_name, content_name, plan)

    def has_text_ids(self) -> bool:
        """Return whether the IDs of the files that were loaded are texts."""
        return self._native.has_text_ids()

    def clear(self) -> None:
        """Forget all files that were not loaded, and all agents."""
        self._python.clear()
        self._native.clear()

    def __len__(self) -> int:
        return len(self._native)


class _TablePair:
    """A table that both engines read."""

    def __init__(self, python: FileTable, native: FileTable) -> None:
        self.python = python
        self.native = native

    @property
    def names(self) -> list[str]:
        return self._same(self.python.names, self.native.names)

    def values(self, name: str) -> list[Value]:
        return self._same(self.python.values(name), self.native.values(name))

    @staticmethod
    def _same(python: list[_Item], native: list[_Item]) -> list[_Item]:
        if python != native:
            raise EngineError("the engines differ on the columns of a table")
        return native


def _same(python: ColumnSource, native: ColumnSource) -> ColumnSource:
    for row, (answer, native_answer) in enumerate(zip(python.to_pylist(), native.to_pylist(), strict=True)):
        if answer != native_answer:
            raise EngineError(f"the engines differ on row {row}: python returned {answer!r}, native {native_answer!r}")
    return native
