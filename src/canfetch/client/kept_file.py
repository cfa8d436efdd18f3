"""A file as a client keeps it: its octets, and the parse, made once. Origins whose files are the same share one."""

import hashlib
from typing import Final

from canfetch.client.options import Options
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.engines import engine_name

# About what a parsed file takes beside its octets, by engine: so much whatever it holds, and so much for each octet.
_PARSED_OCTETS: Final = {"native": (2048, 2.5), "python": (2048, 11.5), "both": (4096, 14.0)}


class KeptFile:
    """The octets of a robots.txt, whosever they are, and how a client reads them.

    It knows no origin: whoever asks it about a URL knows that the URL is of an origin that has this file.
    `holders` is how many origins of the client's memory have it; the memory alone counts.
    """

    __slots__ = ("_options", "_parsed", "_sha256", "holders", "octets")

    def __init__(self, octets: bytes, options: Options) -> None:
        self.octets = octets
        self.holders = 0
        self._options = options
        self._parsed: RobotsTxt | None = None
        self._sha256: str | None = None

    @property
    def octets_held(self) -> int:
        """About how many octets of memory this takes."""
        whatever, for_each = _PARSED_OCTETS[self._options.engine or engine_name()]
        return whatever + int((1 + for_each) * len(self.octets))

    @property
    def sha256(self) -> str:
        """The hash of the octets, in hex.

        Cost: O(octets) at the first call.
        """
        if self._sha256 is None:
            self._sha256 = hashlib.sha256(self.octets).hexdigest()
        return self._sha256

    def parsed(self) -> RobotsTxt:
        """Give the file parsed.

        Cost: O(octets) at the first call.
        """
        if self._parsed is None:
            options = self._options
            self._parsed = parse(
                self.octets, profile=options.profile.name, limit_octets=options.limit_octets, engine=options.engine
            )
        return self._parsed
