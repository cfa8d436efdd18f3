"""A site closed to all crawlers except Google's AdsBot."""

from collections.abc import Iterator

from canfetch.lint.analysis.site_blocks import closing_rule
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Find a `*` group that blocks the whole site in a file without a group for AdsBot."""
    rule = closing_rule(file, "*")
    if rule is not None and not file.groups_named("AdsBot-Google"):
        yield Found(file.content_span(rule.record), probe=Probe("/", ("Googlebot", "AdsBot-Google", "bingbot")))


CHECK = Check(
    code="CF505",
    name="adsbot-not-named",
    severities=Severities(google=Severity.INFO),
    title="A site closed to all crawlers except Google's AdsBot",
    message="AdsBot-Google ignores `*` groups, so it may fetch everything",
    why="Google's special-case crawlers, such as those that check the landing pages of ads, follow a group only if it "
    "names them.",
    mend="Add `User-agent: AdsBot-Google` to the group if it should apply to AdsBot as well.",
    source="Google, special-case crawlers",
    bad=Given(b"User-agent: *\nDisallow: /\n"),
    good=Given(b"User-agent: *\nUser-agent: AdsBot-Google\nDisallow: /\n"),
    find=find,
)
