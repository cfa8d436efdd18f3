"""The kernel of the Python engine: the same answers as the native one, row by row."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple

from canfetch.bulk.arguments import Chain, chain_agent, resolve_crawler, resolve_name
from canfetch.bulk.arrow_values import IDS, TEXTS, Value, column_values, table_columns
from canfetch.bulk.column import ValueColumn
from canfetch.bulk.types import BOOL, DECISION, USAGE, struct_of
from canfetch.core.agent import Agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.index import parse_purpose
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.urls import split_url
from canfetch.errors import InvalidColumn

# A parsed file needs several times the memory of its content.
_CACHED_BYTES: Final = 32 * 1024 * 1024
_CACHED_NAMES: Final = 100_000
_CACHED_NAME_BYTES: Final = 8 * 1024 * 1024
_ID_LIMIT: Final = 2**63
# As in the native engine.
_LINES_LIMIT: Final = 100


class _Row(NamedTuple):
    """A row: its rules and its URL, or the reason why it has no verdict."""

    rules: list[AgentRules]
    url: bytes
    reason: str | None
    robots: RobotsTxt | None = None


class PythonKernel:
    """Decides columns in the Python engine.

    Args: options: The options of the files. by_id: Whether rows name files that were loaded.
    """

    def __init__(self, options: Any, *, by_id: bool) -> None:
        self._profile = options.profile
        self._max_bytes = options.max_bytes
        self._resolve = resolve_crawler if options.use_registry else resolve_name
        self._by_id = by_id
        self._contents: dict[bytes, RobotsTxt] = {}
        self._content_bytes = 0
        self._files: dict[Value, bytes | None] = {}
        self._agents: dict[bytes, Agent | None] = {}
        self._name_bytes = 0

    def allows(self, file: Any, agent: Any, url: Any) -> ValueColumn:
        """Return whether each URL may be fetched."""
        return ValueColumn(BOOL, [self._allows(row) for row in self._rows(file, agent, url)])

    @staticmethod
    def _allows(row: _Row | None) -> bool | None:
        if row is None or row.reason is not None:
            return None
        return row.rules[0].allows(row.url)

    def decide(self, file: Any, agent: Any, url: Any) -> ValueColumn:
        """Return the verdicts."""
        return ValueColumn(DECISION, [_decide(row) for row in self._rows(file, agent, url)])

    def matrix(self, file: Any, names: list[str], chains: list[Chain], url: Any) -> ValueColumn:
        """Return whether each URL may be fetched by each agent."""
        rows = (
            (None,) * len(names) if row is None or row.reason else tuple(rules.allows(row.url) for rules in row.rules)
            for row in self._rows(file, None, url, fixed=[chain_agent(chain) for chain in chains])
        )
        return ValueColumn(struct_of(**dict.fromkeys(names, BOOL)), list(rows))

    def usage(self, file: Any, agent: Any, url: Any, purpose: Any) -> ValueColumn:
        """Return the preferences on a use of content."""
        names = column_values(purpose)
        _check_texts(names, "purposes")
        # An empty name counts as null.
        purposes = [
            parse_purpose(name.decode("utf-8", "replace")) if isinstance(name, bytes) and name else None
            for name in names
        ]
        rows = self._rows(file, agent, url, further=len(purposes))
        of_rows = repeat(purposes[0]) if len(purposes) == 1 else purposes
        return ValueColumn(USAGE, [_usage(row, purpose) for row, purpose in zip(rows, of_rows, strict=False)])

    def load(self, ids: Any, contents: Any) -> None:
        """Load files with IDs."""
        keys, values = column_values(ids, IDS), column_values(contents)
        if len(keys) != len(values):
            raise InvalidColumn(f"invalid Arrow data: {len(keys)} IDs of {len(values)} files")
        for key, content in zip(keys, values, strict=True):
            if key is None or key in self._files or _is_too_large(key):
                raise InvalidColumn(f"invalid Arrow data: {_fault(key)}")
            if isinstance(content, int):
                raise InvalidColumn("invalid Arrow data: a column of integers: expected the content of files")
            self._files[key] = content

    def load_table(self, table: Any, id_name: str, content_name: str) -> None:
        """Load files from two columns of a table."""
        self.load(*table_columns(table, id_name, content_name))

    def clear(self) -> None:
        """Forget all files that were not loaded, and all agents."""
        self._contents.clear()
        self._content_bytes = 0
        self._clear_agents()

    def _clear_agents(self) -> None:
        self._agents.clear()
        self._name_bytes = 0

    def __len__(self) -> int:
        return len(set(self._files.values()) - {None}) if self._by_id else len(self._contents)

    def _rows(
        self, file: Any, agent: Any, url: Any, *, fixed: list[Agent] | None = None, further: int = 1
    ) -> Iterator[_Row | None]:
        """Yield the rows; None if an input is null.

        Args: fixed: Agents that are the same for all rows. further: The length of a column that is read elsewhere.
        """
        files, urls = column_values(file, IDS if self._by_id else TEXTS), column_values(url)
        if isinstance(agent, tuple):
            fixed = [chain_agent(agent)]
        columns = [files, urls] if fixed else [files, urls, column_values(agent)]
        _check_types(columns, by_id=self._by_id)
        for key, address, *name in _rows_of(columns, further):
            if key is None or address is None or None in name:
                yield None
                continue
            assert isinstance(address, bytes)
            yield self._row(key, fixed or [self._agent(value) for value in name], address)

    def _row(self, key: bytes | int, agents: Sequence[Agent | None], url: bytes) -> _Row:
        if agents[0] is None:
            return _Row([], url, "invalid-agent")
        if split_url(url) is None:
            return _Row([], url, "invalid-url")
        content = self._files.get(key) if self._by_id else key
        if content is None:
            return _Row([], url, "no-robots")
        assert isinstance(content, bytes)
        robots = self._parse(content)
        return _Row([robots.rules_for(agent) for agent in agents if agent is not None], url, None, robots)

    def _parse(self, content: bytes) -> RobotsTxt:
        robots = self._contents.get(content)
        if robots is None:
            if self._content_bytes > _CACHED_BYTES:
                self._contents.clear()
                self._content_bytes = 0
            engine = None if self._profile.startswith("cpython") else "python"
            robots = parse(content, profile=self._profile, max_bytes=self._max_bytes, engine=engine)
            self._contents[content] = robots
            self._content_bytes += len(content)
        return robots

    def _agent(self, name: Value) -> Agent | None:
        assert isinstance(name, bytes)
        if name not in self._agents:
            if len(self._agents) >= _CACHED_NAMES or self._name_bytes > _CACHED_NAME_BYTES:
                self._clear_agents()
            chain = self._resolve(name)
            self._agents[name] = None if chain is None else chain_agent(chain)
            self._name_bytes += len(name)
        return self._agents[name]


def _fault(key: Value) -> str:
    if key is None:
        return "a file without an ID"
    if _is_too_large(key):
        return "an ID that does not fit into 64 bits"
    return f"two files with the ID {key if isinstance(key, int) else key.decode('utf-8', 'replace')}"


def _is_too_large(key: Value) -> bool:
    return isinstance(key, int) and abs(key) >= _ID_LIMIT


def _check_types(columns: list[list[Value]], *, by_id: bool) -> None:
    for index, column in enumerate(columns):
        if index or not by_id:
            _check_texts(column, ("the content of files", "URLs", "agents")[index])


def _check_texts(column: list[Value], expected: str) -> None:
    if any(isinstance(value, int) for value in column):
        raise InvalidColumn(f"invalid Arrow data: a column of integers: expected {expected}")


def _rows_of(columns: list[list[Value]], further: int) -> Iterable[tuple[Value, ...]]:
    lengths = [*(len(column) for column in columns), further]
    total = next((length for length in lengths if length != 1), 1)
    if any(length not in (1, total) for length in lengths):
        shown = ", ".join(map(str, lengths))
        raise InvalidColumn(f"invalid Arrow data: columns with different numbers of rows: {shown}")
    return zip(*(column * total if len(column) == 1 else column for column in columns), strict=True)


def _decide(row: _Row | None) -> tuple[bool | None, str | None, int | None, str | None, int | None]:
    if row is None:
        return None, None, None, None, None
    if row.reason is not None:
        return None, row.reason, None, None, None
    verdict = row.rules[0].decide(row.url)
    rule = verdict.rule
    if rule is None:
        return verdict.allowed, str(verdict.reason), None, None, None
    return verdict.allowed, str(verdict.reason), rule.line, str(rule), rule.specificity


def _usage(row: _Row | None, purpose: UsagePurpose | None) -> tuple[Any, ...]:
    if row is None or purpose is None:
        return (None,) * 5
    if row.robots is None:
        return None, row.reason, None, None, None
    found = row.robots.usage(row.url, agent=row.rules[0].agent, purpose=purpose)
    verdict = found.verdict
    lines = list(found.lines[:_LINES_LIMIT])
    return str(found.preference), str(verdict.reason), verdict.allowed, lines, found.explanation
