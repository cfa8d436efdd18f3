"""The options of `canfetch lint`."""

from typing import NamedTuple

from canfetch.cli.shared.network_options import NetworkOptions


class LintQuestion(NamedTuple):
    """The options of `canfetch lint`, as given."""

    names: tuple[str, ...]
    severities: str | None
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    config: str | None
    isolated: bool
    fail_on: str | None
    language: str | None
    robots_url: str | None
    page: tuple[tuple[str, str], ...]
    siblings: bool
    fix: bool
    unsafe_fixes: bool
    diff: bool
    watch: bool
    list_checks: bool
    explain: str | None
    format: str
    output: str | None
    no_color: bool
    network: NetworkOptions

    @property
    def mends(self) -> bool:
        """Whether files are mended, or it is shown how they would be."""
        return self.fix or self.unsafe_fixes or self.diff
