"""Reports about changes: text, JSON, Markdown and HTML."""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any, Final, NamedTuple

from canfetch.answers.crawlers import UNNAMED
from canfetch.cli.comparing.conditions import Failure
from canfetch.cli.shared.markdown import markdown_code
from canfetch.cli.shared.terminal import Palette, printable
from canfetch.compare import URLSet
from canfetch.core.text import abbreviated, counted

SCHEMA: Final = "canfetch.diff/1"
# Longer lists of agents are cut in reports for people.
_MAX_NAMES: Final = 6
_MAX_EXAMPLES: Final = 3


class Row(NamedTuple):
    """What changes for some agents, all alike.

    Attributes:
        names: The agents.
        gained, lost: The URLs.
        checked: Of the URLs of `--urls-file`, those that these agents gain and those that they lose.
    """

    names: tuple[str, ...]
    gained: URLSet
    lost: URLSet
    checked: tuple[list[str], list[str]]

    def title(self, format_name: Callable[[str], str] = printable) -> str:
        """Return the names of a few agents, and the number of the others."""
        return abbreviated(list(map(format_name, self.names)), _MAX_NAMES)

    def sets(self) -> Iterator[tuple[str, URLSet, list[str]]]:
        """Yield what is lost and what is gained, if anything, with the URLs of the list."""
        for verb, urls, listed in (("loses", self.lost, self.checked[1]), ("gains", self.gained, self.checked[0])):
            if urls:
                yield verb, urls, listed


class Report(NamedTuple):
    """All changes.

    Attributes:
        old, new: The names of the files.
        rows: What changes for which agents.
        agents: The number of agents that were compared.
        failures: The conditions that hold.
        checked: The number of URLs of `--urls-file`, or None.
    """

    old: str
    new: str
    rows: Sequence[Row]
    agents: int
    failures: Sequence[Failure]
    checked: int | None

    @property
    def summary(self) -> str:
        """The result in one line."""
        if not self.rows:
            return f"No change for {counted(self.agents, 'agent')}: the files are equivalent for every URL."
        losing = sum(len(row.names) for row in self.rows if row.lost)
        gaining = sum(len(row.names) for row in self.rows if row.gained)
        return f"{counted(self.agents, 'agent')} compared: {losing} with lost URLs, {gaining} with gained URLs."


def text_lines(report: Report, palette: Palette) -> Iterator[str]:
    """Yield the lines of the report for a terminal."""
    for row in report.rows:
        yield palette.strong(row.title())
        for verb, urls, listed in row.sets():
            paint = palette.bad if verb == "loses" else palette.good
            for pattern in _described(urls, printable):
                yield f"  {paint(verb)} {pattern}"
            yield palette.faint(f"        such as {', '.join(map(printable, urls.examples[:_MAX_EXAMPLES]))}")
            if report.checked is not None:
                yield f"        {len(listed)} of {counted(report.checked, 'listed URL')}"
        yield ""
    yield report.summary
    for failure in report.failures:
        yield palette.bad(f"--fail-on {failure.condition.text!r} holds: {_reason(failure)}")


def markdown_lines(report: Report) -> Iterator[str]:
    """Yield the lines of the report for a pull request."""
    yield f"**robots.txt**: {report.summary}"
    if report.rows:
        yield ""
        yield "| Agents | Change | URLs | Examples |"
        yield "| --- | --- | --- | --- |"
    for row in report.rows:
        for verb, urls, listed in row.sets():
            patterns = "<br>".join(_described(urls, markdown_code))
            examples = "<br>".join(map(markdown_code, urls.examples[:_MAX_EXAMPLES]))
            if report.checked is not None:
                patterns += f"<br>{len(listed)} of {counted(report.checked, 'listed URL')}"
            yield f"| {row.title(_markdown_name)} | {verb} | {patterns} | {examples} |"
    if report.failures:
        yield ""
    for failure in report.failures:
        yield f"- :x: {markdown_code(failure.condition.text)}: {_markdown_reason(failure)}"


def html_lines(report: Report) -> Iterator[str]:
    """Yield the lines of the report as a page without scripts."""
    yield '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">'
    old, new = escape(printable(report.old)), escape(printable(report.new))
    yield f"<title>{old} and {new}</title>"
    yield "<style>body{font:1rem/1.5 system-ui;margin:2rem auto;max-width:60rem;padding:0 1rem}"
    yield "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.4rem .6rem;text-align:left;"
    yield "vertical-align:top}.loses{color:#a40000}.gains{color:#046307}</style>"
    yield f"<h1>{old} → {new}</h1>"
    yield f"<p>{escape(report.summary)}</p>"
    if report.rows:
        yield "<table><thead><tr><th>Agents<th>Change<th>URLs<th>Examples</thead><tbody>"
    for row in report.rows:
        for verb, urls, listed in row.sets():
            patterns = "<br>".join(_described(urls, _html_code))
            examples = "<br>".join(map(_html_code, urls.examples[:_MAX_EXAMPLES]))
            if report.checked is not None:
                patterns += f"<br>{len(listed)} of {counted(report.checked, 'listed URL')}"
            names = escape(", ".join(map(printable, row.names)))
            yield f'<tr><td title="{names}">{escape(row.title())}<td class="{verb}">{verb}<td>{patterns}<td>{examples}'
    if report.rows:
        yield "</tbody></table>"
    for failure in report.failures:
        condition = escape(printable(failure.condition.text))
        yield f'<p class="loses"><code>{condition}</code>: {escape(_reason(failure))}</p>'


def to_json(report: Report) -> dict[str, Any]:
    """Return the report as plain values."""
    return {
        "schema": SCHEMA,
        "old": report.old,
        "new": report.new,
        "agents": report.agents,
        "changes": [
            {
                "agents": list(row.names),
                "newly_allowed": {**row.gained.to_dict(), "listed": row.checked[0]},
                "newly_disallowed": {**row.lost.to_dict(), "listed": row.checked[1]},
            }
            for row in report.rows
        ],
        "failures": [
            {"condition": failure.condition.text, "agent": failure.agent, "url": failure.url}
            for failure in report.failures
        ],
    }


def _described(urls: URLSet, quote: Callable[[str], str]) -> Iterator[str]:
    yield from map(quote, urls.patterns)
    for pattern in urls.partial_patterns:
        yield f"{quote(pattern)} (in part)"


def _reason(failure: Failure) -> str:
    return _reason_text(failure, printable(failure.agent), printable(failure.url))


def _markdown_reason(failure: Failure) -> str:
    return _reason_text(failure, _markdown_name(failure.agent), markdown_code(failure.url))


def _reason_text(failure: Failure, agent: str, url: str) -> str:
    return f"{agent} {'gains' if failure.allowed else 'loses'} {url}"


def _markdown_name(name: str) -> str:
    # The stand-in for agents that no file names is not a product token.
    return name if name == UNNAMED.name else markdown_code(name)


def _html_code(text: str) -> str:
    return f"<code>{escape(printable(text))}</code>"
