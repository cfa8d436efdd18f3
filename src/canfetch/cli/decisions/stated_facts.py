"""What the file of a URL states for each agent in addition to the verdicts, computed once for each file."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from canfetch.answers.agent_facts import AgentFacts, agent_facts
from canfetch.cli.shared.terminal import Palette, printable
from canfetch.core.text import printable_text

if TYPE_CHECKING:
    from canfetch.cli.decisions.robots_files import RobotsFile
    from canfetch.cli.decisions.run import Answer, DecisionRun

# The lines about files that were written. After so many, they can be written again.
_MAX_WRITTEN: Final = 10_000


class StatedFacts:
    """The facts of a run."""

    def __init__(self, run: "DecisionRun") -> None:
        self._run = run
        self._agents = run.agents
        self._has_one_file = run.has_one_file
        self._file: RobotsFile | None = None
        self._facts: dict[str, AgentFacts] = {}
        # Computed when it is first needed.
        self._json: dict[str, dict[str, Any]] | None = None
        self._written: set[str] = set()

    def of(self, answer: "Answer") -> dict[str, AgentFacts]:
        """Return the facts of the file that an answer comes from, by the names of the agents. Empty without a file."""
        if answer.file is None:
            return {}
        if answer.file is not self._file:
            source = answer.file.deciding_file()
            self._file, self._json = answer.file, None
            self._facts = {} if source is None else agent_facts(source.robots, self._agents, time.time())
        return self._facts

    def _to_json(self, answer: "Answer") -> dict[str, dict[str, Any]]:
        """Return the facts of the file of an answer as JSON, by the names of the agents that it states some for."""
        facts = self.of(answer)
        if not facts:
            return {}
        if self._json is None:
            self._json = {name: stated for name, one in facts.items() if (stated := one.to_json())}
        return self._json

    def objects(self, answer: "Answer") -> Iterator[dict[str, Any]]:
        """Yield the verdicts of an answer as JSON, each with the facts of its file."""
        stated = self._to_json(answer)
        for agent, row in zip(self._agents, answer.result.to_json(), strict=True):
            yield {**row, **stated[agent.name]} if agent.name in stated else row

    def by_key(self, answer: "Answer") -> dict[str, dict[str, Any]]:
        """Return the facts of the file of an answer as JSON: for each key, the values by the names of the agents."""
        by_key: dict[str, dict[str, Any]] = {}
        for name, stated in self._to_json(answer).items():
            for key, value in stated.items():
                by_key.setdefault(key, {})[printable_text(name)] = value
        return by_key

    def pace_lines(self, answer: "Answer", palette: Palette) -> Iterator[str]:
        """Yield the paces that the file of an answer states, unless they were written before."""
        stated = [facts for facts in self.of(answer).values() if facts.pace.is_stated]
        source = None if answer.file is None or not stated else answer.file.deciding_file()
        if source is None or not self._is_new(source.name):
            return
        from canfetch.answers.pace_text import pace_sentence  # noqa: PLC0415 - only for files with a pace

        names_by_text: dict[str, list[str]] = {}
        for facts in stated:
            text = pace_sentence(facts.name, facts.pace, facts.now)
            names_by_text.setdefault(text, []).append(printable(facts.name))
        where = "" if self._has_one_file else f"{printable(source.name)}: "
        for text, names in names_by_text.items():
            yield palette.faint(f"# {where}{', '.join(names)}: {text}") + "\n"

    def copy_lines(self, answer: "Answer", palette: Palette) -> Iterator[str]:
        """Yield the note on the file of an answer that was not fetched by this run, unless it was written before."""
        for verdict in answer.verdicts[:1]:
            note = self._run.stored_copy_note(verdict)
            if verdict.access is not None and note and self._is_new(f"{verdict.access.robots_url}: {note}"):
                where = "" if self._has_one_file else f"{printable(verdict.access.robots_url)}: "
                yield palette.faint(f"# {where}{note}") + "\n"

    def _is_new(self, text: str) -> bool:
        if text in self._written:
            return False
        if len(self._written) == _MAX_WRITTEN:
            self._written.clear()
        self._written.add(text)
        return True
