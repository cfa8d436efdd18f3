"""What `canfetch lint` and `canfetch fmt` look at: files, folders, standard input, and origins."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from canfetch.access.outcomes import Access
from canfetch.cli.decisions.options import STANDARD_INPUT
from canfetch.cli.decisions.urls import MOST_CHARACTERS
from canfetch.cli.shared.input_files import close_input, open_input
from canfetch.cli.shared.network_options import NetworkOptions
from canfetch.cli.shared.origin_arguments import url_of_origin
from canfetch.cli.shared.origin_lookup import Origins
from canfetch.cli.shared.problems import Problem, problem_line
from canfetch.cli.shared.progress import Progress
from canfetch.client.origin_state import OriginState
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.lint.lint_input import LintInput, SitePage

_FILE_NAME: Final = "robots.txt"
# Whatever is behind is not read by anybody; that there is something, is all that matters. UTF-16 takes twice as much.
_MOST_OCTETS: Final = 64 * DEFAULT_MAX_BYTES


class Source(NamedTuple):
    """One thing to look at: its name, what is given of it, or what is wrong with it; and where it can be written."""

    name: str
    given: LintInput | None
    problem: str = ""
    path: str | None = None


def is_origin(name: str) -> bool:
    """Say whether a text asks for an origin on the network, and not for a file."""
    return "://" in name


def sources_of(names: tuple[str, ...]) -> Iterator[str]:
    """Yield what the names of files and folders stand for: of a folder, every robots.txt below it.

    Raises: Problem: a folder holds none.
    """
    for name in names:
        if not name or is_origin(name) or name == STANDARD_INPUT or not Path(name).is_dir():
            yield name
            continue
        found = sorted(str(path) for path in _below(Path(name)))
        if not found:
            raise Problem(f"{quoted(name)} holds no robots.txt: name the file")
        yield from found


def _below(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        # What tools keep for themselves is nobody's site.
        folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
        yield from (Path(root) / name for name in files if name.lower() == _FILE_NAME)


def read_source(name: str, *, url: str | None = None, pages: tuple[SitePage, ...] = ()) -> Source:
    """Read a file, or standard input for `-`."""
    try:
        stream = open_input(name, "FILE")
        try:
            octets = stream.read(_MOST_OCTETS + 1)
        finally:
            close_input(stream)
    except Problem as error:
        return Source(name, None, problem_line(error).removeprefix("canfetch: FILE "))
    except OSError as error:
        return Source(name, None, f"{quoted(name)} cannot be read: {error.strerror or error}")
    if len(octets) > _MOST_OCTETS:
        return Source(name, None, f"{quoted(name)} is over {_MOST_OCTETS} octets: no robots.txt is so long")
    path = None if name == STANDARD_INPUT else name
    return Source(name, LintInput(octets, path=path, url=url, pages=pages), path=path)


def fetched_sources(
    names: tuple[str, ...], options: NetworkOptions, progress: Progress, *, siblings: bool, pages: tuple[SitePage, ...]
) -> Iterator[Source]:
    """Yield what came of fetching the robots.txt of each origin, in order.

    Args:
        names: URLs of origins.
        options: of the network.
        progress: says what is to be said.
        siblings: whether the same host is asked under its other scheme, and with or without `www`, too.
        pages: pages of the sites.
    """
    with closing(Origins(options, say=progress.say)) as origins:
        for name in names:
            asked = [name, *(_siblings(name) if siblings else ())]
            rows = origins.ahead(iter(asked), url_of=url_of_origin, weight_of=len, most_weight=MOST_CHARACTERS)
            with closing(rows):
                known = dict(rows)
            own = known[name]
            if not isinstance(own, OriginState):
                yield Source(name, None, str(own))
                continue
            others = {
                other.origin.robots_url: _octets(other)
                for key, other in known.items()
                if key != name and isinstance(other, OriginState) and other.entry.outcome.access != Access.UNREACHABLE
            }
            url = own.origin.robots_url
            yield Source(url, LintInput(_octets(own) or b"", url=url, delivery=own.entry, siblings=others, pages=pages))


def _octets(known: OriginState) -> bytes | None:
    # The last good copy may be older than the last fetch; what is served now is what counts.
    entry = known.entry
    return entry.copy.content if entry.copy is not None and entry.outcome.access is Access.SUCCESSFUL else None


def _siblings(name: str) -> Iterator[str]:
    origin = Origin.from_url(url_of_origin(name))
    scheme, separator, host = str(origin).partition("://")
    other_host = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
    other_scheme = {"http": "https", "https": "http"}.get(scheme, scheme)
    # A port belongs to one scheme, an address has no names below it.
    has_port = ":" in host.rpartition("]")[2]
    bare = host.rpartition("]")[0] or host.partition(":")[0]
    is_address = bare.startswith("[") or bare.replace(".", "").isdigit()
    if not has_port and other_scheme != scheme:
        yield other_scheme + separator + host
    if not is_address:
        yield scheme + separator + other_host
