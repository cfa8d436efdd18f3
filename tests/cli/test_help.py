"""Help texts at the width of a terminal, for every command."""

import re
import shlex
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from tests.cli.commands import command_context, commands
from tests.cli.conftest import RunCommand

from canfetch.cli.main import cli

COMMANDS = [names for names, _ in commands()]


def help_text(names: tuple[str, ...], width: int) -> str:
    context = command_context(*names, width=width)
    return context.command.get_help(context)


@pytest.mark.parametrize("names", COMMANDS, ids=lambda names: " ".join(names) or "canfetch")
def test_help_fits_the_terminal(run: RunCommand, names: tuple[str, ...]) -> None:
    for width in (70, 80, 100):
        assert not [line for line in help_text(names, width).splitlines() if len(line) > width]
    ran = run(*names, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert not [line for line in ran.lines if len(line) > 80]


@pytest.mark.parametrize("names", COMMANDS, ids=lambda names: " ".join(names) or "canfetch")
def test_words_of_the_help_are_whole(names: tuple[str, ...]) -> None:
    # In the widest text, every word has space. A backslash continues an example.
    whole = [word for word in help_text(names, 500).split() if word != "\\"]
    for width in (70, 80, 100):
        assert [word for word in help_text(names, width).split() if word != "\\"] == whole


@pytest.mark.parametrize(
    "names", [names for names, command in commands() if not isinstance(command, click.Group)], ids=" ".join
)
def test_help_has_examples_and_exit_codes(names: tuple[str, ...]) -> None:
    text = help_text(names, 500)
    assert f"canfetch {' '.join(names)}" in text.partition("Examples:")[2]
    assert ("Exit codes" in text) is (names != ("completion",))


@pytest.mark.parametrize("names", [("study",), ("bulk", "decide"), ("bulk", "filter")], ids=" ".join)
def test_threads_of_duckdb_are_named_where_it_is_an_engine(names: tuple[str, ...]) -> None:
    text = help_text(names, 1000)
    assert ("of threads of DuckDB" in text) is ("duckdb" in text)


def test_commands_are_listed_by_family_once() -> None:
    families: dict[str, list[str]] = {}
    sections = help_text((), 80).split("\n\n")
    for title, *rows in (section.splitlines() for section in sections[3:-2]):
        families[title] = [row.split()[0] for row in rows]
    names = [name for family in families.values() for name in family]
    assert names == [names[0] for names in COMMANDS if len(names) == 1]
    assert families["Decide:"][:3] == ["check", "explain", "matrix"]
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    listed = {
        f"{section.splitlines()[0]}:": re.findall(r":prog: canfetch (.+)\n", section)
        for section in page.split("\n### ")
        if ":prog:" in section
    }
    assert listed == families


def test_continued_example_is_one_command() -> None:
    narrow, wide = help_text(("check",), 70), help_text(("check",), 500)
    assert " \\\n" in narrow
    assert " \\\n" not in wide
    [start] = [line.strip() for line in wide.splitlines() if "--format csv" in line and "canfetch check" in line]
    lines = narrow[narrow.index(start[:40]) :].splitlines()
    end = next(index for index, line in enumerate(lines) if not line.endswith("\\"))
    assert shlex.split(" ".join(line.removesuffix("\\") for line in lines[: end + 1])) == shlex.split(start)
    # An option is on one line with its value.
    assert not [line for line in narrow.splitlines() if line.endswith(("--agent \\", "--robots \\"))]


def test_the_short_option_works_after_other_help_texts(run: RunCommand) -> None:
    help_text(("check",), 80)
    assert run("check", "-h") == run("check", "--help")


def test_every_command_is_tested() -> None:
    assert {(), ("check",), ("cache",), ("cache", "clear")} <= set(COMMANDS)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("chek",), "no such command 'chek': did you mean 'check'? (see 'canfetch --help')"),
        (("zzz",), "no such command 'zzz' (see 'canfetch --help')"),
        (("cache", "lits"), "no such command 'lits': did you mean 'list'? (see"),
        (("check", "--agnet", "a"), "no such option '--agnet': did you mean '--agent'? (see"),
        (("explain", "--all"), "no such option '--all': did you mean '--all-profiles'? (see"),
        (("fetch", "--robots", "a"), "no such option '--robots' (see 'canfetch fetch --help')"),
        (("help", "check"), "no such command 'help': did you mean '--help'? (see 'canfetch --help')"),
        (("version",), "no such command 'version': did you mean '--version'? (see 'canfetch --help')"),
        (("https://example.com/",), "expected a command first, as in 'canfetch check URL --agent TOKEN' (see"),
        (("/fish", "--agent", "GPTBot"), "expected a command first, as in 'canfetch check URL --agent TOKEN' (see"),
        (
            ("check", "--profile", "googel"),
            "invalid value for '--profile': unknown value 'googel': did you mean 'google'?",
        ),
        (("check", "--format", "jsno"), "invalid value for '--format': unknown value 'jsno': did you mean 'json'?"),
        (("check", "--format", "zzz"), "invalid value for '--format': 'zzz' is not one of 'text', 'json'"),
        (("fetch", "--policy", "gogle"), "unknown access policy 'gogle': did you mean 'google'?"),
        (("init", "--recipe", "block-al"), "unknown value 'block-al': did you mean 'block-all'?"),
        (("init", "--recipe", "block-ai"), "unknown value 'block-ai': did you mean 'block-ai-training'?"),
        (
            ("init", "block-seo"),
            "extra argument (block-seo): did you mean '--recipe block-seo'? (see 'canfetch init --h",
        ),
        (("agents", "list", "training"), "(training): did you mean '--purpose training'? (see"),
        (("diff", "a", "b", "c"), "got unexpected extra argument (c) (see 'canfetch diff --help')"),
        (("completion", "bsh"), "unknown value 'bsh': did you mean 'bash'? (choose from 'bash', 'zsh', 'fish')"),
    ],
)
def test_misspelt_names_have_a_suggestion(run: RunCommand, arguments: tuple[str, ...], message: str) -> None:
    assert message in run(*arguments).refusal


