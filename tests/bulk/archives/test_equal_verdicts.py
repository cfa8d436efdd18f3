"""Tables and lists have the verdicts of the library, over generated files and, with CANFETCH_CORPUS, real ones."""

import os
from itertools import islice
from pathlib import Path

import pytest
from benchmarks.generated_files import generate_file
from tests.bulk.archives.test_output_tables import make_table
from tests.bulk.warc_files import compressed, response
from tests.json_lines import read_json_lines

import canfetch
from canfetch.access.policies import get_policy
from canfetch.bulk.archives.archive_job import collect
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.decisions import NamedAgent
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.bulk.reading.sources import find_source

AGENTS = tuple(NamedAgent(crawler.name, crawler.agent) for crawler in canfetch.REGISTRY.crawlers)
PATHS = ("/", "/admin-cart7/", "/search-media/feed-tag3*?sort=x", "/wp-admin/admin-ajax.php", "/robots.txt")
FILES = 60


def contents() -> list[bytes]:
    generated = (generate_file(number, seed=5) for number in range(10_000))
    found = list(islice((file.content for file in generated if file.status == 200), FILES))
    corpus = os.environ.get("CANFETCH_CORPUS")
    if corpus is not None:
        found += [path.read_bytes() for path in sorted(Path(corpus).iterdir())[:200]]
    return found


@pytest.mark.slow
def test_decisions_and_matrix(tmp_path: Path) -> None:
    files = contents()
    archive = compressed(response(f"host{number}.example", content) for number, content in enumerate(files))
    some = AGENTS[::12]
    path = make_table(tmp_path, [archive], TableOptions("decisions", some, PATHS))
    rows = read_json_lines(path)
    expected = [
        canfetch.parse(content).decide(url, agent=agent) for content in files for _, agent in some for url in PATHS
    ]
    assert [(row["allowed"], row["reason"], row["line"]) for row in rows] == [
        (verdict.allowed, str(verdict.reason), verdict.line) for verdict in expected
    ]
    path = make_table(tmp_path, [archive], TableOptions("matrix", AGENTS, PATHS[:1]))
    rows = read_json_lines(path)
    assert [[row[name] for name, _ in AGENTS] for row in rows] == [
        [canfetch.parse(content).allows(PATHS[0], agent=agent) for _, agent in AGENTS] for content in files
    ]


def test_urls(tmp_path: Path) -> None:
    files = contents()
    archive = tmp_path / "robots.warc.gz"
    archive.write_bytes(compressed(response(f"host{number}.example", content) for number, content in enumerate(files)))
    store = tmp_path / "store.sqlite"
    collect([find_source(str(archive))], store, advance=lambda _: None, on_fault=lambda _: None)
    agent = canfetch.agent("GPTBot")
    with CaptureStore(store, read_only=True) as captures:
        decisions = URLDecisions(captures, policy=get_policy("rfc9309"), profile="rfc9309", missing=None)
        for number, content in enumerate(files):
            for path in PATHS:
                decision = decisions.decide(f"https://host{number}.example{path}", agent, None)
                verdict = canfetch.parse(content).decide(path, agent=agent)
                assert (decision.allowed, decision.reason, decision.rule) == (
                    verdict.allowed,
                    str(verdict.reason),
                    verdict.rule,
                )
