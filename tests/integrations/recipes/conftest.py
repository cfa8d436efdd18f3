"""The programs of the recipes in an environment with the tools that they extend, and two sites on loopback."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.missing import skip_unless_ci
from tests.servers.valid import respond
from tests.servers.web import Site

ROOT = Path(__file__).parents[3]
SECONDS = 600.0
_HTML = "Content-Type: text/html"
_PARAGRAPH = b"<p>" + b"Fish live in water and breathe with gills. " * 20 + b"</p>"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of a virtual environment with the tools. pip caches their wheels."""
    if sys.platform == "win32":
        pytest.skip("the requirements are those of POSIX")
    folder = tmp_path_factory.mktemp("recipes") / "venv"
    path = folder / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=SECONDS)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", str(path)]
    requirements = Path(__file__).with_name("requirements.txt")
    options = ["--no-deps", "--no-compile", "--only-binary", ":all:", "--requirement", str(requirements)]
    subprocess.run([*pip, "install", *options], check=True, timeout=600)
    return path


@pytest.fixture
def start(interpreter: Path, tmp_path: Path) -> Callable[..., "subprocess.Popen[str]"]:
    """Return a function that starts a program of `examples/recipes` with arguments and environment variables."""

    def start_program(name: str, *arguments: str, **variables: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(interpreter), str(ROOT / "examples" / "recipes" / name), *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    return start_program


@pytest.fixture
def run(start: Callable[..., "subprocess.Popen[str]"]) -> Callable[..., str]:
    """Return a function that runs a program to its end and returns its output."""

    def run_program(name: str, *arguments: str, **variables: str) -> str:
        with start(name, *arguments, **variables) as process:
            try:
                output, errors = process.communicate(timeout=SECONDS)
            finally:
                process.kill()
        assert process.returncode == 0, errors
        return output

    return run_program


@pytest.fixture(scope="session")
def browser() -> str:
    """Return the path of a Chromium."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        skip_unless_ci("Chromium is not installed")
    return found


@pytest.fixture
def down() -> Iterator[Site]:
    """Serve pages on an origin whose robots.txt is unreachable."""
    with Site() as site:
        site.serve("/robots.txt", respond(b"", status=503))
        site.serve("/fish", respond(_PARAGRAPH, _HTML))
        yield site


def urls(site: Site, down: Site) -> list[str]:
    """Return the URLs that the programs are run with."""
    paths = ("/fish", "/private/notes", "/moved", "/chain", "/away")
    return [*(f"{site.origin}{path}" for path in paths), f"{down.origin}/fish"]


@pytest.fixture
def site(down: Site) -> Iterator[Site]:
    """Serve pages, a disallowed one, and redirects to it. The page at / has links to all."""
    with Site() as site:
        site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /private/\n", "Content-Type: text/plain"))
        for path in ("/fish", "/private/notes"):
            site.serve(path, respond(_PARAGRAPH, _HTML))
        for path, target in (("/moved", "/private/notes"), ("/chain", "/moved"), ("/away", "/fish")):
            site.serve(path, respond(b"", f"Location: {target}", status=302))
        links = "".join(f'<a href="{url}">link</a>' for url in urls(site, down))
        site.serve("/", respond(_PARAGRAPH + links.encode(), _HTML))
        parts = "<iframe src=/private/frame></iframe><img src=/moved><script>fetch('/private/data')</script>"
        site.serve("/parts", respond(_PARAGRAPH + parts.encode(), _HTML))
        yield site
