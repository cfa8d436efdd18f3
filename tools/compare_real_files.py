"""Compare real files exactly: dead rules, minimization, and differences between the profiles google and rfc9309.

Prints the table of docs/comparison.md, and with `--verbose` the files and URLs behind it. The agents of a file are the
crawlers with a group of their own and one without.

    python tools/compare_real_files.py FOLDER
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

import canfetch
from canfetch.compare import Minimization, coverage, dead_rules, difference, find_minimization
from canfetch.compare.minimization import selecting_agents
from canfetch.errors import Undecided

_UNNAMED = "ExampleBot"


class Totals:
    """What is counted over all files."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()
        self.rules = 0
        self.dead = 0
        self.removed = 0
        self.bytes_before = 0
        self.bytes_after = 0
        self.savings: list[float] = []
        self.seconds: list[float] = []


def compare_file(content: bytes, totals: Totals, steps: int | None) -> dict[str, object]:
    """Add one file to the totals, and return what is notable about it."""
    robots = canfetch.parse(content)
    found: dict[str, object] = {}
    totals.files["files"] += 1
    totals.rules += sum(len(group.rules) for group in robots.groups)
    dead: set[int] = set()
    started = time.process_time()
    try:
        for agent in selecting_agents(robots):
            dead.update(effect.rule.line for effect in dead_rules(robots, agent=agent, steps=steps))
        # A rule of several groups may decide for some of its agents.
        found["coverage"] = str(coverage(robots, agent=_UNNAMED, steps=steps).kind)
        smaller = find_minimization(robots, steps=steps)
        found["difference"] = _profiles_differ(robots, steps)
    except Undecided as error:
        totals.files["undecided"] += 1
        found["undecided"] = str(error)
        return found
    finally:
        totals.seconds.append(time.process_time() - started)
    _count(found, totals, len(dead), smaller, len(robots.content))
    return found


def _profiles_differ(robots: canfetch.RobotsTxt, steps: int | None) -> str | None:
    """Return a URL on which the profiles differ, the first one that is not `/robots.txt`."""
    google = robots.with_profile("google")
    urls: list[str] = []
    for agent in selecting_agents(robots):
        one = difference(google, robots, agent=agent, steps=steps)
        if one is not None:
            urls.append(one.url)
    return next((url for url in urls if url != "/robots.txt"), urls[0] if urls else None)


def _count(found: dict[str, object], totals: Totals, dead: int, smaller: Minimization, size: int) -> None:
    totals.dead += dead
    totals.removed += len(smaller.removed)
    totals.bytes_before += size
    totals.bytes_after += len(smaller.content)
    totals.files["dead rules"] += dead > 0
    totals.files["smaller"] += bool(smaller.removed)
    totals.files[f"coverage {found['coverage']}"] += 1
    if smaller.removed:
        totals.savings.append(smaller.saved_bytes / size)
    url = found["difference"]
    totals.files["google differs"] += url is not None
    totals.files["google differs on /robots.txt alone"] += url == "/robots.txt"


def main() -> int:
    """Compare the files of a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder with robots.txt files")
    parser.add_argument("--steps", type=int, help="the limit of the work of each comparison")
    parser.add_argument("--every", type=int, default=1, help="compare every Nth file only")
    parser.add_argument("--verbose", action="store_true", help="print what is notable about each file")
    options = parser.parse_args()
    totals = Totals()
    for path in sorted(path for path in options.folder.rglob("*") if path.is_file())[:: options.every]:
        found = compare_file(path.read_bytes(), totals, options.steps)
        if options.verbose:
            print(path.name, round(totals.seconds[-1], 3), found, flush=True)
    for name, count in totals.files.items():
        print(f"{name}: {count}")
    print(f"rules: {totals.rules}, dead {totals.dead}, left out {totals.removed}")
    print(f"bytes: {totals.bytes_before}, minimized {totals.bytes_after}")
    if totals.savings:
        print(f"savings of smaller files: median {median(totals.savings):.1%}, largest {max(totals.savings):.1%}")
    times = sorted(totals.seconds)
    print(f"seconds: median {median(times):.4f}, 99 % {times[len(times) * 99 // 100]:.3f}, largest {times[-1]:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
