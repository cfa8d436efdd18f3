"""Pages whose decisions are those of rules: the kernel decides many of them in a call."""

from collections.abc import Iterator
from typing import Final

import pyarrow as pa
from pyarrow import compute

from canfetch.bulk.archives.decided_texts import CALL_BYTES
from canfetch.bulk.archives.decisions import FileDecisions, Use
from canfetch.bulk.archives.filter_lists import Evidence, FilterOptions, read_robots, robots_evidence
from canfetch.bulk.arguments import as_agents
from canfetch.bulk.decisions import shared_kernel
from canfetch.bulk.kernels import KernelOptions
from canfetch.bulk.uses import UseArrays, use_arrays

# The types of the cells of `robots_evidence`.
_EVIDENCE: Final = (*(pa.string(),) * 3, pa.float64(), *(pa.string(),) * 4, pa.float64())


class RuledPages:
    """Pages that the rules of files decide. Each has a number.

    Args: options: The agents, the profile and the use.
    """

    def __init__(self, options: FilterOptions) -> None:
        self.numbers: list[int] = []
        self._options = options
        self._urls: list[bytes] = []
        self._contents: list[bytes] = []
        self._content_indices: list[int] = []
        self._content_bytes = 0
        self._until: list[float | None] = []
        # The file whose content is at each index. The files are kept, so that no other one gets the same identity.
        self._indices: dict[FileDecisions, int] = {}
        self._files: list[FileDecisions] = []

    @property
    def is_full(self) -> bool:
        """Whether the files have enough content for a call."""
        return self._content_bytes >= CALL_BYTES

    def add(self, number: int, url: bytes, file: FileDecisions, rules: bytes, until: float | None = None) -> None:
        """Add a page. Pages that have the same file share its content.

        Args: until: The time of the next capture of the file, or None.
        """
        index = self._indices.get(file)
        if index is None:
            index = self._indices[file] = len(self._contents)
            self._contents.append(rules)
            self._files.append(file)
            self._content_bytes += len(rules)
        self.numbers.append(number)
        self._urls.append(url)
        self._content_indices.append(index)
        self._until.append(until)

    def decided(self) -> Iterator[pa.Table]:
        """Yield for each agent the columns of `DECISION_COLUMNS` and of `FilterOptions.use_columns`."""
        indices, urls = pa.array(self._content_indices, pa.int32()), pa.array(self._urls, pa.binary())
        contents = pa.DictionaryArray.from_arrays(indices, pa.array(self._contents, pa.binary()))
        kernel_options = KernelOptions(self._options.profile, warns=False)
        for _, agent in self._options.agents:
            agents = as_agents(agent, use_registry=False)
            verdicts = pa.table(shared_kernel(kernel_options).decide(contents, agents, urls))
            decided = verdicts.drop_columns("specificity")
            if self._options.use is not None:
                purposes, with_others = [self._options.use], self._options.with_others
                uses = use_arrays(kernel_options, contents, agents, urls, purposes, with_others=with_others)
                for column, cells in zip(self._options.use_columns, self._use_cells(uses), strict=True):
                    decided = decided.append_column(column.name, cells)
            yield decided

    def _use_cells(self, uses: UseArrays) -> Iterator[pa.Array]:
        """Yield the cells of `USE_COLUMNS`."""
        use, kind, line, token = uses.use, uses.kind, uses.line, uses.token
        places = list(zip(self._content_indices, line.to_pylist(), strict=True))
        stated: dict[int, set[int]] = {}
        for index, number in places:
            if number is not None:
                stated.setdefault(index, set()).add(number)
        texts = {index: self._files[index].line_texts(numbers) for index, numbers in stated.items()}
        found = [None if number is None else texts[index][number] for index, number in places]
        sources = [self._files[index].provenance for index in self._content_indices]
        # A page without a verdict, as of an invalid URL, has no capture that decides.
        is_decided = use.is_valid()
        yield from (use, kind, line, pa.array(found, pa.string()), token)
        yield compute.if_else(is_decided, pa.array([one.time for one in sources], pa.float64()), None)
        yield compute.if_else(is_decided, pa.array([one.url for one in sources], pa.string()), None)
        yield compute.if_else(is_decided, pa.array([one.is_truncated for one in sources], pa.bool_()), None)
        yield compute.if_else(is_decided, pa.array([one.detail for one in sources], pa.string()), None)
        yield uses.group
        yield uses.unread
        stated_uses = map(Use, *(column.to_pylist() for column in (use, kind, line)))
        read = map(read_robots, sources)
        evidence = map(Evidence, read, uses.rule.to_pylist(), uses.note.to_pylist(), self._until)
        columns = list(zip(*map(robots_evidence, stated_uses, sources, evidence), strict=True))
        yield from map(pa.array, columns or [()] * len(_EVIDENCE), _EVIDENCE)
        if self._options.with_others:
            yield uses.others
