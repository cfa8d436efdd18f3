"""The robots.txt files that `canfetch lint` fetches."""

from collections.abc import Iterator
from contextlib import closing

from canfetch.cli.linting.sources import Source
from canfetch.cli.shared.command_transport import CommandTransport
from canfetch.cli.shared.network_options import NetworkOptions
from canfetch.cli.shared.origin_arguments import to_origin_url
from canfetch.cli.shared.origin_lookup import OriginLookup
from canfetch.cli.shared.progress import Progress
from canfetch.client.origin_state import OriginState
from canfetch.core.origin import Origin, find_origin
from canfetch.core.verdict import Access
from canfetch.lint.lint_input import LintInput, SitePage


def fetch_sources(
    urls: tuple[str, ...], options: NetworkOptions, progress: Progress, *, siblings: bool, pages: tuple[SitePage, ...]
) -> Iterator[Source]:
    """Fetch the robots.txt of each origin, and yield them in order.

    Args:
        urls: URLs of the origins.
        options: The network options.
        progress: Prints warnings.
        siblings: Also fetch from the other scheme, and from the host with or without `www`.
        pages: Pages of the sites.
    """
    # Siblings are not named by the user, and one of them may use plain http.
    named = {origin for url in urls if (origin := find_origin(url if "://" in url else f"https://{url}")) is not None}
    transport = CommandTransport(options, credential_origins=named)
    with closing(OriginLookup(options, warn=progress.print_error, transport=transport)) as lookup:
        for url in urls:
            origins = [url, *(_sibling_origins(url) if siblings else ())]
            with closing(lookup.argument_states(iter(origins))) as rows:
                states = dict(rows)
            state = states[url]
            if not isinstance(state, OriginState):
                yield Source(url, None, str(state))
                continue
            contents = {
                other.origin.robots_url: _served_content(other)
                for origin, other in states.items()
                if origin != url and isinstance(other, OriginState)
                if other.entry.outcome.access != Access.UNREACHABLE
            }
            robots_url = state.origin.robots_url
            content = _served_content(state) or b""
            lint_input = LintInput(content, url=robots_url, delivery=state.entry, siblings=contents, pages=pages)
            yield Source(robots_url, lint_input)


def _served_content(state: OriginState) -> bytes | None:
    # The last good copy may be older than the last fetch. Only the current response is checked.
    entry = state.entry
    return entry.copy.content if entry.copy is not None and entry.outcome.access is Access.SUCCESSFUL else None


def _sibling_origins(url: str) -> Iterator[str]:
    scheme, separator, host = str(Origin.from_url(to_origin_url(url))).partition("://")
    other_host = host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"
    other_scheme = {"http": "https", "https": "http"}.get(scheme, scheme)
    # A port belongs to one scheme, and an IP address has no subdomains.
    has_port = ":" in host.rpartition("]")[2]
    bare = host.rpartition("]")[0] or host.partition(":")[0]
    is_address = bare.startswith("[") or bare.replace(".", "").isdigit()
    if not has_port and other_scheme != scheme:
        yield other_scheme + separator + host
    if not is_address:
        yield scheme + separator + other_host
