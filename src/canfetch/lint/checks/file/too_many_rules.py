"""More rules than Yandex accepts."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.rule_values import rule_values
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_MAX_RULES: Final = 2048


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find the first rule after the limit."""
    rules = rule_values(file).indices
    if len(rules) > _MAX_RULES:
        # The rules after the size limit are not counted.
        count = f"> {len(rules)}" if file.robots.tail else str(len(rules))
        yield Occurrence(file.text_span(file.records[rules[_MAX_RULES]]), {"count": count})


CHECK = Check(
    code="CF118",
    name="too-many-rules",
    severities=Severities(rfc=Severity.INFO, yandex=Severity.ERROR),
    title="More rules than Yandex accepts",
    message="the file has {count} rules, but Yandex accepts only 2,048",
    why="Yandex reports a file with more than 2,048 rules as an error.",
    how_to_fix="Combine rules with shorter paths or with `*`, and remove outdated ones.",
    source="Yandex Webmaster, robots.txt analysis",
    bad=lambda: b"User-agent: *\n" + b"".join(b"Disallow: /private/%d/\n" % number for number in range(2050)),
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
)
