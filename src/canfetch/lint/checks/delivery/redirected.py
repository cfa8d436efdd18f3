"""A file that is somewhere else."""

from collections.abc import Iterator

from canfetch.access.fetch_plan import Hop
from canfetch.lint.check import Check, Found
from canfetch.lint.checks.delivery.answered import answered, origin_of
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Found]:
    """Look at redirects; a single one from http to https, or to the host with or without www, is what many want."""
    entry = file.given.delivery
    if entry is None or not entry.hops:
        return
    first, last = origin_of(entry.hops[0].url), origin_of(entry.hops[-1].location)
    is_near = first is not None and last is not None and _bare(first.host) == _bare(last.host)
    if len(entry.hops) > 1 or not is_near:
        yield Found((0, 0), {"count": str(len(entry.hops)), "url": entry.hops[-1].location})


def _bare(host: str) -> str:
    return host.removeprefix("www.")


CHECK = Check(
    code="CF805",
    name="redirected",
    severities=Severities(
        rfc=Severity.WARNING, google=Severity.INFO, bing=Severity.WARNING, yandex=Severity.INFO, lighthouse=None
    ),
    title="A file that is somewhere else",
    message="the way to the file leads over redirects to `{url}`: {count}",
    why="Crawlers should follow five redirects, also to other hosts, and may follow no more: the site is then read as "
    "one without rules. The rules that are found rule over the host that was asked first.",
    mend="Serve the file where crawlers ask for it.",
    source="RFC 9309 section 2.3.1.2; Google, handling of errors and HTTP status codes",
    bad=Given(
        b"User-agent: *\nDisallow:\n",
        delivery=answered(hops=(Hop("https://example.com/robots.txt", 301, "https://cdn.example.net/robots.txt"),)),
    ),
    good=Given(b"User-agent: *\nDisallow:\n", delivery=answered()),
    find=find,
)
