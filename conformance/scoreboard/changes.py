"""Compare two files of saved results: which implementations pass or fail other cases than before."""

from collections.abc import Iterator

from conformance.scoreboard.results import PASSED, SKIPPED, CaseResult, Row
from conformance.scoreboard.saved_results import Results


def changes(old: Results, new: Results) -> list[str]:
    """Return a line for each change, in the order of the implementations.

    A case that one of the two runs did not ask, or that changed between them, is not compared.
    """
    before = {(row.adapter.name, row.profile): row for row in old.rows}
    after = {(row.adapter.name, row.profile): row for row in new.rows}
    lines: list[str] = []
    for key, row in after.items():
        name = f"{row.adapter.name}, profile {row.profile}"
        if key not in before:
            lines.append(f"{name}: new, version {row.version}, {len(row.failures())} failures")
        else:
            lines += (f"{name}: {change}" for change in _row_changes(before[key], row))
    return lines + [f"{name}, profile {profile}: removed" for name, profile in before if (name, profile) not in after]


def _row_changes(old: Row, new: Row) -> Iterator[str]:
    if old.version != new.version:
        yield f"version {old.version} -> {new.version}"
    for was, result in changed_results(old, new):
        answer = f" ({result.failure.answer})" if result.failure else ""
        yield f"{result.case.id}: {_word(was.outcome)} -> {_word(result.outcome)}{answer}"


def changed_results(old: Row, new: Row) -> Iterator[tuple[CaseResult, CaseResult]]:
    """Yield the old and the new result of each case that both rows asked and whose outcome differs."""
    before = {result.case.id: result for result in old.results}
    for result in new.results:
        was = before.get(result.case.id)
        if was is not None and was.outcome != result.outcome and SKIPPED not in {was.outcome, result.outcome}:
            yield was, result


def _word(outcome: str) -> str:
    return outcome if outcome == PASSED else f"failed, {outcome}"
