"""`canfetch explain --all-profiles`: one line for each profile, with a mark where the answer differs."""

import sys
from typing import TYPE_CHECKING, Final

from canfetch.answers.verdicts import differing_profiles
from canfetch.cli.shared.terminal import display_width, output_palette, pad, printable
from canfetch.compare import difference
from canfetch.core.profiles import PROFILES
from canfetch.core.verdict import Verdict
from canfetch.errors import Undecided

if TYPE_CHECKING:
    from canfetch.cli.decisions.run import Answer, DecisionRun

_NAME_WIDTH: Final = max(map(display_width, PROFILES))
_DIFFERENT: Final = "!"
# Of a comparison with one profile. It is a few hundredths of a second.
_STEPS: Final = 500_000
# Some profiles apply rules to it, but crawlers always fetch it.
_ROBOTS_TXT: Final = "/robots.txt"


class ProfileComparison:
    """Writes a block for each URL and agent: a line for each profile, and a summary."""

    def __init__(self, run: "DecisionRun") -> None:
        self._palette = output_palette(no_color=run.options.no_color)
        self._agents = run.agents
        self._base_profile = run.options.profile
        self._url_answers: list[Answer] = []
        self._started = False
        # By file and agent: where a profile differs on other URLs.
        self._elsewhere: dict[tuple[bytes, int], str] = {}

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
        summary = _summary(verdicts, base)
        if all(verdict.allowed == base.allowed for verdict in verdicts):
            summary += self._difference_elsewhere(index)
        lines.append(self._palette.faint(f"  {summary}"))
        sys.stdout.write("".join(f"{line}\n" for line in lines))

    def _difference_elsewhere(self, index: int) -> str:
        """Return the end of a sentence about a URL on which a profile differs, or an empty string."""
        files = {}
        for answer in self._url_answers:
            named = None if answer.file is None else answer.file.deciding_file()
            if named is None:
                # The response allows or disallows everything.
                return ""
            files[answer.verdicts[index].profile] = named.robots
        base = files[self._base_profile]
        key = base.content, index
        if key not in self._elsewhere:
            self._elsewhere[key] = ""
            for name, robots in files.items():
                try:
                    found = difference(base, robots, agent=self._agents[index].agent, steps=_STEPS)
                except Undecided:
                    continue
                if found is not None and found.url != _ROBOTS_TXT:
                    self._elsewhere[key] = f" here; {name} differs on {printable(found.url)}"
                    break
        return self._elsewhere[key]

    def _line(self, verdict: Verdict, base: Verdict) -> str:
        status = self._palette.good("allowed   ") if verdict.allowed else self._palette.bad("disallowed")
        mark = " " if verdict.allowed == base.allowed else self._palette.strong(_DIFFERENT)
        return f"{mark} {pad(verdict.profile, _NAME_WIDTH)}  {status}  {printable(verdict.explanation)}"


def _summary(verdicts: list[Verdict], base: Verdict) -> str:
    others = differing_profiles(base, verdicts)
    if not others:
        return f"all {len(verdicts)} profiles agree"
    differ = "differs" if len(others) == 1 else "differ"
    return f"{len(others)} of {len(verdicts)} profiles {differ} from {base.profile}: {', '.join(others)}"
