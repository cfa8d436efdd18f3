"""An address as the value of a rule, with a scheme or a host."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from canfetch.core.text import encode_text
from canfetch.core.urls import split_url
from canfetch.lint.analysis.addresses import Address, find_address
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.rule_values import rule_records_matching
from canfetch.lint.check import VARIANT, Check, LineOccurrence, Occurrence, Variant
from canfetch.lint.fixes import replace_span
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

_NO_PATH: Final = re.compile(rb"\n[^/*\n]")
_SAMPLE: Final = b"/folder/"


def find(file: LintedFile) -> Iterator[LineOccurrence]:
    """Find rules whose value is an absolute URL, or starts with a host."""
    own_host: bytes | None = None
    for record in rule_records_matching(file, _NO_PATH):
        value = file.value(record)
        if record.value is None:
            continue
        if own_host is None:
            own_host = file.compute_once(_own_host)
        address = find_address(value, own_host)
        if address is not None:
            yield LineOccurrence(record.line, partial(_occurrence, file, record.value, address, own_host))


def _occurrence(file: LintedFile, span: tuple[int, int], address: Address, own_host: bytes) -> Occurrence:
    path = address.path
    # The root would match the whole site, and links of apps have no path of a site.
    has_path = address.is_web and path[:1] == b"/" and len(path) > 1
    # The path of another host would be a different rule.
    is_own = has_path and own_host != b"" and address.host == own_host
    start, end = span
    return Occurrence(
        span,
        {
            "value": file.text(file.content[start:end]),
            "path": file.text(path if has_path else _SAMPLE),
            **({} if address.is_web else {VARIANT: "link-of-app"}),
        },
        query_for(path) if has_path else None,
        replace_span(start, end - len(path), b"", changes_verdicts=True) if is_own else None,
    )


def _own_host(file: LintedFile) -> bytes:
    # Without a URL of the file, its sitemaps show the host, if all of them have the same one.
    urls = [file.input.url] if file.input.url is not None else list(file.robots.sitemaps)
    splits = (split_url(encode_text(url)) for url in urls)
    hosts = {b"" if split is None else split.authority.lower() for split in splits}
    return hosts.pop() if len(hosts) == 1 else b""


CHECK = Check(
    code="CF213",
    name="url-as-value",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A URL as the value of a rule",
    message="`{value}` has a scheme or a host, but a rule takes only a path, such as `{path}`",
    why="The path of a URL starts with `/`, so a value that starts with a scheme or a host matches nothing. A "
    "robots.txt applies only to its own scheme, host and port.",
    how_to_fix="Write only the path, in the robots.txt of that host.",
    variants={
        "link-of-app": Variant(
            how_to_fix="If the value is a link that opens an app, remove the rule: crawlers do not fetch such links. "
            "Otherwise, write only the path, in the robots.txt of that host."
        )
    },
    source="RFC 9309 section 2.2.2; Google, file location and range of validity; Lighthouse, robots-txt",
    bad=LintInput(b"User-agent: *\nDisallow: https://example.com/private/\n", url="https://example.com/robots.txt"),
    good=LintInput(b"User-agent: *\nDisallow: /private/\n", url="https://example.com/robots.txt"),
    find=find,
    needs=(Trait.OTHER_START,),
    fixable=True,
    supersedes=("CF218", "CF4"),
)
