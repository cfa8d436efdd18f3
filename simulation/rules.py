"""What all scenarios have in common: the error of a rule that does not hold, and how it is found."""

import gc
import json
import logging
import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from canfetch.client.evidence.chain import SEGMENT_PATTERN
from canfetch.client.evidence.verification import verify_folder
from simulation.processes import Killed

DAY = 86_400.0


class BrokenRule(Exception):
    """A rule does not hold. The message says which, and when."""


def without_folder(error: Exception, folder: Path) -> str:
    """Return the message of an error without the folder of its file, which is another one each time."""
    return str(error).replace(f"{folder}{os.sep}", "")


def find_broken_rule(error: BaseException) -> BrokenRule | None:
    """Return the broken rule in an error or a group of errors, or None."""
    if isinstance(error, BrokenRule):
        return error
    for each in getattr(error, "exceptions", ()):
        if (found := find_broken_rule(each)) is not None:
            return found
    return None


def check_evidence(folder: Path, expected: Counter[str]) -> None:
    """Check that the evidence in a folder verifies, and that no decision is missing.

    Args: expected: The number of decisions that were acknowledged, by URL.
    Raises: BrokenRule.
    """
    decisions: Counter[str] = Counter()
    for report in verify_folder(folder) if any(folder.glob(SEGMENT_PATTERN)) else ():
        if not report.intact:
            raise BrokenRule(f"evidence: {report.path.name}, line {report.broken_line}: {report.problem}")
        lines = report.path.read_bytes().split(b"\n")[: report.head.lines]
        decisions.update(url for line in lines if (url := json.loads(line).get("url")) is not None)
    for url, number in expected.items():
        if decisions[url] < number:
            raise BrokenRule(f"evidence: {decisions[url]} of {number} decisions about {url} are recorded")


def _ignore_killed(unraisable: "sys.UnraisableHookArgs") -> None:
    # What a dead process leaves is collected at any time, and its last code ends with `Killed`.
    if not isinstance(unraisable.exc_value, Killed | RuntimeError):
        sys.__unraisablehook__(unraisable)


@contextmanager
def no_warnings() -> Iterator[None]:
    """Ignore the warnings about turns and tasks that end with their process."""
    hook = sys.unraisablehook
    # The library warns of each statement that it repeats, and asyncio of tasks that never end.
    logging.disable(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        sys.unraisablehook = _ignore_killed
        try:
            yield
            # Otherwise they come later.
            gc.collect()
        finally:
            sys.unraisablehook = hook
            logging.disable(logging.NOTSET)
