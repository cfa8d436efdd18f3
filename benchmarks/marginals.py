"""The marginals of generated archives next to the published ones, measured with the recipes of `canfetch study`.

    python -m benchmarks.marginals    # the tables of docs/generated-archives.md, about a minute

A share may differ from the published one by four standard errors of a binomial sample, and by half of its last
published digit. A mean may differ by four standard errors of the sample.
"""

import argparse
import math
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import Final, NamedTuple

from benchmarks.archives import write_archive
from benchmarks.generated_files import generate_file
from benchmarks.published import (
    COMMON_CRAWL_CLASSES,
    HTTP_ARCHIVE_EMPTY,
    HTTP_ARCHIVE_NAMED,
    HTTP_ARCHIVE_STATUSES,
    IMC_AGENTS,
    IMC_ERRORS,
    IMC_FILES,
    IMC_MISSING,
    IMC_UNNAMED,
    STUDY_BYTES,
    STUDY_CLOSED,
    STUDY_LINES,
    STUDY_NAMED,
    STUDY_USER_AGENTS,
)
from canfetch.bulk.archives.archive_job import collect
from canfetch.bulk.reading.sources import find_source
from canfetch.bulk.studies.recipes import IMC_2025_AGENTS
from canfetch.bulk.studies.study_job import StudyOptions, count_study

HOSTS: Final = 20_000
STANDARD_ERRORS: Final = 4
_STAR: Final = "*"
# A percentage is published with one digit or two.
_ONE_DIGIT: Final = 0.0005
_TWO_DIGITS: Final = 0.000_05

# The recipe, subject, measure and class of a count.
_Key = tuple[str, str, str, str]


class Measured(NamedTuple):
    """What a generated archive has: the counts of its studies, and the sizes of its files with user agents."""

    counts: Counter[_Key]
    bytes: list[int]
    lines: list[int]
    user_agents: list[int]


class Marginal(NamedTuple):
    """A published share and the generated one.

    Attributes:
        name: What it is the share of, by which the tables find it.
        subject: A user agent, a status or a class.
        published: The published share.
        rounding: Half of the last digit that is published.
        files: The generated number of files that the share is of.
        generated: The generated share.
    """

    name: str
    subject: str
    published: float
    rounding: float
    files: int
    generated: float

    @property
    def deviation(self) -> float:
        """How many standard errors the generated share is off, beyond the rounding of the published one."""
        error = math.sqrt(self.published * (1 - self.published) / self.files)
        beyond = max(abs(self.generated - self.published) - self.rounding, 0)
        return beyond / error if error else math.inf * beyond if beyond else 0.0


class Mean(NamedTuple):
    """A published mean and the generated one, with its standard error."""

    name: str
    published: float
    generated: float
    error: float

    @property
    def deviation(self) -> float:
        """How many standard errors the generated mean is off."""
        return abs(self.generated - self.published) / self.error


_RECIPES: Final = {
    "web": {"http-archive": (*HTTP_ARCHIVE_NAMED, *STUDY_CLOSED), "common-crawl": tuple(STUDY_CLOSED)},
    "common-crawl": {"http-archive": (*STUDY_NAMED, *STUDY_CLOSED), "common-crawl": tuple(STUDY_CLOSED)},
    "top-sites": {"http-archive": (), "imc-2025": IMC_2025_AGENTS},
}


def measure(population: str, count: int = HOSTS, seed: int = 0) -> Measured:
    """Return what an archive of a population has, by the recipes that its published figures need."""
    counts: Counter[_Key] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive, store = folder / "robots.warc.gz", folder / "captures.sqlite"
        write_archive(archive, count, seed, population)
        collect([find_source(str(archive))], store, advance=lambda _: None, on_fault=lambda _: None)
        for recipe, agents in _RECIPES[population].items():
            work = folder / recipe
            work.mkdir()
            # A recipe counts `*` by itself.
            names = tuple(dict.fromkeys(agent for agent in agents if agent != _STAR))
            options = StudyOptions(recipe, names, "none", "rfc9309")
            for row in count_study(store, work, options, processes=1, advance=lambda _: None):
                _, _, subject, kind, label, files, _ = row
                counts[recipe, str(subject), str(kind), str(label)] = int(str(files))
    contents = [generate_file(number, seed, population).content for number in range(count)]
    valid = [content for content in contents if b"User-agent:" in content]
    return Measured(
        counts,
        [len(content) for content in valid],
        [content.count(b"\n") for content in valid],
        [content.count(b"User-agent:") for content in valid],
    )


class _Shares:
    """Finds the shares of what was measured."""

    def __init__(self, measured: Measured) -> None:
        self._counts = measured.counts
        self._totals: Counter[tuple[str, str, str]] = Counter()
        for key, files in measured.counts.items():
            self._totals[key[:3]] += files

    def of_all(self, name: str, key: _Key, published: float, rounding: float, *, subject: str = "") -> Marginal:
        """Return the share of a class among all of its measure."""
        return self.of(name, key, self._totals[key[:3]], published, rounding, subject=subject)

    def of(self, name: str, key: _Key, files: int, published: float, rounding: float, *, subject: str = "") -> Marginal:
        """Return the share of a class among a number of files."""
        return Marginal(name, subject or key[1], published, rounding, files, self._counts[key] / files)

    def named(self, agent: str) -> int:
        """Return the number of files that name an agent."""
        return self._counts["http-archive", agent, "named", "named"]

    def with_rules(self) -> int:
        """Return the number of files with rules."""
        return self._counts["common-crawl", _STAR, "common-crawl-status/1", "with-rules"]


