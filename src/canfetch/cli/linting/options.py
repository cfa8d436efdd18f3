"""The options of `canfetch lint`."""

from typing import NamedTuple

from canfetch.cli.shared.network_options import NetworkOptions


class LintOptions(NamedTuple):
    """The values of the options."""

    names: tuple[str, ...]
    severities: str | None
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    config: str | None
    isolated: bool
    fail_on: str | None
    show: str | None
    language: str | None
    robots_url: str | None
    page: tuple[tuple[str, str], ...]
    siblings: bool
    fix: bool
    unsafe_fixes: bool
    for_profiles: tuple[str, ...]
    diff: bool
    watch: bool
    list_checks: bool
    explain: str | None
    jobs: int | None
    format: str
    output: str | None
    no_color: bool
    network: NetworkOptions

    @property
    def applies_fixes(self) -> bool:
        """Whether fixes are computed, to write them or to show them."""
        return self.fix or self.unsafe_fixes or self.diff
