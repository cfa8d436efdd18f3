"""A name close to that of a known crawler."""

from collections.abc import Iterator

from canfetch.lint.analysis.agent_names import named_agents
from canfetch.lint.analysis.crawler_suggestions import near_crawler
from canfetch.lint.analysis.group_assignment import may_speak_to
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.fixing import replacing
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Find names close to a known one. Other unknown names are legal, and may belong to any crawler."""
    for name in named_agents(file):
        near = None if b"*" in name.octets else near_crawler(name.text)
        if near is None:
            continue
        alone = not name.in_list and name.span == name.record.value and may_speak_to(file, name.record, near)
        fix = replacing(*name.span, near.encode(), changes_verdicts=True) if alone else None
        yield Found(name.span, {"name": name.text, "near": near}, Probe("/", (near,)), fix)


CHECK = Check(
    code="CF501",
    name="unknown-agent",
    severities=everywhere(Severity.WARNING),
    title="A name close to that of a known crawler",
    message="no known crawler is named `{name}`; it may be a misspelling of `{near}`",
    why="A crawler looks for its exact name, in any letter case. It does not find a group under a different spelling, "
    "and follows the `*` group instead.",
    mend="Write the name exactly as the crawler's operator documents it.",
    source="RFC 9309 section 2.2.1; the canfetch crawler registry",
    bad=Given(b"User-agent: Google-bot\nDisallow: /private/\n"),
    good=Given(b"User-agent: Googlebot\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
