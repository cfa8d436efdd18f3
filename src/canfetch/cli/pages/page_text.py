"""The text format of `canfetch page`."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.pages import PageView
from canfetch.cli.shared.terminal import Palette, pad, printable
from canfetch.core.times import rfc3339
from canfetch.pages.directives import Directive, note_names
from canfetch.pages.verdict import PageDecision, PageVerdict

_LABELS: Final = {
    "may_list": "list the URL",
    "may_index_embedded": "index if embedded",
    "may_index_images": "index images",
    "may_follow": "follow links",
    "may_snippet": "show a snippet",
    "may_preview_images": "preview images",
    "may_preview_video": "preview video",
    "may_archive": "show a cached copy",
    "may_translate": "translate the page",
    "may_answer": "use for AI answers",
    "may_train": "train on the text",
    "may_train_images": "train on images",
}
_UNITS: Final = {"may_snippet": "characters", "may_answer": "characters", "may_preview_video": "seconds"}
_LABEL_WIDTH: Final = max(map(len, _LABELS.values()))
_MAX_PROBLEM_LINES: Final = 20


def page_lines(
    url: str | None, agent: RequestedAgent, view: PageView, verdict: PageVerdict, palette: Palette
) -> Iterator[str]:
    """Yield the lines that show what `agent` may do with a page, and why."""
    index = verdict.may_index
    paint = palette.good if index.allowed else palette.bad
    page = "this page" if url is None else printable(url)
    word, may = ("yes", "may") if index.allowed else ("no", "may not")
    yield f"{paint(word)}: {printable(agent.name)} {may} index {page}"
    yield f"  {index.explanation}"
    yield ""
    answers = {name: _answer(name, getattr(verdict, name)) for name in _LABELS}
    width = max(map(len, answers.values()))
    for name, label in _LABELS.items():
        decision: PageDecision = getattr(verdict, name)
        color = palette.good if decision.unlimited else palette.warning if decision.allowed else palette.bad
        line = f"  {pad(label, _LABEL_WIDTH)}  {color(answers[name])}"
        if not decision.unlimited or decision.directive is not None:
            line += f"{' ' * (width - len(answers[name]))}  {palette.faint(decision.explanation)}"
        yield line
    moment = verdict.unavailable_after
    if moment is not None:
        yield f"  {pad('unavailable after', _LABEL_WIDTH)}  {rfc3339(moment)}"
    yield ""
    yield from _facts(view, verdict)


def _facts(view: PageView, verdict: PageVerdict) -> Iterator[str]:
    yield from _request_facts(view)
    if verdict.robots is not None:
        yield f"  robots.txt  {printable(str(verdict.robots))}"
    tokens = [printable(token) for token in verdict.agent.tokens] + ["all agents"] * verdict.agent.star_applies
    yield f"  tokens      {', '.join(tokens)}"
    yield f"  dialect     {verdict.dialect}"
    links = Counter(qualifier for link in view.rules.links for qualifier in link.qualifiers)
    if links:
        yield f"  links       {', '.join(f'{count} {name}' for name, count in sorted(links.items()))}"
    excluded = sum(element.valid for element in view.rules.no_snippets)
    if excluded:
        yield f"  no snippet  {excluded} with data-nosnippet"
    if view.rules.notes:
        yield f"  notes       {', '.join(note_names(view.rules.notes))}"
    for note in verdict.notes:
        yield f"  note        {note}"
    problems = [directive for directive in view.rules.directives if directive.notes]
    for directive in problems[:_MAX_PROBLEM_LINES]:
        yield f"  problem     {_problem(directive)}"
    if len(problems) > _MAX_PROBLEM_LINES:
        yield f"  problem     {len(problems) - _MAX_PROBLEM_LINES} more"


def _request_facts(view: PageView) -> Iterator[str]:
    if view.fetched is not None:
        for hop in view.fetched.hops:
            yield f"  redirected  {hop.status}  {printable(hop.url)}"
        if view.fetched.status is not None:
            yield f"  fetched     {printable(view.fetched.url)}, {view.fetched.bytes} bytes"
    file = view.rules.tdm_file
    if file is not None and file.problem is not None:
        yield f"  TDM file    {printable(file.problem)}"


def _problem(directive: Directive) -> str:
    suggestion = "" if directive.suggestion is None else f" (did you mean {directive.suggestion}?)"
    return f"{directive}, {directive.position}: {', '.join(note_names(directive.notes))}{suggestion}"


def _answer(name: str, decision: PageDecision) -> str:
    if not decision.allowed:
        return "no"
    if decision.limit is None:
        return "yes"
    if isinstance(decision.limit, str):
        limit = "title and snippet" if decision.limit == "snippet" else decision.limit
        return f"yes, at most {limit}"
    return f"yes, at most {decision.limit} {_UNITS[name]}"
