"""The report as a self-contained HTML page, with controls that sort and filter the findings."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Final

from canfetch.core.text import display_text
from canfetch.lint.catalogue import ENGLISH, Catalogue
from canfetch.lint.checks import CHECKS
from canfetch.lint.finding import Finding
from canfetch.lint.formats.finding_parts import check_page, locate, printable, quoted_line
from canfetch.lint.formats.summaries import (
    describe_fix,
    summarize_findings,
    summarize_lines,
    summarize_notes,
    summarize_undecided,
)
from canfetch.lint.report import LintReport
from canfetch.lint.severity import Severity
from canfetch.repository import DOCUMENTATION

PAGE_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --faint: #5b6673; --edge: #d7dce2; --code: #f4f6f8;
  --error: #b42318; --warning: #8a5a00; --info: #1f5fa8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #14181d; --faint: #9aa6b2; --edge: #333c46;
  --code: #1d232a; --error: #ff8a80; --warning: #f0c060; --info: #8fc1ff; } }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 0; font-weight: 600; overflow-wrap: anywhere; } p { margin: .35rem 0; }
article { border: 1px solid var(--edge); border-left: .3rem solid var(--severity); border-radius: .4rem;
  margin: .75rem 0; padding: .75rem 1rem; }
.error { --severity: var(--error); } .warning { --severity: var(--warning); } .info { --severity: var(--info); }
h3 .severity { color: var(--severity); } .place, .code, .source { color: var(--faint); font-size: .875rem; }
"""
"""The style of a page of findings: colors, headings, and an article for each finding."""
_OWN_STYLE: Final = """\
pre { background: var(--code); border-radius: .3rem; margin: .6rem 0; padding: .5rem .75rem; overflow-x: auto;
  font: .875rem/1.5 ui-monospace, monospace; }
mark { background: none; color: inherit; text-decoration: underline wavy var(--severity); text-underline-offset: .2em; }
code { font: .92em ui-monospace, monospace; background: var(--code); border-radius: .2rem; padding: 0 .2em; }
nav { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; margin: 1rem 0; } [hidden] { display: none !important; }
input, select { font: inherit; }
.effect { font-weight: 600; } .number { color: var(--faint); user-select: none; }
"""
# The controls work without a server and without other files. Without JavaScript, the page shows all findings.
_SCRIPT: Final = """
const nav = document.querySelector("nav"), articles = [...document.querySelectorAll("article")];
const ranks = ["error", "warning", "info"];
const orders = {
  severity: (a, b) => ranks.indexOf(a.dataset.severity) - ranks.indexOf(b.dataset.severity) || orders.line(a, b),
  line: (a, b) => a.dataset.line - b.dataset.line,
  check: (a, b) => a.dataset.check.localeCompare(b.dataset.check) || orders.line(a, b),
};
function update() {
  const text = nav.querySelector("[type=search]").value.toLowerCase();
  const shown = new Set([...nav.querySelectorAll("[type=checkbox]:checked")].map((box) => box.value));
  const order = orders[nav.querySelector("select").value];
  for (const article of articles) {
    article.hidden = !shown.has(article.dataset.severity) || !article.textContent.toLowerCase().includes(text);
  }
  for (const section of document.querySelectorAll("section")) {
    section.append(...[...section.querySelectorAll("article")].sort(order));
  }
}
nav.addEventListener("input", update);
nav.hidden = false;
update();
"""
_LINE_CHARACTERS: Final = 400


def html_page(
    reports: Iterable[LintReport],
    catalogue: Catalogue = ENGLISH,
    *,
    documentation: str | None = DOCUMENTATION,
    problems: Iterable[tuple[str, str]] = (),
) -> str:
    """Return the page, which has to be encoded as UTF-8. Content of the linted files is escaped.

    Args:
        reports: The reports.
        catalogue: The language.
        documentation: The address of canfetch's documentation, or None for no links.
        problems: Names of files that could not be read, each with the reason.
    """
    pages = {check.code: page for check in CHECKS if (page := check_page(check, documentation)) is not None}
    return "".join(_parts(list(reports), catalogue, pages, list(problems)))


