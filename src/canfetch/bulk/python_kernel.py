"""The kernel of the Python engine: the same answers as the native one, row by row."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple

from canfetch.bulk.arguments import Chain, chain_agent, resolve_crawler, resolve_name
from canfetch.bulk.arrow_values import IDS, TEXTS, ArrowTable, Value, column_values
from canfetch.bulk.cell_texts import rule_text
from canfetch.bulk.column import ValueColumn
from canfetch.bulk.content_check import check_contents
from canfetch.bulk.parsed_files import OUTCOMES, Outcome, Plan
from canfetch.bulk.types import BOOL, DECISION, USAGE, struct_of
from canfetch.consent.statements import record_kind
from canfetch.consent.verdict import StatementKind
from canfetch.core.agent import Agent
from canfetch.core.agent_rules import AgentRules
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.index import parse_purpose
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.extensions.usage import Usage
from canfetch.core.urls import split_url
from canfetch.core.verdict import Reason
from canfetch.errors import InvalidColumn

# A parsed file needs several times the memory of its content.
_CACHED_BYTES: Final = 32 * 1024 * 1024
_CACHED_NAMES: Final = 100_000
_CACHED_NAME_BYTES: Final = 8 * 1024 * 1024
# The range of IDs: what signed or unsigned integers of 64 bits have, without the lowest one.
_LOWEST_ID: Final = 1 - 2**63
_HIGHEST_ID: Final = 2**64 - 1
# As in the native engine.
_LINES_LIMIT: Final = 100
# An empty file has the same verdict for all agents.
_ANY_AGENT: Final = Agent("any")


class _Row(NamedTuple):
    """A row: its rules and its URL, or the reason why no rule decides, and whether the URL is allowed nevertheless."""

    rules: list[AgentRules]
    url: bytes
    reason: str | None
    robots: RobotsTxt | None = None
    allowed: bool | None = None


class PythonKernel:
    """Decides columns in the Python engine.

    Args: options: The options of the files. by_id: Whether rows name files that were loaded.
    """

    def __init__(self, options: Any, *, by_id: bool) -> None:
        self._profile = options.profile
        self._max_bytes = options.max_bytes
        self._resolve = resolve_crawler if options.use_registry else resolve_name
        self._by_id = by_id
        self._warns = options.warns
        self._contents: dict[bytes, RobotsTxt] = {}
        self._content_bytes = 0
        self._files: dict[Value, bytes | Outcome | None] = {}
        self._agents: dict[bytes, Agent | None] = {}
        self._name_bytes = 0

    def allows(self, file: Any, agent: Any, url: Any) -> ValueColumn:
        """Return whether each URL may be fetched."""
        return ValueColumn(BOOL, [self._allows(row) for row in self._rows(file, agent, url)])

    @staticmethod
    def _allows(row: _Row | None) -> bool | None:
        if row is None or row.reason is not None:
            return None if row is None else row.allowed
        return row.rules[0].allows(row.url)

    def decide(self, file: Any, agent: Any, url: Any) -> ValueColumn:
        """Return the verdicts."""
        return ValueColumn(DECISION, [_decide(row) for row in self._rows(file, agent, url)])

    def matrix(self, file: Any, names: list[str], chains: list[Chain], url: Any) -> ValueColumn:
        """Return whether each URL may be fetched by each agent."""
        rows = (
            (None if row is None else row.allowed,) * len(names)
            if row is None or row.reason
            else tuple(rules.allows(row.url) for rules in row.rules)
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
        values = column_values(contents)
        self._check_contents(values)
        self._add(column_values(ids, IDS), values)

    def _add(self, keys: list[Value], values: Sequence[Value | Outcome]) -> None:
        if len(keys) != len(values):
            raise InvalidColumn(f"invalid Arrow data: {len(keys)} IDs of {len(values)} files")
        for key, content in zip(keys, values, strict=True):
            if key is None or key in self._files or _is_too_large(key):
                raise InvalidColumn(f"invalid Arrow data: {_fault(key)}")
            if isinstance(content, int):
                raise InvalidColumn("invalid Arrow data: a column of integers: expected the content of files")
            self._files[key] = content

    @staticmethod
    def open_table(table: Any) -> ArrowTable:
        """Return a table of Arrow data as this kernel reads it."""
        return ArrowTable(table)

    def load_table(self, table: ArrowTable, id_name: str, content_name: str, plan: Plan | None) -> None:
        """Load files from two columns of a table."""
        ids, contents = table.values(id_name), table.values(content_name, TEXTS)
        if plan is None:
            self._check_contents(contents)
        self._add(ids, contents if plan is None else [_of_source(source, contents, plan) for source in plan.sources])
        aliases = () if plan is None else plan.aliases
        self._add([alias for alias, _ in aliases], [self._files[key] for _, key in aliases])

    def _check_contents(self, contents: list[Value]) -> None:
        if self._warns:
            check_contents(contents)

    def clear(self) -> None:
        """Forget all files that were not loaded, and all agents."""
        self._contents.clear()
        self._content_bytes = 0
        self._clear_agents()

    def _clear_agents(self) -> None:
        self._agents.clear()
        self._name_bytes = 0

    def __len__(self) -> int:
        if not self._by_id:
            return len(self._contents)
        return len({content for content in self._files.values() if isinstance(content, bytes)})

    def _rows(
        self, file: Any, agent: Any, url: Any, *, fixed: list[Agent] | None = None, further: int = 1
    ) -> Iterator[_Row | None]:
        """Yield the rows; None if an input is null.

        Args: fixed: Agents that are the same for all rows. further: The length of a column that is read elsewhere.
        """
        files, urls = column_values(file, IDS if self._by_id else TEXTS), column_values(url)
        if self._by_id:
            self._check_id_kind(files)
        if isinstance(agent, tuple):
            fixed = [chain_agent(agent)]
        columns = [files, urls] if fixed else [files, urls, column_values(agent)]
        _check_types(columns, by_id=self._by_id)
        names = ("id" if self._by_id else "content", "url", "agent")
        lengths = dict(zip(names, map(len, columns), strict=False)) | {"purpose": further}
        if not self._by_id:
            self._check_contents(files)
        for key, address, *name in _rows_of(columns, lengths):
            if key is None or address is None or None in name:
                yield None
                continue
            assert isinstance(address, bytes)
            yield self._row(key, fixed or [self._agent(value) for value in name], address)

    def _check_id_kind(self, ids: list[Value]) -> None:
        """Check that a column of IDs has values of a kind that an ID of the files has."""
        kind = next((type(value) for value in ids if value is not None), None)
        if kind is not None and self._files and not any(isinstance(key, kind) for key in self._files):
            shown = ("text", "integers") if kind is bytes else ("integers", "texts")
            raise InvalidColumn("invalid Arrow data: a column of {}: the IDs of the files are {}".format(*shown))

    def has_text_ids(self) -> bool:
        """Return whether the IDs of the files are texts."""
        return any(isinstance(key, bytes) for key in self._files)

    def _row(self, key: bytes | int, agents: Sequence[Agent | None], url: bytes) -> _Row:
        if agents[0] is None:
            return _Row([], url, "invalid-agent")
        if split_url(url) is None:
            return _Row([], url, "invalid-url")
        content = self._files.get(key) if self._by_id else key
        if content is None:
            return _Row([], url, "no-robots")
        if isinstance(content, Outcome):
            return self._without_rules(content, url)
        assert isinstance(content, bytes)
        robots = self._parse(content)
        return _Row([robots.rules_for(agent) for agent in agents if agent is not None], url, None, robots)

    def _without_rules(self, outcome: Outcome, url: bytes) -> _Row:
        """Return a row that an outcome decides. Profiles may exempt the robots.txt itself."""
        if outcome.allowed is False:
            reason = self._parse(b"").decide(url, agent=_ANY_AGENT).reason
            if reason is Reason.ROBOTS_TXT:
                return _Row([], url, str(reason), allowed=True)
        return _Row([], url, outcome.reason, allowed=outcome.allowed)

    def _parse(self, content: bytes) -> RobotsTxt:
        robots = self._contents.get(content)
        if robots is None:
            if self._content_bytes > _CACHED_BYTES:
                self._contents.clear()
                self._content_bytes = 0
            robots = parse(content, profile=self._profile, max_bytes=self._max_bytes, engine="python")
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


def _of_source(source: int, contents: Sequence[Value], plan: Plan) -> Value | Outcome:
    if source < 0:
        return OUTCOMES[-1 - source]
    return contents[source] if source < len(contents) else plan.further[source - len(contents)]


def _fault(key: Value) -> str:
    if key is None:
        return "a file without an ID"
    if _is_too_large(key):
        return "an ID that does not fit into 64 bits"
    shown = key if isinstance(key, int) else key.decode("utf-8", "replace")
    return f"two files with the ID {shown}: keep one row for each ID"


def _is_too_large(key: Value) -> bool:
    return isinstance(key, int) and not _LOWEST_ID <= key <= _HIGHEST_ID


def _check_types(columns: list[list[Value]], *, by_id: bool) -> None:
    for index, column in enumerate(columns):
        if index or not by_id:
            _check_texts(column, ("the content of files", "URLs", "agents")[index])


def _check_texts(column: list[Value], expected: str) -> None:
    if any(isinstance(value, int) for value in column):
        raise InvalidColumn(f"invalid Arrow data: a column of integers: expected {expected}")


def _rows_of(columns: list[list[Value]], lengths: Mapping[str, int]) -> Iterable[tuple[Value, ...]]:
    """Return the rows of columns. A column with one row is repeated.

    Args: lengths: Their lengths by name, and those of columns that are read elsewhere.
    """
    total = next((length for length in lengths.values() if length != 1), 1)
    if any(length not in (1, total) for length in lengths.values()):
        order = ("id", "content", "agent", "url", "purpose")
        shown = ", ".join(f"{name} {lengths[name]}" for name in order if lengths.get(name, 1) != 1)
        raise InvalidColumn(f"invalid Arrow data: columns with different numbers of rows: {shown}")
    return zip(*(column * total if len(column) == 1 else column for column in columns), strict=True)


def _decide(row: _Row | None) -> tuple[bool | None, str | None, int | None, str | None, int | None]:
    if row is None:
        return None, None, None, None, None
    if row.reason is not None:
        return row.allowed, row.reason, None, None, None
    verdict = row.rules[0].decide(row.url)
    rule = verdict.rule
    if rule is None:
        return verdict.allowed, str(verdict.reason), None, None, None
    return verdict.allowed, str(verdict.reason), rule.line, rule_text(rule), rule.specificity


def _usage(row: _Row | None, purpose: UsagePurpose | None) -> tuple[Any, ...]:
    if row is None or purpose is None:
        return (None,) * 7
    if row.robots is None:
        return None, row.reason, None, None, None, None, None
    found = row.robots.usage(row.url, agent=row.rules[0].agent, purpose=purpose)
    verdict = found.verdict
    lines = list(found.lines[:_LINES_LIMIT])
    decided_by = _decided_by(found)
    return str(found.preference), str(verdict.reason), verdict.allowed, lines, found.explanation, *decided_by


def _decided_by(usage: Usage) -> tuple[str | None, int | None]:
    """Return the kind and the line of the rule that disallows the URL, or of the first statement that decides."""
    verdict = usage.verdict
    if not verdict.allowed:
        return str(StatementKind.RULE), None if verdict.rule is None else verdict.rule.line
    deciding = (one for one in usage.statements if one.usage_preference.preference is usage.preference)
    first = next(deciding, None)
    return (None, None) if first is None else (str(record_kind(first.record.name)), first.line)
