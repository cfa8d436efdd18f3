"""What is said of a page to people."""

import time
from collections import Counter
from collections.abc import Iterator
from typing import Final

from canfetch.cli.pages.sources import Seen
from canfetch.cli.shared.agent_arguments import Asker
from canfetch.cli.shared.terminal import Palette, padded, shown
from canfetch.pages.directives import Directive, note_names
from canfetch.pages.verdict import PageDecision, PageVerdict

_LABELS: Final = {
    "may_list": "list its URL",
    "may_index_embedded": "index it embedded",
    "may_index_images": "index its images",
    "may_follow": "follow links",
    "may_snippet": "quote it",
    "may_preview_images": "show images",
    "may_preview_video": "show video",
    "may_archive": "show a kept copy",
    "may_translate": "translate it",
    "may_answer": "answer with it",
    "may_train": "train on it",
    "may_train_images": "train on its images",
}
_UNITS: Final = {"may_snippet": "characters", "may_answer": "characters", "may_preview_video": "seconds"}
_LABEL_COLUMNS: Final = max(map(len, _LABELS.values()))
_ODD_LINES: Final = 20


def page_lines(url: str | None, asker: Asker, seen: Seen, verdict: PageVerdict, palette: Palette) -> Iterator[str]:
    """Yield what an agent may do with a page, and why, as lines."""
    index = verdict.may_index
    paint = palette.good if index.allowed else palette.bad
    what = "this page" if url is None else shown(url)
    word, may = ("yes", "may") if index.allowed else ("no", "may not")
    yield f"{paint(word)}: {shown(asker.name)} {may} index {what}"
    yield f"  {index.explanation}"
    yield ""
    answers = {name: _answer(name, getattr(verdict, name)) for name in _LABELS}
    width = max(map(len, answers.values()))
    for name, label in _LABELS.items():
        decision: PageDecision = getattr(verdict, name)
        color = palette.good if decision.unlimited else palette.odd if decision.allowed else palette.bad
        line = f"  {padded(label, _LABEL_COLUMNS)}  {color(answers[name])}"
        if not decision.unlimited or decision.directive is not None:
            line += f"{' ' * (width - len(answers[name]))}  {palette.faint(decision.explanation)}"
        yield line
    moment = verdict.unavailable_after
    if moment is not None:
        yield f"  {padded('gone after', _LABEL_COLUMNS)}  {_moment(moment)}"
    yield ""
    yield from _facts(seen, verdict)


def _facts(seen: Seen, verdict: PageVerdict) -> Iterator[str]:
    yield from _come_by(seen)
    if verdict.robots is not None:
        yield f"  robots.txt  {shown(str(verdict.robots))}"
    tokens = [shown(token) for token in verdict.agent.tokens] + ["everyone"] * verdict.agent.star_applies
    yield f"  said to     {', '.join(tokens)}"
    yield f"  read by     reading {verdict.dialect}"
    links = Counter(qualifier for link in seen.rules.links for qualifier in link.qualifiers)
    if links:
        yield f"  links       {', '.join(f'{count} {name}' for name, count in sorted(links.items()))}"
    kept_out = sum(element.valid for element in seen.rules.no_snippets)
    if kept_out:
        yield f"  not quoted  {kept_out} with data-nosnippet"
    if seen.rules.notes:
        yield f"  noted       {', '.join(note_names(seen.rules.notes))}"
    odd = [directive for directive in seen.rules.directives if directive.notes]
    for directive in odd[:_ODD_LINES]:
        yield f"  odd         {_oddity(directive)}"
    if len(odd) > _ODD_LINES:
        yield f"  odd         {len(odd) - _ODD_LINES} more"


def _come_by(seen: Seen) -> Iterator[str]:
    if seen.fetched is not None:
        for hop in seen.fetched["hops"]:
            yield f"  redirected  {hop['status']}  {shown(hop['url'])}"
        if seen.fetched["status"] is not None:
            yield f"  fetched     {shown(seen.fetched['url'])}, {seen.fetched['octets']} octets"
    file = seen.rules.tdm_file
    if file is not None and file.problem is not None:
        yield f"  tdm file    {shown(file.problem)}"


def _oddity(directive: Directive) -> str:
    perhaps = "" if directive.suggestion is None else f", perhaps {directive.suggestion}"
    return f"{directive}, {directive.position}: {', '.join(note_names(directive.notes))}{perhaps}"


def _answer(name: str, decision: PageDecision) -> str:
    if not decision.allowed:
        return "no"
    if decision.limit is None:
        return "yes"
    if isinstance(decision.limit, str):
        word = "title and snippet" if decision.limit == "snippet" else decision.limit
        return f"yes, {word} at most"
    return f"yes, {decision.limit} {_UNITS[name]} at most"


def _moment(seconds: float) -> str:
    try:
        return time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(seconds))
    except (OSError, OverflowError, ValueError):
        # Some platforms know no time before 1970.
        return f"{seconds:.0f} seconds since 1970"