def _parts(
    reports: list[LintReport], catalogue: Catalogue, pages: dict[str, str], problems: list[tuple[str, str]]
) -> Iterator[str]:
    title = escape(catalogue.phrase("report"))
    yield f'<!doctype html>\n<html lang="{catalogue.language}">\n<head>\n<meta charset="utf-8">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{title}</title>\n<style>{PAGE_STYLE}{_OWN_STYLE}</style>\n</head>\n"
    yield f"<body>\n<main>\n<h1>{title}</h1>\n"
    yield from _controls(catalogue)
    for report in reports:
        notes = summarize_notes(report, catalogue)
        undecided = summarize_undecided(report, catalogue)
        summary = escape(" ".join(filter(None, [summarize_findings(report, catalogue), notes, undecided])))
        yield f"<section>\n<h2>{escape(printable(report.name))}</h2>\n<p>{summary}</p>\n"
        for finding, *others in report.grouped():
            yield from _article(report, finding, others, catalogue, pages.get(finding.check.code))
        yield "</section>\n"
    for name, reason in problems:
        yield f"<section>\n<h2>{escape(printable(name))}</h2>\n"
        yield f'<p class="effect">{escape(printable(reason))}</p>\n</section>\n'
    yield f"</main>\n<script>{_SCRIPT}</script>\n</body>\n</html>\n"


def _controls(catalogue: Catalogue) -> Iterator[str]:
    yield "<nav hidden>\n"
    for severity in sorted(Severity, reverse=True):
        label = escape(catalogue.phrase(severity.label))
        yield f'<label><input type="checkbox" value="{severity.label}" checked> {label}</label>\n'
    yield f'<label>{escape(catalogue.phrase("filter"))} <input type="search"></label>\n'
    yield f"<label>{escape(catalogue.phrase('sort'))} <select>\n"
    for order in ("severity", "line", "check"):
        yield f'<option value="{order}">{escape(catalogue.phrase(order))}</option>\n'
    yield "</select></label>\n</nav>\n"


def _article(
    report: LintReport, finding: Finding, others: list[Finding], catalogue: Catalogue, page: str | None
) -> Iterator[str]:
    severity = finding.severity.label
    location = locate(report.file, finding)
    data = f'data-severity="{severity}" data-line="{location.line}" data-check="{finding.check.code}"'
    yield f'<article class="{severity}" {data}>\n'
    yield f'<h3><span class="severity">{escape(catalogue.phrase(severity))}</span> '
    yield f"{_to_html(finding.message(catalogue))}</h3>\n"
    yield f'<p class="place">{escape(catalogue.phrase("line"))} {location.line}:{location.column} '
    code = f"{finding.check.code} {finding.check.name}"
    yield f'<span class="code">{code if page is None else _link(page, code)}</span></p>\n'
    if any(quoted_line(report.file, finding)):
        yield f"<pre>{_quoted(report, finding)}</pre>\n"
    effect = finding.effect(catalogue)
    if effect:
        yield f'<p class="effect">{escape(effect)}</p>\n'
    if others:
        yield f'<p class="place">{escape(summarize_lines(others, catalogue))}</p>\n'
    fix = describe_fix(finding, catalogue)
    advice = finding.how_to_fix(catalogue) + (f" ({fix})" if fix else "")
    yield f"<p>{_to_html(catalogue.texts(finding.check).why)}</p>\n<p>{_to_html(advice)}</p>\n"
    yield f'<p class="source">{escape(catalogue.phrase("source"))}: {escape(finding.check.source)}</p>\n</article>\n'


def _link(url: str, text: str) -> str:
    return f'<a href="{escape(url)}">{escape(text)}</a>'


def _to_html(text: str) -> str:
    # Every second part was between backticks. An unclosed backtick stays as it is.
    parts = escape(text).split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))


def _quoted(report: LintReport, finding: Finding) -> str:
    parts = map(display_text, quoted_line(report.file, finding))
    before, marked, after = (escape(part[:_LINE_CHARACTERS]) for part in parts)
    return f'<span class="number">{finding.line} | </span>{before}<mark>{marked}</mark>{after}'
