"""An allowed index.html that opens its folder for Google."""

from collections.abc import Iterator

from canfetch.lint.analysis.engine_verdicts import allows
from canfetch.lint.check import Check, Found, Probe
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look for such a page whose folder only Google may fetch."""
    for rule in file.rules:
        folder, slash, page = rule.value.rpartition(b"/")
        if not rule.allow or not slash or not page.startswith(b"index.htm") or not folder.startswith((b"/", b"*", b"")):
            continue
        token = file.groups[rule.group].first_token
        path = file.text(folder.replace(b"*", b"x") + b"/")
        if rule.record.value is None or not path.startswith("/"):
            continue
        if allows(file, path, "googlebot", token) is True and allows(file, path, "rfc9309", token) is False:
            tokens = ("Googlebot", "bingbot") if token == "*" else ()  # noqa: S105 - a product token
            yield Found(
                rule.record.value,
                {"pattern": file.text(rule.value), "folder": path},
                Probe(path, tokens),
            )


CHECK = Check(
    code="CF407",
    name="index-html-allow",
    severities=Severities(rfc=Severity.INFO, google=Severity.INFO),
    title="An allowed index.html that opens its folder for Google",
    message="`{pattern}` also allows `{folder}` for Google, and for no other crawler",
    why="Google's parser takes an allowed `index.html` for the folder's own address, too; the standard and other "
    "crawlers do not.",
    mend="Allow the folder's own address as well, with a `$` at its end, if all crawlers may fetch it.",
    source="google/robotstxt, LongestMatchRobotsMatchStrategy::MatchAllow",
    bad=Given(b"User-agent: *\nAllow: /press/index.html\nDisallow: /press/\n"),
    good=Given(b"User-agent: *\nAllow: /press/index.html\nAllow: /press/$\nDisallow: /press/\n"),
    find=find,
)
