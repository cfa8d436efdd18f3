"""Decisions about a column of URLs by the last captures, with a few operations on columns."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import pyarrow as pa
from pyarrow import compute

from canfetch.bulk.archives.decisions import Decision, FileDecisions
from canfetch.bulk.archives.filter_lists import DECISION_COLUMNS, FilterOptions
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.bulk.arguments import as_agents
from canfetch.bulk.decisions import shared_kernel
from canfetch.bulk.kernels import KernelOptions
from canfetch.bulk.url_origins import url_beginning
from canfetch.bulk.writing.part_writers import arrow_fields
from canfetch.core.verdict import Reason

# The content of files that one call of the kernel gets.
CALL_BYTES: Final = 1 << 25
_SCHEMA: Final = pa.schema(arrow_fields(DECISION_COLUMNS))
_VERDICT_TYPES: Final = (pa.bool_(), pa.string(), pa.bool_())
# A `url_beginning` of nearly all URLs.
_USUAL_BEGINNING: Final = "^(?P<site>https?://[^/?#]*)"


def decide_texts(urls: pa.StringArray, decisions: URLDecisions, options: FilterOptions) -> list[pa.Array]:
    """Return the columns of `FilterOptions.columns`, with a row for each URL and agent, in this order.

    Args:
        decisions: Those by the last captures.
        options: The agents and the profile. There is no use.
    """
    sites = compute.struct_field(compute.extract_regex(urls, _USUAL_BEGINNING), "site")
    if sites.null_count:
        sites = pa.array([url_beginning((url or "").encode()).decode() for url in urls.to_pylist()], pa.string())
    sites = sites.dictionary_encode()
    agents = [as_agents(agent, use_registry=False) for _, agent in options.agents]
    tables, numbers = [], []
    for group in _groups(decisions.find_all(site.encode() for site in sites.dictionary.to_pylist())):
        places, own, rows = sites.indices, urls, pa.array(range(len(urls)), pa.int64())
        if len(group.sites) < len(sites.dictionary):
            first, end = group.sites.start, group.sites.stop
            rows = rows.filter(compute.and_(compute.greater_equal(places, first), compute.less(places, end)))
            places, own = places.take(rows), urls.take(rows)
        for number, agent in enumerate(agents):
            tables.append(group.decided(compute.subtract(places, group.sites.start), own, agent, options.profile))
            numbers.append(compute.add(compute.multiply(rows, len(agents)), number))
    table = tables[0]
    if len(tables) > 1:
        table = pa.concat_tables(tables).take(compute.sort_indices(pa.concat_arrays(numbers)))
    columns = [column.combine_chunks() for column in table.columns]
    if len(agents) > 1:
        columns.insert(0, pa.array([name for name, _ in options.agents] * len(urls), pa.string()))
    return columns


def _groups(files: Iterable[FileDecisions | Decision]) -> Iterator["_Group"]:
    """Yield files in groups whose content one call of the kernel gets. There is at least one group."""
    group = _Group(0)
    for file in files:
        if group.bytes >= CALL_BYTES:
            yield group
            group = _Group(group.sites.stop)
        group.add(file)
    yield group


class _Group:
    """The files of sites.

    Args: first: The number of the first site.
    """

    def __init__(self, first: int) -> None:
        self.sites = range(first, first)
        self.bytes = 0
        # Without rules, the verdict of an empty file shows whether the URL is valid.
        self._contents = [b""]
        self._places: list[int] = []
        self._verdicts: list[tuple[bool | None, str | None, bool]] = []

    def add(self, file: FileDecisions | Decision) -> None:
        """Add the file of the next site."""
        self.sites = range(self.sites.start, self.sites.stop + 1)
        rules = file.rules if isinstance(file, FileDecisions) else None
        self._places.append(0 if rules is None else len(self._contents))
        if rules is not None:
            self._contents.append(rules)
            self.bytes += len(rules)
        self._verdicts.append(_verdict(file))

    def decided(self, sites: pa.Int32Array, urls: pa.StringArray, agent: Any, profile: str) -> pa.Table:
        """Return the columns of `DECISION_COLUMNS`.

        Args:
            sites: The site of each URL, from 0.
            urls, agent, profile: As for the kernel.
        """
        places = pa.array(self._places, pa.int32()).take(sites)
        contents = pa.DictionaryArray.from_arrays(places, pa.array(self._contents, pa.binary()))
        decided = pa.table(shared_kernel(KernelOptions(profile, warns=False)).decide(contents, agent, urls))
        allowed, reason, line, rule, _ = decided.columns
        if 0 in self._places:
            columns = zip(zip(*self._verdicts, strict=True), _VERDICT_TYPES, strict=True)
            other, access, is_for_all = (pa.array(values, kind).take(sites) for values, kind in columns)
            is_page = compute.or_(other, compute.not_equal(reason, str(Reason.ROBOTS_TXT)))
            has_verdict = compute.and_kleene(access.is_valid(), compute.and_kleene(allowed.is_valid(), is_page))
            replaces = compute.or_kleene(is_for_all, has_verdict)
            allowed, reason = compute.if_else(replaces, other, allowed), compute.if_else(replaces, access, reason)
        return pa.table([allowed, reason, line, rule], names=_SCHEMA.names).cast(_SCHEMA)


def _verdict(file: FileDecisions | Decision) -> tuple[bool | None, str | None, bool]:
    """Return the verdict on the URLs of a file without rules, its reason, and whether invalid URLs have it, too."""
    if isinstance(file, Decision):
        return file.allowed, file.reason, True
    return (None, None, False) if file.rules is not None else (not file.disallows_all, file.access, False)
