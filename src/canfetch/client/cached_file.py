"""A file as a client keeps it: its octets, and the parse, made once. Origins whose files are the same share one."""

import hashlib
from typing import Final, NamedTuple

from canfetch.client.options import Options
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.engines import engine_name


class _Taken(NamedTuple):
    """About what a parsed file takes, in octets of memory: whatever it holds, and for each of what it holds."""

    whatever: int
    octet: float
    record: int
    agent_line: int
    wildcard: int


# Measured, after questions for two agents, with files of many short lines, distinct or not, and of few long ones.
_TAKEN: Final = {
    "native": _Taken(whatever=3072, octet=1.25, record=24, agent_line=75, wildcard=0),
    "python": _Taken(whatever=4096, octet=2.0, record=250, agent_line=0, wildcard=300),
    "both": _Taken(whatever=7168, octet=3.25, record=274, agent_line=75, wildcard=300),
}


class CachedFile:
    """The octets of a robots.txt, whosever they are, and how a client reads them.

    It knows no origin: whoever asks it about a URL knows that the URL is of an origin that has this file.
    `holders` is how many origins of the client's memory have it; the memory alone counts.
    """

    __slots__ = ("_options", "_parsed", "_sha256", "content", "holders")

    def __init__(self, content: bytes, options: Options) -> None:
        self.content = content
        self.holders = 0
        self._options = options
        self._parsed: RobotsTxt | None = None
        self._sha256: str | None = None

    @property
    def memory_bytes(self) -> int:
        """About how many octets of memory this takes, as soon as it is asked.

        Cost: O(octets), for a few counts.
        """
        taken, octets = _TAKEN[self._options.engine or engine_name()], self.content
        line_ends = octets.count(b"\n") + octets.count(b"\r") + 1
        # A line without either is no record.
        records = min(line_ends, octets.count(b":") + octets.count(b" ") + octets.count(b"\t"))
        return (
            taken.whatever
            + int((1 + taken.octet) * len(octets))
            + taken.record * records
            + taken.agent_line * min(records, octets.lower().count(b"agent"))
            + taken.wildcard * min(records, octets.count(b"*"))
        )

    @property
    def sha256(self) -> str:
        """The hash of the octets, in hex.

        Cost: O(octets) at the first call.
        """
        if self._sha256 is None:
            self._sha256 = hashlib.sha256(self.content).hexdigest()
        return self._sha256

    def parsed(self) -> RobotsTxt:
        """Give the file parsed.

        Cost: O(octets) at the first call.
        """
        if self._parsed is None:
            options = self._options
            self._parsed = parse(
                self.content, profile=options.profile.name, max_bytes=options.max_bytes, engine=options.engine
            )
        return self._parsed
