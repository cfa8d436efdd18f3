"""The pages of the linter's checks: one for each check, and a list of all of them."""

from canfetch.core.text import encode_text
from canfetch.lint import CHECKS, SEVERITY_SETS, Category, Check, Finding, Linter, LintInput

# Long examples consist of repeated lines, so their start and end are enough.
MAX_LINES = 12
MAX_CHARACTERS = 110

HEADINGS = {
    Category.FILE: "File",
    Category.LINES: "Lines",
    Category.GROUPS: "Groups",
    Category.PATTERNS: "Patterns",
    Category.AGENTS: "User agents",
    Category.EXTENSIONS: "Records beyond RFC 9309",
    Category.POLICY: "Policy",
    Category.DELIVERY: "Delivery",
    Category.COMMENTS: "Suppression comments",
}


def escape(content: bytes) -> str:
    """Return content as text, with characters that are not printable escaped."""
    parts = []
    for character in content.decode("utf-8", "surrogateescape"):
        if character == "\n" or (character.isprintable() and character != "\\"):
            parts.append(character)
        elif character == "\\":
            parts.append("\\" if content.isascii() else "\\\\")
        elif character == "\r":
            parts.append("\\r")
        else:
            parts.append("".join(f"\\x{byte:02x}" for byte in encode_text(character)))
    return "".join(parts)


def shorten(text: str) -> list[str]:
    """Return the lines of an example, with the middle of a long one left out."""
    lines = [line if len(line) <= MAX_CHARACTERS else f"{line[:MAX_CHARACTERS]}..." for line in text.splitlines()]
    if len(lines) > MAX_LINES:
        skipped = len(lines) - MAX_LINES + 1
        lines = [*lines[: MAX_LINES - 3], f"... {skipped:,} more lines ...", *lines[-2:]]
    return lines


def example(lint_input: LintInput) -> list[str]:
    """Return an example as Markdown lines: its context, then the file."""
    context: list[str] = []
    if lint_input.path is not None:
        context.append(f"Path: `{lint_input.path}`")
    if lint_input.url is not None:
        context.append(f"URL: `{lint_input.url}`")
    if lint_input.delivery is not None:
        entry = lint_input.delivery
        status = "no response" if entry.status is None else f"status {entry.status}"
        hops = "".join(f", after status {hop.status} from `{hop.url}`" for hop in entry.hops)
        headers = "".join(f", `{name}: {value}`" for name, value in entry.headers)
        context.append(f"Delivery: {status}{headers}{hops}")
    context += [f"Page with its own rules: `{page.url}`" for page in lint_input.pages]
    lines = [*(f"- {line}" for line in context), ""] if context else []
    lines += file_block(lint_input.content)
    for url, content in lint_input.siblings.items():
        lines += [f"`{url}`:", "", *file_block(content)]
    return lines


def file_block(content: bytes | None) -> list[str]:
    """Return a file as Markdown lines."""
    if content is None:
        return ["No such file.", ""]
    return ["```text", *shorten(escape(content)), "```", ""] if content else ["An empty file.", ""]


def finding_text(finding: Finding) -> str:
    """Return the message and the effect of a finding."""
    effect = finding.effect()
    text = f"Line {finding.line}: {escape(encode_text(finding.message()))}."
    return text + (f" {effect[0].upper()}{effect[1:]}." if effect else "")


def page(check: Check) -> str:
    """Return the page of a check."""
    # A check that yields to all others finds something only where the severity set lacks the others.
    linter = Linter(severities="lighthouse" if check.yields_to_others else "all", findings_limit=None)
    findings = [finding for finding in linter.lint(check.bad_input()).findings if finding.check is check]
    fixes = [finding.fix for finding in findings if finding.fix is not None]
    severities = [check.severities.in_set(name) for name in SEVERITY_SETS]
    lines = [f"# {check.code} {check.name}", "", f"{check.title}.", ""]
    if fixes and all(fix.changes_verdicts for fix in fixes):
        lines += [
            "Fixable with `--unsafe-fixes`, and with `--fix` where it changes no verdict or other record.",
            "",
        ]
    elif fixes:
        lines += ["Fixable with `--fix`, which changes no verdict.", ""]
    lines += ["## Why it matters", "", check.why, "", "## How to fix it", "", check.how_to_fix, ""]
    lines += ["## Example", "", "Reported:", "", *example(check.bad_input())]
    lines += [f"> {finding_text(findings[0])}", "", "Not reported:", "", *example(check.good_input())]
    lines += ["## Severity", "", "| " + " | ".join(f"`{name}`" for name in SEVERITY_SETS) + " |"]
    lines += ["| --- " * len(severities) + "|"]
    lines += ["| " + " | ".join("-" if severity is None else severity.label for severity in severities) + " |", ""]
    lines += ["## Suppression", "", "Add a comment to the line, or on a line of its own above it:", ""]
    lines += ["```text", f"# canfetch: allow {check.name}", "```", "", "## Source", "", f"{check.source}.", ""]
    return "\n".join(lines)


def index() -> str:
    """Return the list of all checks."""
    fixable = sum(check.fixable for check in CHECKS)
    lines = ["# Checks", ""]
    lines += [f"There are {len(CHECKS)} checks, {fixable} of them with a fix. The severity is that of the set"]
    lines += ["`default`, in a file that names no search engine. `canfetch lint --severities` selects another set.", ""]
    for category, heading in HEADINGS.items():
        lines += [f"## {heading}", "", "| Code | Name | Finds | Severity | Fix |", "| --- | --- | --- | --- | --- |"]
        for check in CHECKS:
            if check.category is category:
                severity = check.severities.in_set("default")
                label = "-" if severity is None else severity.label
                fix = "yes" if check.fixable else "-"
                lines.append(f"| [{check.code}]({check.code}.md) | `{check.name}` | {check.title} | {label} | {fix} |")
        lines.append("")
    lines += ["```{toctree}", ":hidden:", "", *(check.code for check in CHECKS), "```", ""]
    return "\n".join(lines)


def check_pages() -> dict[str, str]:
    """Return the text of every page by its path in the documentation."""
    return {"checks/index.md": index(), **{f"checks/{check.code}.md": page(check) for check in CHECKS}}
