"""The pytest plugin, in a run of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXPECTATIONS = """\
[[expect]]
agent = "GPTBot"
pattern = "/blog/"
allowed = true

[[expect]]
agent = "GPTBot"
pattern = "/"
allowed = false
why = "contract"
"""
TEST = """\
def test_blog(expect_robots):
    expect_robots("User-agent: *\\nDisallow: /blog/", agent="ExampleBot", pattern="/blog/", allowed=False)
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    # An installed canfetch has the plugin by its entry point.
    plugin = {"PYTEST_PLUGINS": "canfetch.pytest_plugin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment = {**os.environ, **plugin}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /\nAllow: /blog/\n")
    (tmp_path / "robots.expect.toml").write_text(EXPECTATIONS)
    (tmp_path / "test_robots.py").write_text(TEST)
    return tmp_path


@pytest.mark.slow
def test_each_expectation_is_a_test(folder: Path) -> None:
    done = run(folder, "-v")
    assert done.returncode == 1
    assert "robots.expect.toml::GPTBot may fetch all of /blog/ PASSED" in done.stdout
    assert "robots.expect.toml::GPTBot may not fetch all of / FAILED" in done.stdout
    assert "test_robots.py::test_blog PASSED" in done.stdout
    assert "expected that GPTBot may not fetch all of / (contract), but GPTBot may fetch /blog/: " in done.stdout
    assert "Traceback" not in done.stdout
    assert "1 failed, 2 passed" in done.stdout


@pytest.mark.slow
def test_an_invalid_file_is_an_error_of_collection(folder: Path) -> None:
    (folder / "robots.expect.toml").write_text("robot = 1\n")
    done = run(folder)
    assert done.returncode == 2
    assert "robots.expect.toml: unknown key 'robot': did you mean 'robots'?" in done.stdout


@pytest.mark.slow
def test_several_names_are_an_error_and_a_misspelt_one_is_a_warning(folder: Path) -> None:
    file = folder / "robots.expect.toml"
    file.write_text(EXPECTATIONS.replace("GPTBot", "GPTBot,CCBot"))
    done = run(folder)
    assert done.returncode == 2
    assert "expect 1: invalid agent 'GPTBot,CCBot': expected one name without" in done.stdout
    file.write_text('[[expect]]\nagent = ["GPTBto", "GPTBot"]\npattern = "/blog/"\nallowed = true\n')
    done = run(folder)
    assert done.returncode == 0
    note = "robots.expect.toml: unknown crawler 'GPTBto': did you mean 'GPTBot'?"
    assert done.stdout.count(f"UnknownAgentWarning: {note}") == 1


@pytest.mark.slow
def test_a_name_in_the_robots_txt_is_not_a_warning(folder: Path) -> None:
    (folder / "robots.txt").write_text("User-agent: DCBot\nAllow: /\n")
    expectation = '[[expect]]\nagent = "DCBot"\npattern = "/"\nallowed = true\n'
    (folder / "robots.expect.toml").write_text(expectation)
    done = run(folder)
    assert done.returncode == 0
    assert "UnknownAgentWarning" not in done.stdout


@pytest.mark.slow
def test_a_missing_robots_txt_is_an_error_of_collection(folder: Path) -> None:
    (folder / "robots.txt").unlink()
    done = run(folder)
    assert done.returncode == 2
    assert "No such file or directory" in done.stdout


@pytest.mark.slow
def test_the_plugin_imports_the_library_only_when_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "test_nothing.py").write_text(
        "import sys\n\ndef test_nothing():\n    assert 'canfetch.core' not in sys.modules\n"
    )
    assert run(tmp_path).returncode == 0
