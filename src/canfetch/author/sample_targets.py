"""Sample targets for a policy: targets that match each pattern, that almost match it, and that match none."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from canfetch.author.site_policy import SitePolicy

# Targets that only a pattern for everything matches.
_UNMATCHED: Final = ("/", "/canfetch-sample.html", "/canfetch-sample/a/b.txt?c=d")
_STAR_VALUES: Final = ("", "x", "x/y", "x?y=")
_SLASHES: Final = re.compile(r"[/\\]|%2[Ff]|%5[Cc]")
_SUFFIXES: Final = ("", "z", "/z", "?z=1", ".z")


def sample_targets(policy: SitePolicy) -> tuple[str, ...]:
    """Return targets to check a policy with: for each pattern some that match and some that do not.

    Cost: O(patterns).
    """
    patterns = [rule.pattern for intent in policy.intents for rule in intent.rules]
    patterns += [pattern for page in policy.pages for pattern in page.patterns]
    found = dict.fromkeys([*_UNMATCHED, *_targets_of(dict.fromkeys(patterns))])
    # `//z` is a URL with the host z.
    return tuple(target for target in found if not target.startswith("//") and not _has_dot_segments(target))


def _targets_of(patterns: Iterable[str]) -> Iterator[str]:
    for pattern in patterns:
        text = pattern.removesuffix("$")
        for value in _STAR_VALUES if "*" in text else ("",):
            filled = text.replace("*", value)
            yield from (filled + suffix for suffix in _SUFFIXES)
            # Near misses, except those that end with an incomplete escape, which parsers handle differently.
            if len(filled) > 1 and "%" not in filled[-3:]:
                yield filled[:-1]
                yield filled[:-1] + ("y" if filled[-1] == "x" else "x")
        yield "/canfetch-sample" + text.replace("*", "x")
        folder, index, _ = text.rpartition("/index.htm")
        if index:
            # Google's parser treats an Allow of index.html as one of its folder, too.
            yield folder.replace("*", "x") + "/"


def _has_dot_segments(target: str) -> bool:
    # Not all parsers resolve dot segments before matching, and server rules refuse every spelling of them.
    path = re.sub("%2[Ee]", ".", target.partition("?")[0])
    return bool({".", ".."} & {segment.partition(";")[0] for segment in _SLASHES.split(path)})
