"""The tool `lint`: the problems of a robots.txt, published or drafted."""

import re
import time
from functools import cache
from typing import Final, Literal

from canfetch.client.origin_state import OriginState
from canfetch.core.text import counted, encode_text
from canfetch.lint import CHECKS, Catalogue, Linter, LintInput
from canfetch.lint.catalogue import ENGLISH, PHRASES, CheckTexts
from canfetch.lint.check import Variant
from canfetch.lint.finding import Finding
from canfetch.lint.formats.summaries import summarize_findings
from canfetch.lint.report import LintReport
from canfetch.lint.severity import Severity
from canfetch.web.mcp.arguments import LintArguments
from canfetch.web.mcp.quotation import quote
from canfetch.web.mcp.results import Lint, LintFinding, RobotsAccess
from canfetch.web.mcp.service import Service, site_url
from canfetch.web.mcp.site_facts import access_result, access_sentence, again_sentence
from canfetch.web.mcp.texts import fit, fit_some
from canfetch.web.mcp.tool import Answer, ToolDefinition

_MAX_FINDINGS: Final = 10
_DETAIL_TOKENS: Final = 16
_SEVERITIES: Final[dict[Severity, Literal["error", "warning", "info"]]] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "info",
}


# Values of messages that the linter chooses. All others are parts of the file, and are quoted.
_OWN_DETAILS: Final = frozenset(
    {"byte", "count", "draft", "hours", "line", "name", "network", "operator", "pages", "percent", "purpose", "seconds"}
    | {"size", "status", "tokens"}
)
_PLACEHOLDER: Final = re.compile(r"\{(\w+)(?:\|[^}]*)?\}")


async def _answer(service: Service, arguments: LintArguments) -> Answer:
    if arguments.site is None:
        content = encode_text(arguments.robots_txt or "")
        return await service.read(lint_draft, content, size=len(content), is_quick=False)
    url = site_url(arguments.site)
    state = await service.fetch(url)
    return await service.read_state(lint_state, state, time.time(), is_quick=False)


def lint_draft(content: bytes) -> Answer:
    """Return the problems of the content of a file."""
    return _report(Linter().lint(content), None)


def lint_state(state: OriginState, now: float) -> Answer:
    """Return the problems of the file of an origin, and of its delivery."""
    access = access_result(state, state.access_info(now), now)
    copy = state.effective_access(now).copy
    if copy is None:
        result = Lint(errors=0, warnings=0, notes=0, findings=[], robots_txt=access)
        return Answer(result, fit(["There is no robots.txt to lint.", access_sentence(access), again_sentence(access)]))
    file = LintInput(copy.content, url=state.origin.robots_url, delivery=state.entry)
    return _report(Linter().lint(file), access)


def _report(report: LintReport, access: RobotsAccess | None) -> Answer:
    # Of all notes of one check, the first is shown.
    groups = report.grouped()
    result = Lint(
        errors=report.count(Severity.ERROR),
        warnings=report.count(Severity.WARNING),
        notes=report.count(Severity.INFO),
        findings=[_finding(group[0]) for group in groups[:_MAX_FINDINGS]],
        robots_txt=access,
    )
    notes = f" {counted(result.notes, 'note')}." if result.notes else ""
    lines = [f"Line {one.line}, {one.severity}: {one.message}." for one in result.findings]
    lines[0:1] = ["\n".join([summarize_findings(report, ENGLISH) + notes, *lines[:1]])]
    end = [] if access is None else [access_sentence(access), again_sentence(access)]
    return Answer(result, fit_some(lines, "{} more findings are in the structured result.", end))


def _finding(finding: Finding) -> LintFinding:
    catalogue = quoting_catalogue()
    details = {name: _detail(value) for name, value in finding.details.items()}
    return LintFinding(
        line=finding.line,
        code=finding.check.code,
        name=finding.check.name,
        severity=_SEVERITIES[finding.severity],
        message=catalogue.message(finding.check, details),
        how_to_fix=catalogue.how_to_fix(finding.check, details),
        fixable=finding.fix is not None,
    )


@cache
def quoting_catalogue() -> Catalogue:
    """Return the English texts, with every part of the file in backticks."""
    texts = {check.code: ENGLISH.texts(check) for check in CHECKS}
    return Catalogue("en", {code: _quote_parts_of_file(one) for code, one in texts.items()}, PHRASES)


def _quote_parts_of_file(texts: CheckTexts) -> CheckTexts:
    return texts._replace(
        message=_quote_placeholders(texts.message),
        how_to_fix_here=_quote_placeholders(texts.how_to_fix_here),
        variants={name: Variant(*map(_quote_placeholders, one)) for name, one in texts.variants.items()},
    )


def _quote_placeholders(text: str) -> str:
    def quote_placeholder(found: re.Match[str]) -> str:
        return found[0] if found[1] in _OWN_DETAILS else f"`{found[0]}`"

    parts = text.split("`")
    parts[::2] = [_PLACEHOLDER.sub(quote_placeholder, part) for part in parts[::2]]
    return "`".join(parts)


def _detail(value: str) -> str:
    return quote(value, max_tokens=_DETAIL_TOKENS)[1:-1]


TOOL: Final = ToolDefinition(
    name="lint",
    title="Lint a robots.txt",
    description="""\
Find the problems of a robots.txt: lines that crawlers ignore or read differently, mistakes in patterns, and faults \
of its delivery. Pass the content of a draft, or a site whose file is fetched. Each finding has a line number and says \
how to fix it. A file without errors can still have other rules than its author wants: test them with explain.""",
    arguments=LintArguments,
    result=Lint,
    answer=_answer,
)
