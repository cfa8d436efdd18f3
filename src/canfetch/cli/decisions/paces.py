"""The pace that the file of a URL states for each agent, computed once for each file."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from canfetch.answers.pace import StatedPace, stated_paces
from canfetch.cli.shared.terminal import Palette, printable

if TYPE_CHECKING:
    from canfetch.cli.decisions.robots_files import RobotsFile
    from canfetch.cli.decisions.run import Answer, DecisionRun

# The names of files whose paces were written. After so many, they can be written again.
_MAX_NAMES: Final = 10_000


class Paces:
    """The paces of a run.

    Attributes:
        now: The time of the paces, in seconds since the epoch.
    """

    def __init__(self, run: "DecisionRun") -> None:
        self._agents = run.agents
        self._has_one_file = run.has_one_file
        self._file: RobotsFile | None = None
        self._paces: dict[str, StatedPace] = {}
        self._json: dict[str, Any] = {}
        self.now = 0.0
        self._written: set[str] = set()

    def stated(self, file: "RobotsFile | None") -> dict[str, StatedPace]:
        """Return the paces that a file states, by the names of the agents."""
        if file is None:
            return {}
        if file is not self._file:
            self._file, self.now, self._json = file, time.time(), {}
            source = file.deciding_file()
            self._paces = {} if source is None else stated_paces(source.robots, self._agents, self.now)
        return self._paces

    def to_json(self, file: "RobotsFile | None") -> dict[str, Any]:
        """Return the paces that a file states as JSON, by the names of the agents."""
        paces = self.stated(file)
        if not paces:
            return {}
        if not self._json:
            self._json = {name: pace.to_json(self.now) for name, pace in paces.items()}
        return self._json

    def objects(self, answer: "Answer") -> Iterator[dict[str, Any]]:
        """Yield the verdicts of an answer as JSON, each with the `pace` that its file states, if there is one."""
        paces = self.to_json(answer.file)
        for agent, row in zip(self._agents, answer.result.to_json(), strict=True):
            yield {**row, "pace": paces[agent.name]} if agent.name in paces else row

    def new_lines(self, answer: "Answer", palette: Palette) -> Iterator[str]:
        """Yield the paces that the file of an answer states, unless they were written before."""
        paces = self.stated(answer.file)
        source = None if answer.file is None or not paces else answer.file.deciding_file()
        if source is None or source.name in self._written:
            return
        if len(self._written) == _MAX_NAMES:
            self._written.clear()
        self._written.add(source.name)
        from canfetch.answers.pace_text import pace_sentence  # noqa: PLC0415 - only for files with a pace

        names_by_text: dict[str, list[str]] = {}
        for name, pace in paces.items():
            text = pace_sentence(name, pace, self.now)
            names_by_text.setdefault(text, []).append(printable(name))
        where = "" if self._has_one_file else f"{printable(source.name)}: "
        for text, names in names_by_text.items():
            yield palette.faint(f"# {where}{', '.join(names)}: {text}") + "\n"
