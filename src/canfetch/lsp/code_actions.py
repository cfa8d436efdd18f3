"""Code actions: the fix of a finding, a comment that suppresses it, and all fixes that change no verdict."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from lsprotocol import types

from canfetch.core.text import abbreviated
from canfetch.lint import Category, Finding, Fix
from canfetch.lsp.analysis import Analysis
from canfetch.lsp.client_features import ClientFeatures
from canfetch.lsp.open_document import Place, Span
from canfetch.lsp.protocol_types import to_place, to_workspace_edit
from canfetch.lsp.text_edits import NewText, line_edits, line_end_of, replace_bytes

FIX_ALL: Final = f"{types.CodeActionKind.SourceFixAll.value}.canfetch"
KINDS: Final = (types.CodeActionKind.QuickFix.value, FIX_ALL)
_FIX_ALL_TITLE: Final = "canfetch: fix all problems that have a safe fix"
_MAX_TITLE_CHARACTERS: Final = 120
_MAX_PROFILES: Final = 3
# More actions are too many to read, and each one takes time.
_MAX_FINDINGS: Final = 50


def is_requested(kind: str, only: Sequence[str] | None) -> bool:
    """Return whether an editor requests actions of a kind. Kinds are hierarchical, separated by dots."""
    if only is None:
        return True
    return any(not parent or kind == parent or kind.startswith(f"{parent}.") for parent in map(_name, only))


def _name(kind: str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def quick_fixes(analysis: Analysis, requested: types.Range, client: ClientFeatures) -> Iterator[types.CodeAction]:
    """Yield the fixes of the findings in a range, the safe ones first, and then the suppressions.

    Args:
        analysis: The current analysis.
        requested: The range.
        client: What the editor supports.
    Cost: A comparison of verdicts for each finding whose fix may change some.
    """
    if not analysis.is_editable:
        return
    overlapping = ((finding, shown) for finding, shown in analysis.findings if _overlap(shown.range, requested))
    found = list(islice(overlapping, _MAX_FINDINGS))
    fixable = [(finding, fix, shown) for finding, shown in found if (fix := finding.fix) is not None and fix.edits]
    fix_for = analysis.settings.fix_for
    for finding, fix, shown in sorted(fixable, key=lambda item: not _is_safe(item[0], fix_for)):
        edits = _fix_edits(analysis, fix)
        if edits is not None:
            yield types.CodeAction(
                title=_fix_title(analysis, finding),
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[shown],
                is_preferred=_is_safe(finding, fix_for),
                edit=to_workspace_edit(analysis.snapshot, edits, versioned=client.versioned_edits),
            )
    for finding, shown in found:
        where = "in this file" if finding.check.category is Category.FILE else "on this line"
        yield types.CodeAction(
            title=f"Allow {finding.check.name} ({finding.check.code}) {where} with a comment",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[shown],
            edit=to_workspace_edit(
                analysis.snapshot, [_suppression(analysis, finding)], versioned=client.versioned_edits
            ),
        )


def _is_safe(finding: Finding, fix_for: Sequence[str]) -> bool:
    """Return whether a fix preserves every verdict in these profiles, or in all profiles if the set is empty."""
    if finding.has_safe_fix or not fix_for:
        return finding.has_safe_fix
    changed = finding.changed_profiles
    return changed is not None and set(fix_for).isdisjoint(changed)


def _overlap(one: types.Range, other: types.Range) -> bool:
    # A cursor at the end of a range is in it.
    return to_place(one.start) <= to_place(other.end) and to_place(other.start) <= to_place(one.end)


def _fix_edits(analysis: Analysis, fix: Fix) -> list[NewText] | None:
    edits = [replace_bytes(analysis.snapshot, *edit) for edit in fix.edits]
    possible = [edit for edit in edits if edit is not None]
    return possible if len(possible) == len(edits) else None


def _fix_title(analysis: Analysis, finding: Finding) -> str:
    # The first sentence is the instruction. Further sentences add alternatives.
    text = finding.how_to_fix(analysis.settings.catalogue).partition(". ")[0].removesuffix(".")
    if len(text) > _MAX_TITLE_CHARACTERS:
        text = f"{text[: _MAX_TITLE_CHARACTERS - 3]}..."
    return f"{text} ({finding.check.code}{'' if finding.has_safe_fix else _effect(finding)})"


def _effect(finding: Finding) -> str:
    profiles = finding.changed_profiles
    if profiles is None:
        return "; changes what some crawlers may fetch"
    if not profiles:
        return "; changes records other than rules"
    return f"; changes verdicts in {abbreviated(profiles, _MAX_PROFILES, rest='others')}"


def _suppression(analysis: Analysis, finding: Finding) -> NewText:
    snapshot = analysis.snapshot
    is_whole_file = finding.check.category is Category.FILE
    line = 0 if is_whole_file else finding.line - 1
    word = "allow-file" if is_whole_file else "allow"
    end = line_end_of(snapshot.lines[0]) or "\n"
    # A byte order mark stays at the start of the file.
    start = Place(line, snapshot.column(0, 1) if not line and snapshot.text.startswith("\ufeff") else 0)
    return NewText(Span(start, start), f"# canfetch: {word} {finding.check.name}{end}")


def fix_all_action(analysis: Analysis) -> types.CodeAction | None:
    """Return the action that applies all safe fixes, without its edit, or None if there are none."""
    # With `fix-for`, the linter chooses fixes that are safe together, which takes too long here.
    may_be_safe = any(
        finding.fix is not None and finding.fix.edits and (analysis.settings.fix_for or finding.has_safe_fix)
        for finding in analysis.report.findings
    )
    if not may_be_safe or not analysis.is_editable:
        return None
    return types.CodeAction(title=_FIX_ALL_TITLE, kind=FIX_ALL, data={"uri": analysis.snapshot.uri})


def fix_all_edit(analysis: Analysis, client: ClientFeatures) -> types.WorkspaceEdit | None:
    """Return the edit that applies all safe fixes, or None if it changes nothing.

    Cost: That of `Linter.fix`.
    """
    result = analysis.settings.linter.fix(analysis.lint_input, for_profiles=analysis.settings.fix_for)
    edits = line_edits(analysis.snapshot, result.content.decode("utf-8", "surrogateescape"))
    if not edits:
        return None
    return to_workspace_edit(analysis.snapshot, edits, versioned=client.versioned_edits)
