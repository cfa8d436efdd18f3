"""A change of what agents may fetch, as text."""

from collections.abc import Iterator
from typing import Any, Final

from canfetch.cli.shared.terminal import Palette, printable
from canfetch.core.text import abbreviated

_MAX_AGENTS: Final = 5
_MAX_PATTERNS: Final = 10


def change_lines(report: dict[str, Any], palette: Palette) -> Iterator[str]:
    """Yield the lines of a report with schema `canfetch.change/1`."""
    before, after = report["before"]["effect"], report["after"]["effect"]
    effect = "" if before == after else f", {before} -> {after}"
    yield f"{palette.strong(printable(report['origin']))}  {report['at']}{effect}"
    for change in report["changes"]:
        yield f"  {_names(change['agents'])}"
        for key, verb, paint in (("newly_disallowed", "loses", palette.bad), ("newly_allowed", "gains", palette.good)):
            urls = change[key]
            patterns = [*urls["patterns"], *(f"{pattern} (in part)" for pattern in urls["partial_patterns"])]
            for pattern in patterns[:_MAX_PATTERNS]:
                yield f"    {paint(verb)} {printable(pattern)}"
            if urls["examples"]:
                yield palette.faint(f"          such as {printable(urls['examples'][0])}")
    if report["undecided"] is not None:
        yield f"  {printable(report['undecided'])}"


def _names(agents: list[str]) -> str:
    """Return the names of agents. `*` means all agents that neither version names."""
    names = ["all other crawlers" if name == "*" else printable(name) for name in agents]
    return abbreviated(names, _MAX_AGENTS)
