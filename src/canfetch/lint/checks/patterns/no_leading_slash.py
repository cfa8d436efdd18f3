"""A pattern that begins neither with `/` nor with `*`."""

from collections.abc import Iterator
from typing import Final

from canfetch.core.octets import UNRESERVED
from canfetch.lint.check import Check, Found
from canfetch.lint.checks.patterns.askers import probe_of
from canfetch.lint.checks.patterns.assets import bars_assets
from canfetch.lint.checks.patterns.covering import Neighbours
from canfetch.lint.checks.patterns.regular_expression import looks_like_one
from canfetch.lint.checks.patterns.rewriting import rewritten
from canfetch.lint.fixing import Fix
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile, LintedRule
from canfetch.lint.severity import Severity, everywhere

_STARTS: Final = frozenset(UNRESERVED) - frozenset(b".")
# Words that are meant as words, and the beginnings of what is meant as a URL.
_NO_PATHS: Final = frozenset(
    {b"all", b"any", b"everything", b"false", b"n", b"no", b"none", b"nothing", b"true", b"y", b"yes"}
)
_NO_PATH_STARTS: Final = (b"www.", b"http:", b"https:", b"//")


def find(file: LintedFile) -> Iterator[Found]:
    """Look at rules that have a value with another beginning."""
    neighbours = None
    for rule in file.rules:
        if not rule.value or rule.value[:1] in (b"/", b"*") or rule.record.value is None:
            continue
        neighbours = neighbours or Neighbours(file)
        path = b"/" + rule.value.lstrip(b"/")
        yield Found(
            rule.record.value,
            {"pattern": file.text(rule.value), "better": file.text(path)},
            probe_of(path),
            _fix(rule, path, neighbours),
        )


def _fix(rule: LintedRule, path: bytes, neighbours: Neighbours) -> Fix | None:
    # Only where a path must be meant, and where nothing else comes of it.
    value = rule.value.lower()
    if value[0] not in _STARTS or value in _NO_PATHS or value.startswith(_NO_PATH_STARTS):
        return None
    if not value.isascii() or b":" in value or looks_like_one(value) or path.startswith(b"/robots.txt"):
        return None
    if not rule.allow and bars_assets(path) is not None:
        return None
    return rewritten(rule.record, path) if neighbours.would_stand_apart(rule, path) else None


CHECK = Check(
    code="CF401",
    name="no-leading-slash",
    severities=everywhere(Severity.ERROR, lighthouse=Severity.ERROR),
    title="A pattern that begins neither with `/` nor with `*`",
    message="`{pattern}` matches nothing: a pattern begins with `/` or `*`",
    why="Every path begins with a slash, and patterns are compared from the first character on. Readers of the RFC "
    "ignore the rule; Google's parser keeps it, and it never matches.",
    mend="Put a slash in front, or `/*` where the text may stand anywhere in the path.",
    source="RFC 9309 section 2.2.2; Yandex, robots.txt analysis; Lighthouse, robots-txt",
    bad=Given(b"User-agent: *\nDisallow: private/\n"),
    good=Given(b"User-agent: *\nDisallow: /private/\n"),
    find=find,
    fixable=True,
)
