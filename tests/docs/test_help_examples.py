"""The examples in the help of every command run."""

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import copytree, which

import click
import pytest
from tests.cli.commands import commands
from tests.docs.blocks import ROOT
from tests.docs.conftest import example_environment
from tests.docs.programs import completed

import canfetch
from canfetch.cli.main import PROGRAM
from canfetch.client.frontier import export_frontier

# What the examples expect in the current folder and in the cache.
SETUP = """\
set -e
mkdir public robots && cp robots.txt public && cp robots.txt robots/www.example.com.txt
echo '<title>Fish</title>' > fish.html
echo '192.0.2.1 - - [22/Nov/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "Googlebot-Image/1.0"' > access.log
echo '{"schema": "canfetch.address-lists/1", "lists": []}' > addresses.json
printf 'WARC/1.0\\r\\nWARC-Type: response\\r\\nWARC-Target-URI: https://a.example/robots.txt\\r\\n' > robots.warc
printf 'Content-Length: 30\\r\\n\\r\\nHTTP/1.1 404 Not Found\\r\\n\\r\\nabcd\\r\\n\\r\\n' >> robots.warc
gzip robots.warc
canfetch bulk parse robots.warc.gz -o files.parquet
mkdir -p history/a.example && cp robots.txt history/a.example/2026-05-01.txt
for name in new-robots.txt old.txt new.txt; do cp robots.txt $name; done
echo https://example.com/blog/ > sitemap.xml
printf '[[expect]]\\nagent = "GPTBot"\\nurl = "/shop/cart/"\\nallowed = false\\n' > robots.expect.toml
echo https://www.example.com/fish > urls.txt && echo GPTBot > agents.txt
printf 'url,fetched_at\\nhttps://a.example/,2026-05-02\\n' > pages.csv
printf '[environment.production]\\nhosts = ["www.example.com"]\\n' > environments.toml
printf '[environment.staging]\\nhosts = ["staging.example.com"]\\nclosed = true\\n' >> environments.toml
canfetch watch https://example.com --once
canfetch check https://example.com/fish --agent ExampleBot --quiet
canfetch check https://example.com/fish --agent ExampleBot --quiet --store robots.sqlite3
canfetch check https://example.com/fish --agent ExampleBot --quiet --evidence evidence
"""
OWN_SETUP = {
    "canfetch agents import": """echo '{"client_id": "https://bot.example/"}' > card.json""",
    "canfetch audit": "echo https://example.com > sites.txt && mkdir reports && touch reports/skippedPages.jsonl",
    "canfetch bulk": "rm files.parquet",
    "canfetch bulk parse": "rm files.parquet",
    "canfetch identity rotate": "canfetch identity init bot --url https://bot.example",
    "canfetch identity show": "canfetch identity init bot --url https://bot.example",
    "canfetch init": "rm robots.txt",
    "canfetch completion": "mkdir -p ~/.config/fish/completions",
}
# Parts of examples that are not run.
NOT_RUN = {
    "/elsewhere/": "another machine or account",
    "redis://": "a Redis server; tests/cli runs the command with one",
    "postgresql://": "a PostgreSQL server; tests/frontier runs the command with one",
    "mcp --http": "serves until it is stopped",
    "canfetch serve": "serves until it is stopped; tests/web runs the command",
    "in ~/.": "a line of a shell's configuration file",
    "--every 6h": "runs until it is stopped; tests/cli runs the command",
    "hooks.example": "runs until it is stopped; tests/cli runs the command",
    "agents import https:": "a card on the internet; tests/cli runs the command",
    "agents verify": "the DNS of the internet",
    "registry-2026-12-01.json": "a release that is not published; tests/agents runs the commands",
}


def examples(command: click.Command) -> list[str]:
    paragraphs = (command.epilog or "").replace("\b\n", "").split("\n\n")
    return [
        line.strip()
        for paragraph in paragraphs
        if paragraph.startswith("Examples:\n")
        for line in paragraph.splitlines()[1:]
    ]


COMMANDS = {" ".join((PROGRAM, *names)): command for names, command in commands()}
EXAMPLES = {path: examples(command) for path, command in COMMANDS.items()}


def test_every_command_has_examples() -> None:
    found = COMMANDS.items()
    assert [path for path, command in found if not isinstance(command, click.Group) and not EXAMPLES[path]] == []


def test_every_reason_is_needed() -> None:
    lines = [line for found in EXAMPLES.values() for line in found]
    assert not [part for part in NOT_RUN if not any(part in line for line in lines)]


def run(script: str, folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return completed(["bash", "-c", f"set -o pipefail\n{script}"], cwd=folder / "current", env=environment)


@pytest.fixture(scope="module")
def prepared(network: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what the examples expect."""
    if sys.platform == "win32" or which("bash") is None:
        pytest.skip("the examples need bash and the paths of POSIX")
    folder = tmp_path_factory.mktemp("prepared")
    copytree(ROOT / "examples", folder / "current")
    done = run(SETUP, folder, example_environment(network, folder))
    assert done.returncode == 0, done.stderr
    asyncio.run(begin_crawl(folder / "current" / "crawl.sqlite3"))
    (folder / "current" / "exported.jsonl").write_text("".join(export_frontier(folder / "current" / "crawl.sqlite3")))
    return folder


async def begin_crawl(path: Path) -> None:
    async with (
        canfetch.AsyncClient(user_agent="ExampleBot/1.0") as client,
        canfetch.Frontier(client, path=path) as crawl,
    ):
        crawl.add("https://example.com/")


@pytest.mark.service
@pytest.mark.parametrize("command", list(EXAMPLES))
def test_examples_run(command: str, prepared: Path, network: Mapping[str, str], tmp_path: Path) -> None:
    copytree(prepared, tmp_path, dirs_exist_ok=True)
    environment = example_environment(network, tmp_path)
    assert run(OWN_SETUP.get(command, ""), tmp_path, environment).returncode == 0
    for example in EXAMPLES[command]:
        if any(part in example for part in NOT_RUN):
            continue
        done = run(example, tmp_path, environment)
        # Exit code 1 is a result, such as a disallowed URL.
        assert done.returncode <= 1, f"{example}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, example