def marginals(population: str, measured: Measured) -> list[Marginal]:
    """Return the shares that are published for a population, next to the generated ones."""
    shares = _Shares(measured)
    if population == "web":
        return [*_http_archive(shares), *_closed(shares)]
    if population == "common-crawl":
        return [*_common_crawl(shares), *_closed(shares)]
    return list(_imc_2025(shares))


def means(measured: Measured) -> list[Mean]:
    """Return the means that are published of all files with user agents, next to the generated ones."""
    published = (
        ("bytes", STUDY_BYTES, measured.bytes),
        ("lines", STUDY_LINES, measured.lines),
        ("user agents", STUDY_USER_AGENTS, measured.user_agents),
    )
    return [Mean(name, value, fmean(sizes), pstdev(sizes) / math.sqrt(len(sizes))) for name, value, sizes in published]


def _http_archive(shares: _Shares) -> Iterator[Marginal]:
    for status, share in HTTP_ARCHIVE_STATUSES.items():
        key = ("http-archive", _STAR, "status", str(status))
        subject = "504, for timeouts" if status == 504 else str(status)
        yield shares.of_all("status", key, share, _ONE_DIGIT, subject=subject)
    sites = shares.of_all("", ("http-archive", _STAR, "status", "200"), 0, 0).files
    empty = ("http-archive", _STAR, "size", "up to 0 KiB")
    yield shares.of("status", empty, sites, HTTP_ARCHIVE_EMPTY, _ONE_DIGIT, subject="200, empty file")
    for agent, share in HTTP_ARCHIVE_NAMED.items():
        yield shares.of_all("named", ("http-archive", agent, "named", "named"), share, _ONE_DIGIT)


def _common_crawl(shares: _Shares) -> Iterator[Marginal]:
    total = sum(COMMON_CRAWL_CLASSES.values())
    for label, hosts in COMMON_CRAWL_CLASSES.items():
        key = ("common-crawl", _STAR, "common-crawl-status/1", label)
        yield shares.of_all("status", key, hosts / total, 0, subject=label)
    for agent, share in STUDY_NAMED.items():
        key = ("http-archive", agent, "named", "named")
        yield shares.of("named", key, shares.with_rules(), share, _TWO_DIGITS)


def _closed(shares: _Shares) -> Iterator[Marginal]:
    for agent, share in STUDY_CLOSED.items():
        key = ("common-crawl", agent, "common-crawl/1", "disallow-all")
        yield shares.of("disallowed everything", key, shares.named(agent), share, _TWO_DIGITS)


def _imc_2025(shares: _Shares) -> Iterator[Marginal]:
    sites = IMC_FILES + IMC_MISSING + IMC_ERRORS
    for status, number in ((200, IMC_FILES), (404, IMC_MISSING)):
        yield shares.of_all(
            "status", ("http-archive", _STAR, "status", str(status)), number / sites, 0, subject=str(status)
        )
    for agent in IMC_2025_AGENTS:
        counts = IMC_AGENTS.get(agent, IMC_UNNAMED)
        # What has no restrictions is the rest.
        published = [
            ("imc-2025/1", "fully-disallowed", counts.fully),
            ("imc-2025/1", "partially-disallowed", counts.partially),
        ]
        if agent in IMC_AGENTS:
            published += [
                ("imc-2025-mention/2", "mentioned", counts.named),
                ("imc-2025-explicit-allow/2", "explicitly-allowed", counts.named_unrestricted),
            ]
        for kind, label, number in published:
            yield shares.of_all(label, ("imc-2025", agent, kind, label), number / IMC_FILES, 0)


def tables(population: str, measured: Measured) -> str:
    """Return the tables of a population in Markdown."""
    found = marginals(population, measured)
    columns = list(dict.fromkeys(marginal.name for marginal in found if marginal.name != "status"))
    by_agent: dict[str, dict[str, Marginal]] = {}
    for marginal in found:
        if marginal.name != "status":
            by_agent.setdefault(marginal.subject, {})[marginal.name] = marginal
    lines = _table(
        ["response", "published", "generated"],
        [[item.subject, *_pair(item)] for item in found if item.name == "status"],
    )
    if population != "top-sites":
        rows = [[f"mean {item.name}", f"{item.published:g}", f"{item.generated:.1f}"] for item in means(measured)]
        lines += _table(["files with user agents", "published", "generated"], rows)
    heads = ["user agent"]
    for column in columns:
        heads += [column, "generated"]
    lines += _table(
        heads,
        [
            [f"`{agent}`", *(cell for column in columns for cell in _pair(own.get(column)))]
            for agent, own in by_agent.items()
        ],
    )
    return "\n".join(lines)


def _pair(marginal: Marginal | None) -> list[str]:
    if marginal is None:
        return ["", ""]
    return [f"{100 * share:.2f} %" for share in (marginal.published, marginal.generated)]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return [*(f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows)), ""]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description="Print the marginals of generated archives next to the published ones."
    )
    parser.add_argument("--hosts", type=int, default=HOSTS, help="number of hosts")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for population in _RECIPES:
        measured = measure(population, arguments.hosts, arguments.seed)
        print(f"### {population}\n\n{tables(population, measured)}")


if __name__ == "__main__":
    main()
