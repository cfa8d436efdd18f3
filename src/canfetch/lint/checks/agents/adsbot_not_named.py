"""A site closed to all, but for Google's AdsBot."""

from collections.abc import Iterator

from canfetch.lint.analysis.site_blocks import closing_rule
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look whether `*` is barred from everything, and AdsBot has no group."""
    rule = closing_rule(file, "*")
    if rule is not None and not file.groups_named("AdsBot-Google"):
        yield Found(file.content_span(rule.record), probe=Probe("/", ("Googlebot", "AdsBot-Google", "bingbot")))


CHECK = Check(
    code="CF505",
    name="adsbot-not-named",
    severities=Severities(google=Severity.INFO),
    title="A site closed to all, but for Google's AdsBot",
    message="AdsBot-Google ignores groups of `*`, and so may fetch everything",
    why="Google's crawlers for special cases, such as those that look at the pages of ads, follow a group only if it "
    "has their own name.",
    mend="Add a line `User-agent: AdsBot-Google` to the group if it is meant, too.",
    source="Google, special-case crawlers",
    bad=Given(b"User-agent: *\nDisallow: /\n"),
    good=Given(b"User-agent: *\nUser-agent: AdsBot-Google\nDisallow: /\n"),
    find=find,
)
