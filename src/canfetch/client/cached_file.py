"""A file in the memory of a client: its content, parsed once. Origins with identical files share one."""

import hashlib
from typing import Final, NamedTuple

from canfetch.client.options import Options
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.engines import engine_name


class _MemoryCost(NamedTuple):
    """The approximate memory of a parsed file, in bytes: a fixed part, and a part for each thing in the file."""

    fixed: int
    byte: float
    record: int
    agent_line: int
    wildcard: int


# Measured after queries for two agents, with files of many short lines, distinct or equal, and of few long lines.
_MEMORY_COSTS: Final = {
    "native": _MemoryCost(fixed=3072, byte=1.25, record=24, agent_line=75, wildcard=0),
    "python": _MemoryCost(fixed=4096, byte=2.0, record=250, agent_line=0, wildcard=300),
    "both": _MemoryCost(fixed=7168, byte=3.25, record=274, agent_line=75, wildcard=300),
}


class CachedFile:
    """The content of a robots.txt, and its parse according to the options of a client.

    A cached file has no reference to its origin. Callers ensure that a URL belongs to an origin with this file.
    `reference_count` is the number of origins in the `OriginCache` that have the file. Only that cache changes it.
    """

    __slots__ = ("_options", "_parsed", "_sha256", "content", "reference_count")

    def __init__(self, content: bytes, options: Options) -> None:
        self.content = content
        self.reference_count = 0
        self._options = options
        self._parsed: RobotsTxt | None = None
        self._sha256: str | None = None

    @property
    def memory_bytes(self) -> int:
        """The approximate memory of the file after its first use, in bytes.

        Cost: O(bytes of the file), to count characters.
        """
        cost, content = _MEMORY_COSTS[self._options.engine or engine_name()], self.content
        line_ends = content.count(b"\n") + content.count(b"\r") + 1
        # A record has a colon or whitespace.
        records = min(line_ends, content.count(b":") + content.count(b" ") + content.count(b"\t"))
        return (
            cost.fixed
            + int((1 + cost.byte) * len(content))
            + cost.record * records
            + cost.agent_line * min(records, content.lower().count(b"agent"))
            + cost.wildcard * min(records, content.count(b"*"))
        )

    @property
    def sha256(self) -> str:
        """The SHA-256 hash of the content, in hex.

        Cost: O(bytes of the file) on the first call.
        """
        if self._sha256 is None:
            self._sha256 = hashlib.sha256(self.content).hexdigest()
        return self._sha256

    def parse(self) -> RobotsTxt:
        """Return the parsed file.

        Cost: O(bytes of the file) on the first call.
        """
        if self._parsed is None:
            options = self._options
            self._parsed = parse(
                self.content, profile=options.profile.name, max_bytes=options.max_bytes, engine=options.engine
            )
        return self._parsed
