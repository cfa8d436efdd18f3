"""`canfetch explain --all-profiles`: one line for each profile, with a mark where the answer differs."""

import sys
from typing import TYPE_CHECKING, Final

from canfetch.cli.shared.terminal import Palette, display_width, pad, printable, use_color
from canfetch.core.profiles import PROFILES
from canfetch.core.verdict import Verdict

if TYPE_CHECKING:
    from canfetch.cli.decisions.run import Answer, DecisionRun

_NAME_WIDTH: Final = max(map(display_width, PROFILES))
_DIFFERENT: Final = "!"


class ProfileComparison:
    """Writes a block for each URL and agent: a line for each profile, and a summary."""

    def __init__(self, run: "DecisionRun") -> None:
        self._palette = Palette(enabled=use_color(no_color=run.options.no_color))
        self._agents = run.agents
        self._base_profile = run.options.profile
        self._url_answers: list[Answer] = []
        self._started = False

    def write(self, answer: "Answer") -> None:
        """Add the answer of one profile, and write the blocks of a URL after the last profile."""
        if not answer.verdicts:
            # The URL was reported on standard error.
            self._url_answers = []
            return
        self._url_answers.append(answer)
        if len(self._url_answers) == len(PROFILES):
            for index in range(len(self._agents)):
                self._write_block(index)
            self._url_answers = []

    def end(self) -> None:
        """Do nothing: the comparison has no footer."""

    def _write_block(self, index: int) -> None:
        verdicts = [answer.verdicts[index] for answer in self._url_answers]
        base = next(verdict for verdict in verdicts if verdict.profile == self._base_profile)
        if self._started:
            sys.stdout.write("\n")
        self._started = True
        name, url = printable(self._agents[index].name), printable(self._url_answers[0].url)
        lines = [f"{self._palette.strong(name)}, {url}", *(self._line(verdict, base) for verdict in verdicts)]
        lines.append(self._palette.faint(f"  {_summary(verdicts, base)}"))
        sys.stdout.write("".join(f"{line}\n" for line in lines))

    def _line(self, verdict: Verdict, base: Verdict) -> str:
        status = self._palette.good("allowed   ") if verdict.allowed else self._palette.bad("disallowed")
        mark = " " if verdict.allowed == base.allowed else self._palette.strong(_DIFFERENT)
        return f"{mark} {pad(verdict.profile, _NAME_WIDTH)}  {status}  {printable(verdict.explanation)}"


def _summary(verdicts: list[Verdict], base: Verdict) -> str:
    others = [verdict.profile for verdict in verdicts if verdict.allowed != base.allowed]
    if not others:
        return f"all {len(verdicts)} profiles agree"
    differ = "differs" if len(others) == 1 else "differ"
    return f"{len(others)} of {len(verdicts)} profiles {differ} from {base.profile}: {', '.join(others)}"
