"""The page on additions: each change is made on a copy of the checkout, in the files that the page lists."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/adding.md").read_text("utf-8")
SECTIONS: Final = {
    title: body for title, _, body in (part.partition("\n") for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:])
}
_PATH = re.compile(r"`([\w./-]+/[\w./-]*|[\w-]+\.toml)`")


class Checkout:
    """A copy of the library in which only the listed files of a section may change."""

    def __init__(self, folder: Path, section: str) -> None:
        steps = re.findall(r"^\d\. (.*(?:\n   .*)*)", SECTIONS[section], re.MULTILINE)
        self._listed = [path for step in steps for path in _PATH.findall(step)]
        self._folder = folder
        ignored = shutil.ignore_patterns("__pycache__", "assets", "*.so")
        for name in ("src/canfetch", "tables", "tools"):
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)

    def write(self, path: str, text: str) -> None:
        """Add a file in a listed folder."""
        assert any(path.startswith(listed) for listed in self._listed if listed.endswith("/")), f"not listed: {path}"
        assert not (self._folder / path).exists()
        (self._folder / path).write_text(text, "utf-8")

    def insert(self, path: str, before: str, text: str) -> None:
        """Add a text to a listed file, before another one."""
        assert any(path == listed or (listed.endswith("/") and path.startswith(listed)) for listed in self._listed), (
            path
        )
        content = (self._folder / path).read_text("utf-8")
        assert content.count(before) == 1, f"{path}: {before!r}"
        (self._folder / path).write_text(content.replace(before, text + before), "utf-8")

    def run(self, *arguments: str, stdin: str = "", code: int = 0) -> str:
        """Run the Python engine of the copy, and return the output."""
        environment = {**os.environ, "PYTHONPATH": str(self._folder / "src"), "CANFETCH_ENGINE": "python"}
        command = [sys.executable, *arguments]
        ran = subprocess.run(
            command, cwd=self._folder, env=environment, input=stdin, capture_output=True, text=True, check=False
        )
        assert ran.returncode == code, ran.stderr
        return ran.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Callable[[str], Checkout]:
    return lambda section: Checkout(tmp_path, section)


@pytest.mark.parametrize("section", SECTIONS)
def test_each_listed_path_exists(section: str) -> None:
    paths = [path for path in _PATH.findall(SECTIONS[section]) if not path.startswith("docs/_")]
    assert paths
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_the_page_has_the_eight_additions() -> None:
    decided = "A check of the linter, A record beyond the RFC, A profile, A crawler"
    others = "A transport, A column function, A command, A view of the tester page"
    assert {*decided.split(", "), *others.split(", ")} <= set(SECTIONS)


@pytest.mark.slow
def test_a_check(checkout: Callable[[str], Checkout]) -> None:
    copy = checkout("A check of the linter")
    copy.write(
        "src/canfetch/lint/checks/patterns/teapot.py",
        '''"""A rule for a teapot."""

import re
from collections.abc import Iterator

from canfetch.lint.analysis.rule_values import rules_matching
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    for rule in rules_matching(file, re.compile(rb"\\n/teapot")):
        yield Occurrence(rule.record.value, {})


CHECK = Check(
    code="CF499",
    name="teapot",
    severities=everywhere(Severity.WARNING),
    title="A rule for a teapot",
    message="this rule is for a teapot",
    why="A teapot serves no coffee.",
    how_to_fix="Remove the line.",
    source="RFC 2324",
    bad=LintInput(b"User-agent: *\\nDisallow: /teapot\\n"),
    good=LintInput(b"User-agent: *\\nDisallow: /pot\\n"),
    find=find,
)
''',
    )
    report = copy.run("-m", "canfetch", "lint", "-", stdin="User-agent: *\nDisallow: /teapot\n", code=1)
    assert "CF499" in report
    assert "this rule is for a teapot" in report


@pytest.mark.slow
def test_a_record(checkout: Callable[[str], Checkout]) -> None:
    copy = checkout("A record beyond the RFC")
    copy.write(
        "src/canfetch/core/extensions/teapot.py",
        '''"""Teapot: the drink that a site serves."""

from typing import NamedTuple

from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import display_text


class Teapot(NamedTuple):
    """A drink."""

    drink: str


def parse_teapot(value: bytes) -> tuple[Teapot, ExtensionNote]:
    """Parse a value."""
    return Teapot(display_text(value)), ExtensionNote.NONE
''',
    )
    records = "src/canfetch/core/extensions/known_records.py"
    copy.insert(
        records,
        "from canfetch.core.extensions.visit_time",
        "from canfetch.core.extensions.teapot import parse_teapot\n",
    )
    copy.insert(records, '    KnownRecord("schemamap"', '    KnownRecord("teapot", parse_teapot, _FILE, "RFC 2324"),\n')
    copy.insert(
        "src/canfetch/extensions.py",
        "from canfetch.core.extensions.usage",
        "from canfetch.core.extensions.teapot import Teapot\n",
    )
    copy.insert(
        "src/canfetch/lsp/key_meanings.py",
        '    "schemamap": (',
        '    "teapot": ("Teapot", "The drink of a site.", True),\n',
    )
    file = "Teapot: tea\nUser-agent: *\nDisallow:\n"
    program = (
        "import canfetch, canfetch.extensions, canfetch.lsp.key_meanings\n"
        f"robots = canfetch.parse({file!r})\n"
        "print(robots.extensions.of_type(canfetch.extensions.Teapot)[0].parsed.drink)"
    )
    assert copy.run("-c", program) == "tea\n"
    assert "unknown" not in copy.run("-m", "canfetch", "lint", "-", stdin=file)


@pytest.mark.slow
def test_a_profile(checkout: Callable[[str], Checkout]) -> None:
    copy = checkout("A profile")
    copy.insert(
        "tables/protocol.toml",
        "[profiles.draft1996]",
        '[profiles.teapot]\nsummary = "As RFC 9309, without spelling errors."\nsource = "RFC 2324"\n\n',
    )
    copy.run("tools/generate_tables.py")
    program = (
        "import canfetch\n"
        "for profile in ('rfc9309', 'teapot'):\n"
        "    robots = canfetch.parse('User-agent: *\\nDisalow: /', profile=profile)\n"
        "    print(robots.allows('https://example.com/', agent='ExampleBot'))"
    )
    assert copy.run("-c", program) == "False\nTrue\n"


@pytest.mark.slow
def test_a_crawler(checkout: Callable[[str], Checkout]) -> None:
    copy = checkout("A crawler")
    copy.insert(
        "src/canfetch/agents/entries/previews.py",
        '    _listed("redditbot", "Reddit"),',
        '    Crawler(("TeapotBot",), "Example", ("preview",), "https://example.com/bot"),\n',
    )
    shown = copy.run("-m", "canfetch", "agents", "show", "TeapotBot")
    assert "TeapotBot" in shown
    assert "https://example.com/bot" in shown


@pytest.mark.slow
def test_a_transport(checkout: Callable[[str], Checkout]) -> None:
    copy = checkout("A transport")
    copy.write(
        "src/canfetch/client/transports/teapot_transport.py",
        '''"""A transport that serves tea."""

from canfetch.access.responses import Response
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.base_transport import BaseTransport


class TeapotTransport(BaseTransport):
    """A transport whose every answer closes the site."""

    def send(self, request: TransportRequest) -> Response:
        """Answer without a network."""
        return Response(request.url, 200, (), b"User-agent: *\\nDisallow: /tea")

    def close(self) -> None:
        """Close nothing."""
''',
    )
    program = (
        "import canfetch\n"
        "from canfetch.client.transports.teapot_transport import TeapotTransport\n"
        "client = canfetch.Client(user_agent='ExampleBot/1.0', transport=TeapotTransport())\n"
        "print(client.allows('https://example.com/tea'), client.allows('https://example.com/coffee'))"
    )
    assert copy.run("-c", program) == "False True\n"


@pytest.mark.slow
def test_a_column_function(checkout: Callable[[str], Checkout]) -> None:
    copy = checkout("A column function")
    copy.write(
        "src/canfetch/bulk/teapots.py",
        '''"""Whether URLs name a teapot."""

from canfetch.bulk.arguments import AnyColumn, as_column
from canfetch.bulk.arrow_values import read_values
from canfetch.bulk.column import Column, build_column
from canfetch.bulk.types import TEXT


def teapots(url: AnyColumn) -> Column:
    """Return the drink of each URL."""
    values = read_values(as_column(url))
    return Column(build_column(TEXT, ["tea" if b"tea" in bytes(value) else None for value in values]))
''',
    )
    copy.insert("src/canfetch/bulk/__init__.py", '    "usage",\n', '    "teapots",\n')
    copy.insert(
        "src/canfetch/bulk/__init__.py",
        "from canfetch.bulk.url_origins",
        "from canfetch.bulk.teapots import teapots\n",
    )
    program = "import canfetch.bulk\nprint(canfetch.bulk.teapots(['https://example.com/tea', '/']).to_pylist())"
    assert copy.run("-c", program) == "['tea', None]\n"


@pytest.mark.slow
def test_a_command(checkout: Callable[[str], Checkout]) -> None:
    copy = checkout("A command")
    copy.write(
        "src/canfetch/cli/linting/brew.py",
        '''"""`canfetch brew`: make tea."""

from typing import Final

import click


def _run() -> None:
    click.echo("tea")


command: Final = click.Command("brew", callback=_run, short_help="Make tea.", help="Make tea.")
''',
    )
    copy.insert("src/canfetch/cli/main.py", '        "fmt": "linting.fmt",', '        "brew": "linting.brew",\n')
    assert re.search(r"^  brew +Make tea\.$", copy.run("-m", "canfetch", "--help"), re.MULTILINE)
    assert copy.run("-m", "canfetch", "brew") == "tea\n"
