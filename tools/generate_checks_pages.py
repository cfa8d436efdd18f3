"""Turn the linter's checks into docs/checks/: a page each and a list; with --check, only say whether they are fresh."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from canfetch.core.text import encode_text
from canfetch.lint import CHECKS, SEVERITY_SETS, Category, Check, Finding, Linter, LintInput

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "checks"
NOTE = "<!-- Generated from src/canfetch/lint/checks by tools/generate_checks_pages.py: edit those files, not this. -->"
# Longer examples are made of repetitions; their ends say it all.
MOST_LINES = 12
MOST_CHARACTERS = 110

SUBJECTS = {
    Category.FILE: "The file",
    Category.LINES: "Lines",
    Category.GROUPS: "Groups",
    Category.PATTERNS: "Patterns",
    Category.AGENTS: "Agents",
    Category.EXTENSIONS: "Records beyond the RFC",
    Category.POLICY: "Policy",
    Category.DELIVERY: "Delivery",
    Category.COMMENTS: "Comments to the linter",
}


def shown_octets(octets: bytes) -> str:
    """Show octets as text; what is not printed is an escape."""
    text = octets.decode("utf-8", "surrogateescape")
    out = []
    for character in text:
        if character == "\n" or (character.isprintable() and character != "\\"):
            out.append(character)
        elif character == "\\":
            out.append("\\\\" if not octets.isascii() else "\\")
        elif character == "\r":
            out.append("\\r")
        else:
            out.append("".join(f"\\x{octet:02x}" for octet in encode_text(character)))
    return "".join(out)


def cut(text: str) -> list[str]:
    """Cut a long example to its beginning and end."""
    lines = [line if len(line) <= MOST_CHARACTERS else f"{line[:MOST_CHARACTERS]}..." for line in text.splitlines()]
    if len(lines) > MOST_LINES:
        left_out = len(lines) - MOST_LINES + 1
        lines = [*lines[: MOST_LINES - 3], f"... {left_out:,} lines more ...", *lines[-2:]]
    return lines


def example(given: LintInput) -> list[str]:
    """Show what is given."""
    lines: list[str] = []
    if given.path is not None:
        lines += [f"The file is `{given.path}`.", ""]
    if given.url is not None:
        lines += [f"It is at `{given.url}`.", ""]
    if given.delivery is not None:
        entry = given.delivery
        status = "no answer" if entry.status is None else f"status {entry.status}"
        hops = "".join(f", after {hop.status} from `{hop.url}`" for hop in entry.hops)
        headers = "".join(f", `{name}: {value}`" for name, value in entry.headers)
        lines += [f"It was fetched: {status}{headers}{hops}.", ""]
    for url, octets in given.siblings.items():
        if octets is None:
            lines += [f"`{url}` has no file.", ""]
        else:
            lines += [f"`{url}` has this one:", "", "```text", *cut(shown_octets(octets)), "```", ""]
    lines += [f"`{page.url}` is a page with rules of its own." for page in given.pages]
    if given.pages:
        lines.append("")
    if given.content:
        lines += ["```text", *cut(shown_octets(given.content)), "```", ""]
    else:
        lines += ["The file is empty.", ""]
    return lines


def said(finding: Finding) -> str:
    """Say what the linter says of an example."""
    effect = finding.effect()
    text = f"Line {finding.line}: {shown_octets(finding.message().encode('utf-8', 'surrogateescape'))}."
    return text + (f" {effect[0].upper()}{effect[1:]}." if effect else "")


def page(check: Check) -> str:
    """Render the page of a check."""
    findings = [finding for finding in Linter(findings_limit=None).lint(check.bad).findings if finding.check is check]
    severities = [(profile, check.severities.in_set(profile)) for profile in SEVERITY_SETS]
    lines = [
        NOTE,
        "",
        f"# {check.code} {check.name}",
        "",
        f"**{check.title}.**",
        "",
        check.why,
        "",
        check.how_to_fix,
        "",
    ]
    lines += ["| " + " | ".join(f"`{profile}`" for profile, _ in severities) + " |", "| --- " * len(severities) + "|"]
    lines += ["| " + " | ".join("-" if severity is None else severity.label for _, severity in severities) + " |", ""]
    if check.fixable:
        fixes = [finding.fix for finding in findings if finding.fix is not None]
        unsafe = all(fix.changes_verdicts for fix in fixes)
        option = "`--unsafe-fixes`: it changes what some crawler may fetch" if unsafe else "`--fix`: no verdict changes"
        lines += [f"Mended by {option}.", ""]
    lines += ["## Found", "", *example(check.bad), said(findings[0]), ""]
    lines += ["## Not found", "", *example(check.good)]
    lines += ["## Allowed", "", "A comment allows it, on the line or before it:", ""]
    lines += ["```text", f"# canfetch: allow {check.name}", "```", "", f"Source: {check.source}.", ""]
    return "\n".join(lines)


def index() -> str:
    """Render the list of all checks."""
    fixable = sum(check.fixable for check in CHECKS)
    lines = [
        NOTE,
        "",
        "# Checks",
        "",
        f"{len(CHECKS)} checks, {fixable} of them with a fix. The severity is that of",
        "",
    ]
    lines[-2] = (
        f"There are {len(CHECKS)} checks, {fixable} of them with a fix. The severity is the highest of all profiles; "
        "`lint --profile` chooses another."
    )
    for subject, heading in SUBJECTS.items():
        lines += [f"## {heading}", "", "| code | name | finds | severity | fix |", "| --- | --- | --- | --- | --- |"]
        for check in CHECKS:
            if check.category is subject:
                severity = check.severities.in_set("all")
                label = "-" if severity is None else severity.label
                fix = "yes" if check.fixable else "-"
                lines.append(f"| [{check.code}]({check.code}.md) | `{check.name}` | {check.title} | {label} | {fix} |")
        lines.append("")
    codes = "\n".join(check.code for check in CHECKS)
    lines += ["```{toctree}", ":hidden:", "", codes, "```", ""]
    return "\n".join(lines)


def pages() -> dict[Path, str]:
    """Render them all."""
    return {FOLDER / "index.md": index(), **{FOLDER / f"{check.code}.md": page(check) for check in CHECKS}}


def main() -> int:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a page is stale")
    arguments = parser.parse_args()
    wanted = pages()
    there = set(FOLDER.glob("*.md"))
    stale = [path for path, text in wanted.items() if path not in there or path.read_text(encoding="utf-8") != text]
    superfluous = sorted(there - set(wanted))
    if arguments.check:
        for path in (*stale, *superfluous):
            print(f"{path.relative_to(ROOT)} is stale: run tools/generate_checks_pages.py", file=sys.stderr)
        return 1 if stale or superfluous else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in stale:
        path.write_text(wanted[path], encoding="utf-8")
    for path in superfluous:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
