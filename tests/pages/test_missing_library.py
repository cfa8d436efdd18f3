"""Without lxml, headers are parsed, and HTML raises an error that names the extra."""

import subprocess
import sys

import pytest

ABSENT = "import sys; sys.modules['lxml'] = None\n"


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", ABSENT + program],
        input="<p>",
        capture_output=True,
        text=True,
        check=False,
    )


def test_html_without_lxml_names_the_extra() -> None:
    program = """
from canfetch.errors import MissingExtra
from canfetch.pages import parse_page
try:
    parse_page(b"<p>")
except MissingExtra as missing:
    print(missing)
"""
    assert run(program).stdout == 'parsing HTML requires lxml: run pip install "canfetch[pages]"\n'


def test_headers_do_not_require_lxml() -> None:
    program = """
from canfetch.pages import parse_page
headers = {"X-Robots-Tag": "noindex", "Content-Type": "application/pdf"}
print([len(parse_page(html, headers=headers).directives) for html in (None, b"", "", b"%PDF")])
"""
    assert run(program).stdout == "[1, 1, 1, 1]\n"


@pytest.mark.slow
def test_command_without_lxml_names_the_extra() -> None:
    done = run("from canfetch.cli.main import run; sys.exit(run(['page', '--html', '-', '--agent', 'Googlebot']))")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert 'pip install "canfetch[pages]"' in done.stderr
