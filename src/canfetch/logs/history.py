"""The versions of a robots.txt over time."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import chain, pairwise
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

from canfetch.agents.requested import named_tokens
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

# A date, or a date and a time of UTC, at the start of a file's name. Colons are not allowed in names on Windows.
_DATED_NAME: Final = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T_ ](\d\d)[-:]?(\d\d)(?:[-:]?(\d\d))?Z?)?(?![0-9])")
_SUFFIX: Final = ".txt"


class RobotsVersion(NamedTuple):
    """A robots.txt and the time from which it was served.

    Attributes:
        since: Unix seconds, or minus infinity if it was always served.
        robots: The file.
        name: What it is called in messages, such as the name of the file.
    """

    since: float
    robots: RobotsTxt
    name: str = ""


class RobotsHistory:
    """The versions of robots.txt, for all hosts or for each host.

    Args:
        versions: The versions for all hosts that `hosts` does not name.
        hosts: The versions for each host, by its name in lower case, with the port if the log has it.
    """

    __slots__ = ("_default", "_hosts")

    def __init__(
        self, versions: Iterable[RobotsVersion] = (), *, hosts: Mapping[str, Iterable[RobotsVersion]] | None = None
    ) -> None:
        self._default = _ordered(versions)
        self._hosts = {host.lower(): _ordered(own) for host, own in (hosts or {}).items()}

    @classmethod
    def from_file(cls, robots: RobotsTxt) -> "RobotsHistory":
        """Return the history of a single file that was always served, for all hosts."""
        return cls([RobotsVersion(-inf, robots)])

    @classmethod
    def from_folder(cls, folder: Path, *, profile: str = "rfc9309") -> "RobotsHistory":
        """Return the history of the files in a folder.

        Args:
            folder: Files whose names start with the date, or the date and time in UTC, from which each was served,
                such as `2026-05-01.txt` or `2026-05-01T12-30-00Z.txt`. Files in a folder that is named after a host
                are the versions for that host.
            profile: The parsing profile.
        Raises: InvalidOption: A name has no date, two files have the same one, or there are no files.
            OSError: A file cannot be read.
        """
        versions: list[RobotsVersion] = []
        hosts: dict[str, list[RobotsVersion]] = {}
        for path in sorted(folder.iterdir()):
            if path.name.startswith("."):
                continue
            if path.is_dir():
                own = [_read_version(file, profile) for file in sorted(path.iterdir()) if _is_version(file)]
                hosts[path.name.lower()] = own
            elif _is_version(path):
                versions.append(_read_version(path, profile))
        if not versions and not any(hosts.values()):
            raise InvalidOption(f"no robots.txt in {quoted(str(folder))}: expected files such as 2026-05-01.txt")
        return cls(versions, hosts=hosts)

    def with_host(self, host: str) -> "RobotsHistory":
        """Return the history in which the versions for a host are those for requests without a host, too."""
        return RobotsHistory(self._default, hosts={**self._hosts, "": self.versions_for(host)})

    def named_tokens(self) -> dict[str, str]:
        """Return the product tokens that the versions name, as the first one has them, by their lower case.

        Cost: O(groups).
        """
        tokens: dict[str, str] = {}
        for version in chain(self._default, *self._hosts.values()):
            for lowered, token in named_tokens(version.robots).items():
                tokens.setdefault(lowered, token)
        return tokens

    def versions_for(self, host: str) -> tuple[RobotsVersion, ...]:
        """Return the versions for a host, in the order of time.

        Args: host: The host, with or without the port; empty if the log has none.
        """
        if not self._hosts:
            return self._default
        name = host.lower()
        host, port = name, ""
        if ":" in name and not name.endswith("]"):
            host, _, port = name.rpartition(":")
        # The dot of the root makes no other host.
        host = host.removesuffix(".")
        for key in (name, f"{host}:{port}", host):
            if (own := self._hosts.get(key)) is not None:
                return own
        return self._default


class Timeline(NamedTuple):
    """The times at which the versions that count change.

    A crawler may use a file for some time after it changed, so several versions can count at once.

    Attributes:
        starts: The start of each period, in order. The first is minus infinity.
        counting: The indices of the versions that count in each period. Empty before the first version.
    """

    starts: tuple[float, ...]
    counting: tuple[tuple[int, ...], ...]

    @classmethod
    def from_versions(cls, versions: tuple[RobotsVersion, ...], *, grace: float) -> "Timeline":
        """Return the periods of some versions.

        Args: grace: For how many seconds after a change the previous version counts as well.
        """
        since = [version.since for version in versions]
        # A version counts from its start until `grace` after the start of the next one.
        ends = [start + grace for start in since[1:]] + [inf]
        starts = sorted({-inf, *since, *(end for end in ends if end != inf)})
        counting = tuple(
            tuple(index for index in range(len(since)) if since[index] <= start < ends[index]) for start in starts
        )
        return cls(tuple(starts), counting)

    def find(self, at: float) -> int:
        """Return the index of the period at a time."""
        return bisect_right(self.starts, at) - 1


def _ordered(versions: Iterable[RobotsVersion]) -> tuple[RobotsVersion, ...]:
    ordered = tuple(sorted(versions, key=lambda version: version.since))
    for earlier, later in pairwise(ordered):
        if earlier.since == later.since:
            raise InvalidOption(f"{quoted(earlier.name)} and {quoted(later.name)} are from the same time")
    return ordered


def _is_version(path: Path) -> bool:
    return path.suffix == _SUFFIX and not path.name.startswith(".") and path.is_file()


def _read_version(path: Path, profile: str) -> RobotsVersion:
    since = parse_dated_name(path.name)
    if since is None:
        raise InvalidOption(f"no date in the name of {quoted(str(path))}: expected a name such as 2026-05-01.txt")
    with path.open("rb") as file:
        content = file.read(2 * DEFAULT_MAX_BYTES)
    return RobotsVersion(since, parse(content, profile=profile), str(path))


def parse_dated_name(name: str) -> float | None:
    """Return the date, or the date and time in UTC, at the start of a file name, in Unix seconds, or None."""
    match = _DATED_NAME.match(name)
    if match is None:
        return None
    day, hour, minute, second = match.groups(default="00")
    try:
        return datetime.fromisoformat(f"{day}T{hour}:{minute}:{second}+00:00").timestamp()
    except ValueError:
        return None
