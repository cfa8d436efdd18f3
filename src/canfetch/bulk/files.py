"""Files that are loaded once, and named by ID in the rows."""

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from canfetch.bulk.arguments import AnyColumn, ArrowArray, ArrowStream, as_agents, as_column, as_ids, is_arrow
from canfetch.bulk.arrow_values import has_text_type
from canfetch.bulk.column import Column
from canfetch.bulk.decisions import AnyAgents, named_chains
from canfetch.bulk.kernels import create_kernel, kernel_options
from canfetch.bulk.parsed_files import plan_sources
from canfetch.core.agent import Agent
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.errors import InvalidColumn


class Files:
    """A table of robots.txt files. Rows name a file by its ID, so that its content is not copied for each row.

    Use it in engines that copy the content when they join tables, such as DuckDB and Spark. Safe to use from several
    threads. A file is parsed when it is first needed.

    Args:
        table: A table of Arrow data with the columns `id` and `content`, or a mapping from ID to content. An ID is an
            integer, or a text such as an origin. The content may be null. In a table with the column `effect`, as
            `canfetch bulk parse` writes it, redirects are followed, and an origin without rules has the decision of
            its `effect`.
        id, content: The names of the columns.
        profile, edition, max_bytes, engine: As for `allows`.
        use_registry: Whether an agent is the name of a crawler in the registry, with all its product tokens.
    Raises: InvalidColumn: a column is missing or has the wrong type, an ID is null, two rows have the same ID, or
        `effect` does not have the values of `canfetch bulk parse`; InvalidOption: both
        `profile` and `edition` are set; UnknownEdition, UnknownProfile, InvalidLimit, EngineError, TypeError.
    Cost: O(bytes of the files).
    """

    def __init__(
        self,
        table: ArrowStream | ArrowArray | Mapping[Any, Any],
        *,
        id: str = "id",  # noqa: A002 - the name of the column
        content: str = "content",
        profile: str | None = None,
        edition: str | None = None,
        max_bytes: int = DEFAULT_MAX_BYTES,
        use_registry: bool = False,
        engine: str | None = None,
    ) -> None:
        self._options = kernel_options(profile, edition, max_bytes=max_bytes, use_registry=use_registry, engine=engine)
        self._kernel = create_kernel(self._options, by_id=True)
        self._has_text_column = False
        if isinstance(table, Mapping):
            check_mapping(table)
            self._kernel.load(as_ids(list(table)), as_column(list(table.values())))
        elif is_arrow(table):
            opened = self._kernel.open_table(table)
            _check_names(opened.names, id=id, content=content)
            self._kernel.load_table(opened, id, content, plan_sources(opened, id))
            # The IDs of other tables show their type.
            self._has_text_column = not len(self) and not self._kernel.has_text_ids() and has_text_type(table, id)
        else:
            raise TypeError(f"a table must be Arrow data or a mapping, not {type(table).__name__}")

    def allows_at(self, id: AnyColumn | float, agent: AnyColumn | Agent, url: AnyColumn) -> Column:  # noqa: A002
        """Return whether each agent may fetch each URL, according to the file with the ID in the same row.

        Args:
            id: IDs of files. In a table of `canfetch bulk parse`, `origins` returns those of URLs.
            agent, url: As for `allows`.
        Returns: A column of booleans, as `allows` returns it. A row is also null if no file has its ID.
        Raises: InvalidColumn: also for integers if all IDs of the files are texts, and the reverse;
            InvalidProductToken, TypeError.
        Cost: As `AgentRules.allows` for each row.
        """
        return Column(self._kernel.allows(as_ids(id), self._agents(agent), as_column(url)))

    def decide_at(self, id: AnyColumn | float, agent: AnyColumn | Agent, url: AnyColumn) -> Column:  # noqa: A002
        """Return the verdict on each URL, with the rule that decides.

        Args: id, agent, url: As for `allows_at`.
        Returns: A column of structs, as `decide` returns it. The reason is `no-robots` if no file has this ID. In a
            table of `canfetch bulk parse`, it is also `unavailable`, `unreachable` or `redirect-unresolved`.
        Raises: As `allows_at`.
        Cost: As `allows_at`.
        """
        return Column(self._kernel.decide(as_ids(id), self._agents(agent), as_column(url)))

    def matrix_at(self, id: AnyColumn | float, agents: AnyAgents, url: AnyColumn) -> Column:  # noqa: A002
        """Return for each URL which of many agents may fetch it.

        Args:
            id, url: As for `allows_at`.
            agents: As for `matrix`.
        Returns: A column of structs, as `matrix` returns it.
        Raises: As `allows_at`; InvalidOption: there is no agent, or two have the same name.
        Cost: As `matrix`.
        """
        names, chains = named_chains(agents, use_registry=self._options.use_registry)
        return Column(self._kernel.matrix(as_ids(id), names, chains, as_column(url)))

    @property
    def has_text_ids(self) -> bool:
        """Whether an ID of the files is a text, or the type of their column in a table without rows."""
        return self._has_text_column or self._kernel.has_text_ids()

    @property
    def use_registry(self) -> bool:
        """Whether an agent is the name of a crawler in the registry."""
        return self._options.use_registry

    def _agents(self, agent: object) -> Any:
        return as_agents(agent, use_registry=self._options.use_registry)

    def __reduce__(self) -> NoReturn:
        raise TypeError("Files cannot be pickled: create one in each process, from the table or its file")

    def __len__(self) -> int:
        return len(self._kernel)

    def __repr__(self) -> str:
        return f"<Files: {len(self)} distinct contents, profile {self._options.profile}>"


def _check_names(names: list[str], **expected: str) -> None:
    """Raise InvalidColumn for a table without one of the expected columns, and for a column in place of a table."""
    if not names:
        shown = " and ".join(map(repr, expected.values()))
        raise InvalidColumn(f"invalid Arrow data: no columns: expected a table with the columns {shown}, or a mapping")
    for option, name in expected.items():
        if name not in names:
            other = "origin" if option == "id" and "origin" in names else "..."
            raise InvalidColumn(
                f"invalid Arrow data: a table without the column {name!r}; its columns are {', '.join(names)}: "
                f"pass {option}={other!r}"
            )


def check_mapping(files: Mapping[Any, Any]) -> None:
    """Raise TypeError for a mapping from names of columns to columns."""
    name, first = next(iter(files.items()), (None, None))
    if is_arrow(first) or (isinstance(first, Iterable) and not isinstance(first, str | bytes | bytearray | memoryview)):
        raise TypeError(
            f"the mapping has a {type(first).__name__} as the content of {name!r}: expected a content for each ID, "
            "such as dict(zip(ids, contents)), or pass the columns as a data frame or a table of Arrow data"
        )
