"""A site closed to all crawlers except Google's AdsBot."""

from collections.abc import Iterator

from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.site_blocks import find_site_block
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find a `*` group that blocks the whole site in a file without a group for AdsBot."""
    rule = find_site_block(file, "*")
    if rule is not None and not file.groups_named("AdsBot-Google"):
        yield Occurrence(file.text_span(rule.record))


CHECK = Check(
    code="CF505",
    name="adsbot-not-named",
    severities=Severities(google=Severity.INFO),
    title="A site closed to all crawlers except Google's AdsBot",
    message="AdsBot-Google ignores `*` groups, so it may fetch everything",
    why="Google's special-case crawlers, such as those that check the landing pages of ads, follow a group only if it "
    "names them.",
    how_to_fix="Add `User-agent: AdsBot-Google` to the group if it should apply to AdsBot as well.",
    source="Google, special-case crawlers",
    bad=b"User-agent: *\nDisallow: /\n",
    good=b"User-agent: *\nUser-agent: AdsBot-Google\nDisallow: /\n",
    find=find,
    needs=(Trait.SITE_BLOCK,),
)
