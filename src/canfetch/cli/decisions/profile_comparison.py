"""`canfetch explain --all-profiles`: one line a reading, and a mark where it disagrees."""

import sys
from typing import Final

from canfetch.cli.decisions.run import Answer, Session
from canfetch.cli.shared.terminal import Palette, columns, padded, shown, wants_color
from canfetch.core.profiles import PROFILES
from canfetch.core.verdict import Verdict

_NAME_COLUMNS: Final = max(map(columns, PROFILES))
_DISAGREES: Final = "!"


class Readings:
    """For each URL and agent a line for each profile, and what they come to."""

    def __init__(self, session: Session) -> None:
        self._palette = Palette(on=wants_color(no_color=session.question.no_color))
        self._askers = session.askers
        self._compared_with = session.question.profile
        self._of_url: list[Answer] = []
        self._started = False

    def write(self, answer: Answer) -> None:
        """Keep what one profile says, and write the block when the last has spoken."""
        if not answer.verdicts:
            # Standard error has said it.
            self._of_url = []
            return
        self._of_url.append(answer)
        if len(self._of_url) == len(PROFILES):
            for place in range(len(self._askers)):
                self._write_block(place)
            self._of_url = []

    def end(self) -> None:
        """Nothing belongs at the end."""

    def _write_block(self, place: int) -> None:
        verdicts = [answer.verdicts[place] for answer in self._of_url]
        usual = next(verdict for verdict in verdicts if verdict.profile == self._compared_with)
        if self._started:
            sys.stdout.write("\n")
        self._started = True
        name, url = shown(self._askers[place].name), shown(self._of_url[0].url)
        lines = [f"{self._palette.strong(name)}, {url}", *(self._line(verdict, usual) for verdict in verdicts)]
        lines.append(self._palette.faint(f"  {_sum_of(verdicts, usual)}"))
        sys.stdout.write("".join(f"{line}\n" for line in lines))

    def _line(self, verdict: Verdict, usual: Verdict) -> str:
        status = self._palette.good("allowed   ") if verdict.allowed else self._palette.bad("disallowed")
        mark = " " if verdict.allowed == usual.allowed else self._palette.strong(_DISAGREES)
        return f"{mark} {padded(verdict.profile, _NAME_COLUMNS)}  {status}  {shown(verdict.explanation)}"


def _sum_of(verdicts: list[Verdict], usual: Verdict) -> str:
    others = [verdict.profile for verdict in verdicts if verdict.allowed != usual.allowed]
    if not others:
        return f"all {len(verdicts)} readings agree"
    differ = "differs" if len(others) == 1 else "differ"
    return f"{len(others)} of {len(verdicts)} readings {differ} from {usual.profile}: {', '.join(others)}"
