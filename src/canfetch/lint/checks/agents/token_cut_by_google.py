"""A name of which Google's parser reads only the beginning."""

from collections.abc import Iterator

from canfetch.core.abnf import IDENTIFIER
from canfetch.lint.analysis.agent_names import named_agents
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look for names with other characters than letters, `_` and `-`."""
    for name in named_agents(file):
        if b"*" in name.octets:
            continue
        rest = name.octets.lstrip(IDENTIFIER)
        if rest:
            yield Found(name.span, {"name": name.text, "rest": file.text(rest.strip())})


CHECK = Check(
    code="CF502",
    name="token-cut-by-google",
    severities=Severities(google=Severity.INFO),
    title="A name of which Google's parser reads only the beginning",
    message="Google's parser drops `{rest}` of `{name}`",
    why="The grammar has letters, `_` and `-` alone, and Google's parser ends the name at the first other character. "
    "No crawler of Google's has such a name; but others use that parser, and so miss their own group.",
    mend="Leave it if the crawler's operator names it so; no other name would reach it.",
    source="RFC 9309 section 2.2.1; google/robotstxt, ExtractUserAgent",
    bad=Given(b"User-agent: MJ12bot\nDisallow: /\n"),
    good=Given(b"User-agent: AhrefsBot\nDisallow: /\n"),
    find=find,
)
