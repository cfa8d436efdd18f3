"""The descriptions of checks that `canfetch lint --list-checks` and `--explain` print."""

from collections.abc import Iterator
from typing import Any

from canfetch.cli.linting.options import LintOptions
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.row_writers import JsonWriter
from canfetch.cli.shared.terminal import Palette
from canfetch.lint._tables import ENTRIES_BY_WORD
from canfetch.lint.catalogue import Catalogue
from canfetch.lint.check import Check
from canfetch.lint.checks import CHECKS
from canfetch.lint.linter import unknown_check
from canfetch.lint.severity import DEFAULT, Severity

_FORMATS = ("text", "json", "ndjson")


def describe_checks(options: LintOptions, catalogue: Catalogue, palette: Palette) -> str | None:
    """Return the text for the options `--list-checks` and `--explain`, or None if their JSON was written.

    Raises: CommandError: The check is unknown, or the format is not supported.
    """
    option = "--list-checks" if options.explain is None else "--explain"
    if options.format not in _FORMATS:
        raise CommandError(f"{option} supports --format {', '.join(_FORMATS)}, not {options.format}")
    if options.output is not None:
        raise CommandError(f"{option} and --output cannot be used together")
    checks = CHECKS if options.explain is None else (_find_check(options.explain),)
    if options.format != "text":
        writer = JsonWriter(lines=options.format == "ndjson")
        for check in checks:
            writer.write(_to_json(check, options, catalogue))
        writer.end()
        return None
    lines = _list_checks(options, catalogue) if options.explain is None else _explain(checks[0], catalogue, palette)
    return "".join(f"{line}\n" for line in lines)


def _find_check(word: str) -> Check:
    entry = ENTRIES_BY_WORD.get(word)
    if entry is None:
        raise CommandError(unknown_check(word))
    return entry.check


def _severity(check: Check, options: LintOptions) -> Severity | None:
    return check.severities.in_set(options.severities or DEFAULT)


def _to_json(check: Check, options: LintOptions, catalogue: Catalogue) -> dict[str, Any]:
    severity = _severity(check, options)
    texts = catalogue.texts(check)
    return {
        "code": check.code,
        "name": check.name,
        "severity": None if severity is None else severity.label,
        "fixable": check.fixable,
        "title": texts.title,
        "why": texts.why,
        "how_to_fix": texts.how_to_fix,
        "source": check.source,
    }


def _list_checks(options: LintOptions, catalogue: Catalogue) -> Iterator[str]:
    for check in CHECKS:
        severity = _severity(check, options)
        label = "-" if severity is None else catalogue.phrase(severity.label)
        fix = "fix" if check.fixable else ""
        yield f"{check.code}  {label:<8} {fix:<4} {check.name:<28} {catalogue.texts(check).title}"


def _explain(check: Check, catalogue: Catalogue, palette: Palette) -> Iterator[str]:
    texts = catalogue.texts(check)
    yield palette.strong(f"{check.code} {check.name}: {texts.title}")
    for phrase, text in (("why", texts.why), ("fix", texts.how_to_fix), ("source", check.source)):
        label = f"{catalogue.phrase(phrase)}:"
        yield f"  {palette.faint(label)}{' ' * (8 - len(label))}{text}"
