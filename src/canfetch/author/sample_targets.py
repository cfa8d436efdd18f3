"""Targets that tell one reading of a policy from another: inside a pattern, just outside of it, and elsewhere."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from canfetch.author.site_policy import SitePolicy

# What no pattern is about, unless it is about everything.
ELSEWHERE: Final = ("/", "/canfetch-witness.html", "/canfetch-witness/a/b.txt?c=d")
_ANY_RUNS: Final = ("", "x", "x/y", "x?y=")
_SLASHES: Final = re.compile(r"[/\\]|%2[Ff]|%5[Cc]")
_BEHIND: Final = ("", "z", "/z", "?z=1", ".z")


def sample_targets(policy: SitePolicy) -> tuple[str, ...]:
    """Give the targets by which a policy is asked about: for every pattern some that match and some that do not.

    Cost: O(patterns).
    """
    patterns = [rule.pattern for intent in policy.intents for rule in intent.rules]
    patterns += [pattern for page in policy.pages for pattern in page.patterns]
    found = dict.fromkeys([*ELSEWHERE, *_of_patterns(dict.fromkeys(patterns))])
    # `//z` is a URL whose host is z.
    return tuple(target for target in found if not target.startswith("//") and not _has_dot_segments(target))


def _of_patterns(patterns: Iterable[str]) -> Iterator[str]:
    for pattern in patterns:
        text = pattern.removesuffix("$")
        for run in _ANY_RUNS if "*" in text else ("",):
            filled = text.replace("*", run)
            yield from (filled + behind for behind in _BEHIND)
            # Not quite there; of a part of an escape readers make different things.
            if len(filled) > 1 and "%" not in filled[-3:]:
                yield filled[:-1]
                yield filled[:-1] + ("y" if filled[-1] == "x" else "x")
        yield "/canfetch-witness" + text.replace("*", "x")
        folder, index, _ = text.rpartition("/index.htm")
        if index:
            # Google's parser takes the one for the other.
            yield folder.replace("*", "x") + "/"


def _has_dot_segments(target: str) -> bool:
    # They are resolved before anything is compared, or not, as the reader likes; servers refuse every writing of them.
    path = re.sub("%2[Ee]", ".", target.partition("?")[0])
    return bool({".", ".."} & {segment.partition(";")[0] for segment in _SLASHES.split(path)})
