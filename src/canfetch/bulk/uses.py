"""Whether files permit a use of content, for columns of contents, agents and URLs.

    contents, agents, URLs -> kernel: preferences, and verdicts for each control token -> most restrictive statements

pyarrow combines the columns of the kernel.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Final, NamedTuple

from canfetch.agents.crawler import Crawler
from canfetch.bulk.arguments import (
    AnyColumn,
    Chain,
    as_agents,
    as_column,
    chain_agent,
    is_arrow,
    resolve_crawlers,
    resolve_names,
)
from canfetch.bulk.arrow_values import Value, is_text, read_values
from canfetch.bulk.column import ArrowColumn, Column, ColumnSource
from canfetch.bulk.decisions import shared_kernel
from canfetch.bulk.extras import import_extra, import_pyarrow
from canfetch.bulk.kernels import KernelOptions, kernel_options
from canfetch.bulk.types import USE, arrow_type
from canfetch.consent.purposes import control_tokens, find_purpose
from canfetch.consent.statements import deciding_note
from canfetch.consent.verdict import STANDARDS, StatementKind, combination, unread_beside_robots
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.errors import InvalidColumn

_REASON: Final = "to combine columns"
_LICENSE_KEY: Final = b"license"
# The uses of a column, with `UseVerdict.allowed`.
_ALLOWED: Final = {str(Preference.ALLOW): True, str(Preference.DISALLOW): False, str(Preference.UNKNOWN): None}


def may_use(
    content: AnyColumn,
    agent: AnyColumn | Agent,
    url: AnyColumn,
    *,
    purpose: str,
    profile: str | None = None,
    edition: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    use_registry: bool = False,
    engine: str | None = None,
) -> Column:
    """Return what each file states on the use of content that an agent fetches from a URL for `purpose`.

    The answer is that of `canfetch.may_use` if robots.txt is the only source. `usage` returns only the preferences of
    the agent's groups. Here a rule that disallows the URL also disallows its use, and so does a rule for a control
    token of the agent's operator, such as Google-Extended.

    Each content must be a robots.txt. In a table of `canfetch bulk parse`, it can be the body of an error:
    pass only the rows whose `effect` is `conditional-allow` and whose `redirects` is 0.

    Args:
        content, agent, url, profile, edition, max_bytes, use_registry, engine: As for `allows`.
        purpose: `training`, `search` or `ai-use`, or another name that `canfetch.may_use` accepts.
    Returns: A column of structs: `use` is `allow`, `disallow` or `unknown`. `kind`, a `StatementKind`, and `line` are
        those of the first statement that decides, and null if nothing is stated. `explanation` is the reason in one
        sentence. `token` is the control token whose rule decides, or null. `standard` is that of the statement, and
        `rule` the one by which statements are combined. `unread` lists the sources that could change the answer, or is
        null if it is final. `note` is what the statement means, such as the user-agent line of its group. All fields
        are null in a row for which `allows` is null.
    Raises: As `allows`; InvalidOption: `purpose` is unknown; MissingExtra: pyarrow is not installed.
    Cost: As `usage`, plus `decide` for each control token of an operator of the agents, and `parse` for each file that
        states something on the use.
    """
    options = kernel_options(profile, edition, max_bytes=max_bytes, use_registry=use_registry, engine=engine)
    return _may_use(options, content, agent, url, [find_purpose(purpose)])


def may_use_by_purpose(
    content: AnyColumn, agent: AnyColumn | Agent, url: AnyColumn, purpose: AnyColumn, **options: Any
) -> Column:
    """As `may_use`, with a column of purposes. All fields of a row are null if its purpose is null or empty.

    Raises: As `may_use`; InvalidColumn: `purpose` is not text or bytes.
    """
    return _may_use(kernel_options(**options), content, agent, url, find_purposes(read_values(as_column(purpose))))


def find_purposes(names: list[Value]) -> list[UsagePurpose | None]:
    """Return the purposes with these names. An empty name counts as null.

    Raises: InvalidOption: A purpose is unknown; InvalidColumn: A name is an integer.
    """
    if any(isinstance(name, int) for name in names):
        raise InvalidColumn("invalid Arrow data: a column of integers: expected purposes")
    distinct = {name for name in names if isinstance(name, bytes) and name}
    found: dict[Value, UsagePurpose] = {name: find_purpose(name.decode("utf-8", "replace")) for name in distinct}
    return [found.get(name) for name in names]


def _may_use(
    options: KernelOptions,
    content: AnyColumn,
    agent: AnyColumn | Agent,
    url: AnyColumn,
    purposes: list[UsagePurpose | None],
) -> Column:
    agents = as_agents(agent, use_registry=options.use_registry)
    arrays = use_arrays(options, as_column(content), agents, as_column(url), purposes)
    struct = import_pyarrow(_REASON).StructArray.from_arrays(list(arrays[:-1]), fields=list(arrow_type(USE)))
    return Column(ArrowColumn(struct))


class UseArrays(NamedTuple):
    """The fields of `may_use` as arrays of pyarrow, and the group of the rule for the control token."""

    use: Any
    kind: Any
    line: Any
    explanation: Any
    token: Any
    standard: Any
    rule: Any
    unread: Any
    note: Any
    group: Any


def use_arrays(
    options: KernelOptions, content: Any, agents: Any, url: Any, purposes: Sequence[UsagePurpose | None]
) -> UseArrays:
    """Return the answers of `may_use`.

    Args:
        options: The options of the files.
        content, url: Columns, as `as_column` returns them.
        agents: Agents, as `as_agents` returns them.
        purposes: The purpose of each row, or one for all rows.
    Raises: As `may_use`.
    """
    pa = import_pyarrow(_REASON)
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    kernel = shared_kernel(options)
    content, agents, url = (_reusable(column) for column in (content, agents, url))
    names = [None if purpose is None else str(purpose) for purpose in purposes]
    # It raises if a column is invalid.
    usage = pa.array(Column(kernel.usage(content, agents, url, names)))
    content = _encoded(content)
    chains, agent_numbers = _chains(agents, use_registry=options.use_registry)

    def decide(function: Callable[[Any, Any, Any], ColumnSource], agent: Agent, rows: Any) -> Any:
        """Decide the rows for which a mask is true."""
        columns = [column if len(column) == 1 else column.filter(rows) for column in (content, url)]
        chain = as_agents(agent, use_registry=False)
        decided = pa.array(Column(function(columns[0], chain, columns[1])))
        return _repeated(decided, compute.sum(rows).as_py())

    may_fetch, disallow = usage.field("allowed"), str(Preference.DISALLOW)
    found = [
        compute.if_else(may_fetch, usage.field("preference"), disallow),
        *(usage.field(name) for name in ("kind", "line", "explanation")),
        pa.nulls(len(usage), pa.string()),
        pa.nulls(len(usage), pa.string()),
    ]
    tokens = list(_tokens(chains, agent_numbers, purposes))
    url = _as_bytes(url) if tokens else url
    # The first token decides, so its rules replace those of the others.
    for crawler, conditions in reversed(tokens):
        refused = reduce(compute.and_, conditions, may_fetch).fill_null(False)
        if not compute.any(refused).as_py():
            continue
        allowed = decide(kernel.allows, crawler.agent, refused)
        refused = compute.replace_with_mask(refused, refused, compute.invert(allowed))
        if not compute.any(refused).as_py():
            continue
        verdicts = decide(kernel.decide, crawler.agent, refused)
        line = verdicts.field("line")
        # Without the groups for `*`, a rule in one of them does not decide.
        of_every = decide(kernel.allows, Agent(crawler.agent.tokens, star_applies=False), refused)
        text = compute.binary_join_element_wise(
            compute.if_else(
                of_every, f"a rule for {crawler.name}, in the group for *: line ", f"a rule for {crawler.name}: line "
            ),
            *(line.cast(pa.string()), ", ", verdicts.field("rule")),
            "",
        )
        group = compute.if_else(of_every, "*", crawler.name)
        stated = (disallow, str(StatementKind.CONTROL_TOKEN), line, text, crawler.name, group)
        found = [compute.replace_with_mask(old, refused, new) for old, new in zip(found, stated, strict=True)]
    use, kind, line, explanation, token, group = found
    questions = _Questions(options, content, chains, agent_numbers, purposes, len(use))
    unread, note = questions.unread(use), questions.notes(kind, line, token)
    return UseArrays(use, kind, line, explanation, token, _standards(kind), _rules(use, kind), unread, note, group)


def _standards(kind: Any) -> Any:
    """Return the standard of each kind."""
    return _replaced(kind, {str(one): standard for one, standard in STANDARDS.items()})


def _rules(use: Any, kind: Any) -> Any:
    """Return the rule of combination of each row."""
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    refusals = {str(one): combination(one, allowed=False) for one in StatementKind}
    others = {str(Preference.ALLOW): combination(None, allowed=True), "unknown": combination(None, allowed=None)}
    return compute.coalesce(_replaced(use, others), _replaced(kind, refusals))


def _replaced(column: Any, values: Mapping[str, str]) -> Any:
    """Return a column of text with other values, and null for those that are not named."""
    pa = import_pyarrow(_REASON)
    return pa.array(list(values.values()), pa.string()).take(_numbers_of(column, list(values)))


class _Questions:
    """Questions about rows whose answers depend on the file, the agent and the purpose, but not on the URL.

    Equal rows have one answer.

    Args:
        options: The options of the files.
        content: The contents, as a dictionary.
        chains, agent_numbers: As `_chains` returns them.
        purposes: The purpose of each row, or one for all rows.
        length: The number of rows.
    """

    def __init__(
        self,
        options: KernelOptions,
        content: Any,
        chains: Sequence[Chain | None],
        agent_numbers: Any,
        purposes: Sequence[UsagePurpose | None],
        length: int,
    ) -> None:
        pa = import_pyarrow(_REASON)
        self._options, self._chains, self._length = options, chains, length
        self._contents = content.dictionary
        self._distinct = list(dict.fromkeys(purposes))
        purpose_numbers = pa.array([self._distinct.index(purpose) for purpose in purposes], pa.int64())
        self._numbers = (content.indices.cast(pa.int64()), agent_numbers, purpose_numbers)

    def unread(self, use: Any) -> Any:
        """Return the sources that could change each answer. Most rows of a purpose have the same ones."""
        pa = import_pyarrow(_REASON)
        compute = import_extra("pyarrow.compute", "arrow", _REASON)
        files, _, purposes = self._numbers
        usual = pa.array([None if one is None else _usual_unread(one) for one in self._distinct], pa.string())
        is_final = compute.equal(use, str(Preference.DISALLOW))
        # Null in rows without an answer.
        unread = compute.if_else(is_final, None, _repeated(usual.take(purposes), self._length))
        special = _special_files(self._options, self._contents)
        if not special:
            return unread
        allowed = list(_ALLOWED.values())

        def answer(file: int, agent: Agent, purpose: UsagePurpose, use: int) -> str | None:
            robots, may_name_license = special[file]
            return unread_beside_robots(
                purpose,
                allowed=allowed[use],
                robots_is_read=not robots.tail,
                names_license=may_name_license and bool(robots.licenses(agent=agent)),
            )

        is_special = _repeated(compute.is_in(files, pa.array(list(special))), self._length)
        rows = compute.and_(use.is_valid(), is_special)
        return compute.replace_with_mask(unread, rows, self._answers(rows, answer, _numbers_of(use, list(_ALLOWED))))

    def notes(self, kind: Any, line: Any, token: Any) -> Any:
        """Return the note of each statement that decides."""
        pa = import_pyarrow(_REASON)
        compute = import_extra("pyarrow.compute", "arrow", _REASON)
        kinds = list(StatementKind)
        tokens = compute.unique(token.drop_null()).to_pylist()
        number, robots = -1, None

        def answer(file: int, agent: Agent, purpose: UsagePurpose, kind: int, line: int, token: int) -> str:
            nonlocal number, robots
            if robots is None or number != file:
                # Only one file is in memory. The rows are sorted by file.
                number, robots = file, self._parsed(read_values(self._contents.slice(file, 1))[0])
            return deciding_note(robots, agent, purpose, kinds[kind], line or None, (None, *tokens)[token])

        rows = kind.is_valid()
        # 0 is null.
        lines = line.cast(pa.int64()).fill_null(0)
        token_numbers = compute.add(_numbers_of(token, tokens).fill_null(-1), 1)
        notes = self._answers(rows, answer, _numbers_of(kind, [str(one) for one in kinds]), lines, token_numbers)
        return compute.replace_with_mask(pa.nulls(self._length, pa.string()), rows, notes)

    def _parsed(self, content: Value) -> RobotsTxt:
        assert isinstance(content, bytes)
        return parse(content, profile=self._options.profile, max_bytes=self._options.max_bytes)

    def _answers(self, rows: Any, answer: Callable[..., str | None], *others: Any) -> Any:
        """Return the answers for the rows of a mask, by the file, the agent and the purpose of each, and other numbers.

        Args: answer: It is called in the order of the files.
        """
        pa = import_pyarrow(_REASON)
        compute = import_extra("pyarrow.compute", "arrow", _REASON)
        columns = [_repeated(column, self._length).filter(rows) for column in (*self._numbers, *others)]
        if not len(columns[0]):
            return pa.nulls(0, pa.string())
        # Equal rows have the same code, which is the position of their numbers in `found`.
        codes = pa.repeat(pa.scalar(0, pa.int64()), len(columns[0]))
        found: list[tuple[int, ...]] = [()]
        for column in columns:
            count = (compute.max(column).as_py() or 0) + 1
            if count == 1:
                found = [(*numbers, 0) for numbers in found]
                continue
            encoded = compute.add(compute.multiply(codes, count), column).dictionary_encode()
            codes = encoded.indices.cast(pa.int64())
            found = [(*found[key // count], key % count) for key in encoded.dictionary.to_pylist()]
        answers: list[str | None] = [None] * len(found)
        for (file, agent, purpose, *rest), code in sorted(zip(found, range(len(found)), strict=True)):
            chain, used_for = self._chains[agent], self._distinct[purpose]
            assert chain is not None
            assert used_for is not None
            answers[code] = answer(file, chain_agent(chain), used_for, *rest)
        return pa.array(answers, pa.string()).take(codes)


def _numbers_of(column: Any, values: Sequence[str]) -> Any:
    """Return the position of each value of a column, or null."""
    pa = import_pyarrow(_REASON)
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    return compute.index_in(column, pa.array(values, pa.string())).cast(pa.int64())


def _usual_unread(purpose: UsagePurpose) -> str | None:
    """Return the sources that could change an answer by a robots.txt that was read and names no license."""
    return unread_beside_robots(purpose, allowed=None, robots_is_read=True, names_license=False)


def _special_files(options: KernelOptions, contents: Any) -> dict[int, tuple[RobotsTxt, bool]]:
    """Return the files that may have a part that was not read, or may name a license, by their number.

    The second value of a file is whether it may name a license.
    """
    special = {}
    for number, content in enumerate(read_values(contents)):
        if isinstance(content, bytes):
            names_license = may_name_license(content)
            if names_license or len(content) > options.max_bytes:
                robots = parse(content, profile=options.profile, max_bytes=options.max_bytes)
                special[number] = (robots, names_license)
    return special


def may_name_license(content: bytes) -> bool:
    """Return whether a robots.txt may name an RSL license. False is certain."""
    # In UTF-16, other bytes are between the characters.
    return b"\0" in content or _LICENSE_KEY in content.lower()


def _encoded(column: Any) -> Any:
    """Return a column as a dictionary of its values."""
    pa = import_pyarrow(_REASON)
    if isinstance(column, list):
        # Rows may share an object, which is encoded once.
        numbers: dict[Any, int] = {}
        indices = [numbers.setdefault(value, len(numbers)) for value in column]
        return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), _as_bytes(list(numbers)))
    array = _as_bytes(column)
    return array if pa.types.is_dictionary(array.type) else array.dictionary_encode()


def _as_bytes(column: Any) -> Any:
    """Return a column as an array of bytes, or as a dictionary if it is one."""
    pa = import_pyarrow(_REASON)
    if is_arrow(column):
        array = pa.chunked_array(column) if hasattr(column, "__arrow_c_stream__") else pa.array(column)
        is_dictionary = pa.types.is_dictionary(array.type)
        if is_text(pa, array.type.value_type if is_dictionary else array.type):
            # The dictionaries of all chunks together can have more values than the keys of a chunk can number.
            array = array.cast(pa.dictionary(pa.int64(), pa.large_binary()) if is_dictionary else pa.large_binary())
            return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return pa.array(read_values(column), pa.large_binary())


def _repeated(array: Any, length: int) -> Any:
    """Return an array with one row for all rows."""
    return array if len(array) == length else array.take(import_pyarrow(_REASON).repeat(0, length))


def _chains(agents: Any, *, use_registry: bool) -> tuple[list[Chain | None], Any]:
    """Return the tokens of each distinct agent, and the number of the agent of each row.

    An agent that is null or invalid is None.
    """
    if isinstance(agents, tuple):
        return [agents], import_pyarrow(_REASON).array([0])
    encoded = _encoded(agents)
    numbers = encoded.indices.cast(import_pyarrow(_REASON).int64())
    names = read_values(encoded.dictionary)
    resolve = resolve_crawlers if use_registry else resolve_names
    chains = resolve([name if isinstance(name, bytes) else b"" for name in names])
    return [None if name is None else chain for name, chain in zip(names, chains, strict=True)], numbers


def _tokens(
    chains: Sequence[Chain | None], agent_numbers: Any, purposes: Sequence[UsagePurpose | None]
) -> Iterator[tuple[Crawler, list[Any]]]:
    """Yield the control tokens of the operators of agents, and conditions on the rows to which a token applies."""
    pa = import_pyarrow(_REASON)
    compute = import_extra("pyarrow.compute", "arrow", _REASON)
    column = pa.array([None if purpose is None else str(purpose) for purpose in purposes], pa.string())
    for purpose in dict.fromkeys(purposes):
        if purpose is None:
            continue
        of_purpose = [compute.equal(column, str(purpose))] if len(column) > 1 else []
        users: dict[Crawler, list[int]] = {}
        for number, chain in enumerate(chains):
            for crawler in () if chain is None else control_tokens(chain_agent(chain), purpose):
                users.setdefault(crawler, []).append(number)
        for crawler, own in users.items():
            numbers = pa.array(own, agent_numbers.type)
            of_agents = [compute.is_in(agent_numbers, numbers)] if len(agent_numbers) > 1 else []
            yield crawler, of_purpose + of_agents


def _reusable(column: Any) -> Any:
    """Return a column that can be read several times. A stream of Arrow data may have its rows only once."""
    if not hasattr(column, "__arrow_c_stream__"):
        return column
    pa = import_pyarrow(_REASON)
    try:
        return pa.chunked_array(column)
    except (pa.ArrowException, UnicodeError) as error:
        raise InvalidColumn(f"invalid Arrow data: {error}") from error