@pytest.mark.parametrize(
    "arguments, kind",
    [
        (["check", "--robots"], "file"),
        (["check", "--urls-file"], "file"),
        (["check", "--robots-dir"], "dir"),
        (["check", "--robots-map"], "file"),
        (["check", "--evidence"], "dir"),
        (["check", "--store"], "file"),
        (["page", "--html"], "file"),
        (["lint"], "file"),
        (["lint", "--config"], "file"),
        (["fmt"], "file"),
        (["policy"], "file"),
        (["init", "--output"], "file"),
        (["evidence", "verify"], "dir"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_shell_completes_paths(arguments: list[str], kind: str) -> None:
    complete = ShellComplete(cli, {}, "canfetch", "_CANFETCH_COMPLETE")
    assert [(item.value, item.type) for item in complete.get_completions(arguments, "ro")] == [("ro", kind)]


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_path_is_left_to_each_shell(process: RunCommand, shell: str) -> None:
    variables = {
        "_CANFETCH_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": "canfetch check --robots ro",
        # Fish passes the word itself.
        "COMP_CWORD": "ro" if shell == "fish" else "3",
    }
    ran = process(env=variables)
    assert ran.code == 0
    assert "file" in ran.out.split()[0]


@pytest.mark.parametrize(
    "arguments, command",
    [
        (("lint", "--page", "x"), "canfetch lint"),
        (("check", "--agent"), "canfetch check"),
        (("cache", "clear", "--store"), "canfetch cache clear"),
        (("chek",), "canfetch"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_error_names_the_help_of_the_command(run: RunCommand, arguments: tuple[str, ...], command: str) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.err.endswith(f"(see '{command} --help')\n")


def test_file_in_the_place_of_a_command(run: RunCommand, folder: Path) -> None:
    (folder / "robots.txt").touch()
    ran = run("robots.txt")
    assert ran.code == 2
    assert ran.err.startswith(
        "canfetch: no such command 'robots.txt': expected a command first, as in 'canfetch lint F"
    )
