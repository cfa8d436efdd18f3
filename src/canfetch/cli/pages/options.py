"""The options of `canfetch page`."""

from typing import NamedTuple

from canfetch.cli.shared.network_options import NetworkOptions


class PageOptions(NamedTuple):
    """The values of the options."""

    url: str | None
    agents: tuple[str, ...]
    exact: bool
    html: str | None
    response_headers: tuple[str, ...]
    robots: str | None
    tdm_file: str | None
    dialect: str | None
    profile: str
    now: str | None
    max_bytes: int
    format: str
    no_color: bool
    quiet: bool
    network: NetworkOptions
