"""A name that Google's parser reads only in part."""

from collections.abc import Iterator

from canfetch.core.abnf import IDENTIFIER
from canfetch.lint.analysis.agent_names import named_agents
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find names with characters other than letters, `_` and `-`."""
    for name in named_agents(file):
        if b"*" in name.raw:
            continue
        rest = name.raw.lstrip(IDENTIFIER)
        if rest:
            yield Occurrence(name.span, {"name": name.text, "rest": file.text(rest.strip())})


CHECK = Check(
    code="CF502",
    name="token-cut-by-google",
    severities=Severities(google=Severity.INFO),
    title="A name that Google's parser reads only in part",
    message="Google's parser drops `{rest}` from `{name}`",
    why="RFC 9309 allows only letters, `_` and `-` in a name, and Google's open-source parser ends the name at the "
    "first other character. Google's own crawlers have no such names, but other crawlers that use this parser may not "
    "find their own group.",
    how_to_fix="Keep the line if the crawler's operator uses this name: no other name reaches the crawler.",
    source="RFC 9309 section 2.2.1; google/robotstxt, ExtractUserAgent",
    bad=b"User-agent: MJ12bot\nDisallow: /\n",
    good=b"User-agent: AhrefsBot\nDisallow: /\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
)
