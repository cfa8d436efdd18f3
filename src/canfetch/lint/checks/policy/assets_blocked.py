"""Scripts or styles that Google may not fetch."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.asset_patterns import affects_site, blocked_asset
from canfetch.lint.analysis.engine_verdicts import try_allows
from canfetch.lint.analysis.site_blocks import find_site_block
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity

_GOOGLEBOT: Final = "Googlebot"


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find rules that keep Googlebot from files that pages need for rendering."""
    token = _GOOGLEBOT if file.groups_named(_GOOGLEBOT) else "*"
    if find_site_block(file, token) is not None:
        return
    seen: set[str] = set()
    for group in file.groups_named(token):
        for rule in group.rules:
            path = None if rule.allow else blocked_asset(rule.value)
            if path is None or rule.record.value is None or file.text(path) in seen:
                continue
            url = file.text(path)
            seen.add(url)
            if try_allows(file, url, "googlebot", _GOOGLEBOT) is False:
                details = {"pattern": file.text(rule.value), "path": url}
                query = VerdictQuery(url)
                yield Occurrence(rule.record.value, details, query, harmless=not affects_site(rule.value))


CHECK = Check(
    code="CF703",
    name="assets-blocked",
    severities=Severities(rfc=Severity.WARNING, google=Severity.WARNING),
    title="Scripts or styles that Google may not fetch",
    message="`{pattern}` blocks files that pages may need for rendering, such as `{path}`",
    why="Search engines render a page as a browser does. Without its scripts and styles, they may see a different "
    "page, or an empty one.",
    how_to_fix="Let crawlers fetch scripts and styles. An `Allow` line must be at least as long as the rule, such as "
    "`Allow: /wp-includes/*.js`.",
    source="Google, JavaScript and robots.txt basics",
    bad=LintInput(b"User-agent: *\nDisallow: /wp-includes/\n"),
    good=LintInput(b"User-agent: *\nDisallow: /wp-admin/\n"),
    find=find,
)
