"""A `User-agent: *` without rules of its own, which takes the rules of the next group."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.line_fixes import line_end
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.site_blocks import find_site_block
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_STAR: Final = "*"


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find groups that start with `*`, go on with the name of a crawler, and block the whole site."""
    block = find_site_block(file, _STAR)
    group = None if block is None else file.groups[block.group]
    if block is None or group is None or group.tokens[0].token != _STAR:
        return
    following = next((token for token in group.tokens if token.token not in ("", _STAR)), None)
    if following is None:
        return
    star = next(token for token in reversed(group.tokens) if token.line < following.line)
    end = star.record.span[0] + len(file.line_content(star.record))
    blank = b"" if file.is_blank(star.line) else line_end(file)
    yield Occurrence(
        file.text_span(star.record),
        {"token": following.token, "pattern": file.text(block.value), "line": str(block.line)},
        VerdictQuery("/"),
        Fix((Edit(end, end, line_end(file) + b"Disallow:" + blank),), changes_verdicts=True),
        tuple(range(star.record.line + 1, block.line + 1)),
    )


CHECK = Check(
    code="CF313",
    name="star-runs-into-group",
    severities=everywhere(Severity.ERROR),
    title="A `User-agent: *` that runs into the next group",
    message="`*` and `{token}` are in the same group, so `{pattern}` on line {line} blocks the whole site for every "
    "crawler without its own group",
    why="A group without a rule does not end at a blank line: its `User-agent` lines and the next ones form one group. "
    "The rule that is meant for one crawler then applies to all crawlers without their own group, and search "
    "engines cannot read the site.",
    how_to_fix="Write an empty `Disallow:` under `User-agent: *`, or the rules that all crawlers should follow.",
    source="RFC 9309 section 2.2.1",
    bad=b"User-agent: *\n\nUser-agent: BadBot\nDisallow: /\n",
    good=b"User-agent: *\nDisallow:\n\nUser-agent: BadBot\nDisallow: /\n",
    find=find,
    needs=(Trait.SITE_BLOCK,),
    fixable=True,
    supersedes=("CF305", "CF306", "CF308", "CF701", "CF702"),
)
