"""Files that commands write: which names are refused, and what remains after a failure."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest
from tests.bulk.warc_files import compressed, response
from tests.cli.commands import commands
from tests.cli.conftest import RunProcess
from tests.logs.log_lines import Request, write_log

from canfetch.cli.bulk import study
from canfetch.cli.shared.output_parameters import OutputFile
from canfetch.cli.shared.single_value_option import is_path
from canfetch.client.frontier.database import FrontierDatabase
from canfetch.core.quoting import quoted
from canfetch.errors import StoreError

Run = Any
# A command and its option, or its argument.
Case = tuple[str, str]

# What commands only read. A new parameter that names a path must be added here, or have the type OutputFile.
READ = {
    "--addresses",
    "--agents-file",
    "--agents-registry",
    "--ca-file",
    "--client-cert",
    "--client-key",
    "--config",
    "--evidence-key",
    "--headers-file",
    "--html",
    "--key-file",
    "--page",
    "--pages",
    "--request",
    "--robots",
    "--robots-dir",
    "--robots-map",
    "--sitemap",
    "--tdm-file",
    "--urls-file",
    "use --license",
    "audit --history",
    "audit --log",
    "audit --origins",
    "audit --skip-report",
    "audit --source",
    "logs --history",
    "history --history",
    *(f"{name} --history" for name in ("check", "explain", "matrix", "use")),
    "logs --store",
    "agents addresses file",
    "agents diff new",
    "agents diff old",
    "agents report release",
    "agents update source",
    "agents update --key",
    "agents import source",
    "identity show folder",
    "bulk decide inputs",
    "bulk filter lists",
    "bulk matrix inputs",
    "bulk metrics inputs",
    "bulk parse inputs",
    "diff new",
    "diff old",
    "evidence head folder",
    "evidence verify folder",
    "facts sources",
    "frontier export file",
    "frontier import source",
    "frontier show file",
    "logs files",
    "policy file",
    "study inputs",
    "test files",
}
# Folders and files that commands change in place, as their help describes.
CHANGED = {
    "--evidence",
    "--static",
    "--store",
    "audit --work",
    "frontier import file",
    "frontier retry file",
    "identity init folder",
    "identity rotate folder",
    "watch --history",
    "fmt names",
    "lint names",
    "minimize name",
}
# The arguments of each command that writes a file, without its outputs. INPUT is an input file.
ARGUMENTS = {
    "init": "--recipe block-all",
    "audit": "http://127.0.0.1:9 --source INPUT --delay 0",
    "frontier export": "INPUT",
    "lint": "INPUT",
    "logs": "INPUT --log-format combined",
    "agents refresh": "GPTBot --agents-registry INPUT",
    "agents import": "INPUT",
    "bulk parse": "INPUT --input-format warc -j1",
    "bulk decide": "INPUT --input-format warc --agent GPTBot -j1",
    "bulk matrix": "INPUT --input-format warc --agent GPTBot -j1",
    "bulk metrics": "INPUT --input-format warc -j1",
    "bulk filter": "urls.txt --robots INPUT --input-format warc --agent GPTBot -j1",
    "study": "definitions INPUT --input-format warc -j1",
}
WINDOWS = sys.platform == "win32"


def label(parameter: click.Parameter) -> str:
    return parameter.opts[-1]


PARAMETERS = [(" ".join(names), parameter) for names, command in commands() for parameter in command.params]
OUTPUTS = [(name, label(parameter)) for name, parameter in PARAMETERS if isinstance(parameter.type, OutputFile)]
REPLACING = [
    (name, label(parameter))
    for name, parameter in PARAMETERS
    if isinstance(parameter.type, OutputFile) and parameter.type.replaces
]
FORCED = [case for case in OUTPUTS if case not in REPLACING]
PAIRS = [
    (name, first, second) for name, first in OUTPUTS for other, second in OUTPUTS if name == other and first < second
]


def test_every_path_is_an_input_or_an_output() -> None:
    known = READ | CHANGED
    for name, parameter in PARAMETERS:
        names = {label(parameter), f"{name} {label(parameter)}"}
        written = isinstance(parameter.type, OutputFile)
        if is_path(parameter):
            assert written or names & known, f"{name} {label(parameter)} is not classified"
        summary = getattr(parameter, "help", None) or ""
        assert written or names & known or not re.match(r"(Write|Draw|Save) (?!no).*\bfile\b", summary)


def test_all_outputs_are_found() -> None:
    assert {name for name, _ in OUTPUTS} == set(ARGUMENTS)
    assert set(REPLACING) == {("lint", "--output"), ("agents refresh", "file"), ("agents import", "--output")}
    bulk = [name for name in ARGUMENTS if name.startswith("bulk ")]
    assert {("study", "--plot"), ("logs", "--plot"), *((name, "--faults") for name in bulk)} <= set(FORCED)


def suffix(option: str) -> str:
    return {"--plot": ".svg", "--output": ".csv"}.get(option, ".txt")


def command_line(case: Case, output: str, *more: str, source: str = "source") -> list[str]:
    name, option = case
    arguments = [source if word == "INPUT" else word for word in ARGUMENTS[name].split()]
    if not option.startswith("-"):
        return [*name.split(), output, *arguments, *more]
    has_table = (name, "--output") in FORCED and option != "--output" and "--output" not in more
    required = ["--output", "other.csv"] if has_table else []
    return [*name.split(), *arguments, *required, option, output, *more]


def write_input(folder: Path, name: str, path: str) -> bytes:
    if name.startswith(("bulk ", "study")):
        content = compressed([response("a.example")])
    elif name == "logs":
        content = write_log([Request("/a")])
    elif name == "frontier export":
        FrontierDatabase(folder / path).close()
        content = (folder / path).read_bytes()
    elif name == "agents refresh":
        content = b""
    else:
        content = b"User-agent: *\nDisallow: /a\n"
    (folder / path).write_bytes(content)
    (folder / "urls.txt").write_bytes(b"https://a.example/\nx\n")
    return content


def files(folder: Path) -> set[str]:
    """Return the names in a folder, without the cache of the tests."""
    return {path.name for path in folder.iterdir()} - {"cache"}


def force(case: Case) -> list[str]:
    return ["--force"] if case in FORCED else []


@pytest.mark.slow
@pytest.mark.parametrize("case", FORCED, ids=" ".join)
def test_an_existing_file_is_replaced_only_with_force(run: Run, folder: Path, case: Case) -> None:
    if case[1] == "--plot":
        pytest.importorskip("matplotlib")
    write_input(folder, case[0], "source")
    output = f"taken{suffix(case[1])}"
    (folder / output).write_bytes(b"mine")
    # The name of a temporary file must not be one that a user may choose.
    (folder / f"{output}.tmp").write_bytes(b"mine")
    before = files(folder)
    message = f"canfetch: {case[1]} '{output}' already exists: pass --force to replace it\n"
    assert run(*command_line(case, output)) == (2, "", message)
    assert (folder / output).read_bytes() == b"mine"
    assert files(folder) == before
    done = run(*command_line(case, output, "--force"))
    # The site of the audit cannot be reached.
    assert done.code == (2 if case[0] == "audit" else 0), done.err
    assert (folder / output).read_bytes() != b"mine"
    assert (folder / f"{output}.tmp").read_bytes() == b"mine"
    assert files(folder) - before <= {"other.csv"}


@pytest.mark.parametrize("spelling", ["same", "other", "absolute", "symbolic link", "hard link"])
@pytest.mark.parametrize("case", [case for case in OUTPUTS if "INPUT" in ARGUMENTS[case[0]]], ids=" ".join)
def test_an_input_is_not_replaced(run: Run, folder: Path, case: Case, spelling: str) -> None:
    source = f"source{suffix(case[1])}"
    content = write_input(folder, case[0], source)
    output = {"same": source, "other": f"./x/../{source}", "absolute": str(folder / source)}.get(
        spelling, f"link{suffix(case[1])}"
    )
    (folder / "x").mkdir()
    if spelling == "symbolic link":
        (folder / output).symlink_to(source)
    elif spelling == "hard link":
        (folder / output).hardlink_to(folder / source)
    before = files(folder)
    done = run(*command_line(case, output, *force(case), source=source))
    assert done.refusal.endswith("is also an input file: choose another name\n")
    assert output in done.err
    assert (folder / source).read_bytes() == content
    assert files(folder) == before


@pytest.mark.parametrize("option", ["--robots", "--agents-file"])
@pytest.mark.parametrize("output", ["--output", "--faults"])
def test_no_input_of_filter_is_replaced(run: Run, folder: Path, option: str, output: str) -> None:
    (folder / "input.csv").write_bytes(b"# mine\n")
    name = "bulk filter"
    write_input(folder, name, "source")
    done = run(*command_line((name, output), "input.csv", option, "input.csv", "--force"))
    message = f"canfetch: {output} 'input.csv' is also an input file: choose another name\n"
    assert done == (2, "", message)
    done = run(*command_line((name, output), "urls.txt", "--format", "csv", "--force"))
    assert done == (2, "", message.replace("input.csv", "urls.txt"))


@pytest.mark.parametrize("output", ["--output", "--faults"])
@pytest.mark.parametrize("name", ["site/a.example.txt", "site/below/b.example.txt", "site/new.csv"])
def test_no_file_is_written_to_an_input_folder(run: Run, folder: Path, output: str, name: str) -> None:
    (folder / "site" / "below").mkdir(parents=True)
    if not name.endswith("new.csv"):
        (folder / name).write_bytes(b"mine")
    before = sorted((folder / "site").rglob("*"))
    command = ["bulk", "parse", "site", "--format", "csv", "-j1", "--force"]
    other = ["--output", "out.csv"] if output == "--faults" else []
    done = run(*command, output, name, *other)
    assert done == (2, "", f"canfetch: {output} '{name}' is in the input folder 'site': choose another folder\n")
    assert sorted((folder / "site").rglob("*")) == before
    assert not [path for path in before if path.is_file() and path.read_bytes() != b"mine"]


@pytest.mark.slow
@pytest.mark.skipif(WINDOWS, reason="standard input has no comparable status")
def test_the_file_of_standard_input_is_not_replaced(folder: Path, process: RunProcess) -> None:
    content = write_input(folder, "bulk parse", "source.csv")
    command = command_line(("bulk parse", "--output"), "source.csv", "--force", source="-")
    with (folder / "source.csv").open("rb") as stream:
        done = process(*command, stdin=stream)
    assert done == (2, "", "canfetch: --output 'source.csv' is also an input file: choose another name\n")
    assert (folder / "source.csv").read_bytes() == content


@pytest.mark.parametrize("is_link", [False, True])
@pytest.mark.parametrize("name, first, second", PAIRS)
def test_outputs_have_different_files(
    run: Run, folder: Path, name: str, first: str, second: str, *, is_link: bool
) -> None:
    write_input(folder, name, "source")
    ending = ".svg" if "--plot" in {first, second} else ".csv"
    output, other = f"out{ending}", f"out{ending}"
    if is_link:
        other = f"link{ending}"
        (folder / output).write_bytes(b"mine")
        (folder / other).hardlink_to(folder / output)
    before = files(folder)
    options = ["--format", "csv", "--force"]
    done = run(*command_line((name, first), output, second, other, *options, *needed(name, first, second)))
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(
        rf"canfetch: --\w+ '(out|link){ending}' is also the file of --\w+: choose another name\n", done.err
    )
    assert files(folder) == before


def needed(name: str, first: str, second: str) -> list[str]:
    """Return the output that a command needs, if it is not one of two others."""
    return ["--output", "other.csv"] if name == "study" and "--output" not in {first, second} else []


@pytest.mark.parametrize(
    "output, message",
    [
        ("-", "standard output is not supported, expected the name of a file"),
        ("", "expected the name of a file"),
        ("no/x{}", "the folder 'no' does not exist"),
        ("robots.txt/x{}", "'robots.txt' is not a folder"),
        ("folder{}", "is a directory, expected a file"),
        ("/dev/null", "is a device or a pipe, expected the name of a file"),
        ("/dev/stdout", "is a device or a pipe, expected the name of a file"),
        ("pipe{}", "is a device or a pipe, expected the name of a file"),
        ("long" * 100 + "{}", "File name too long"),
    ],
)
@pytest.mark.parametrize("case", OUTPUTS, ids=" ".join)
def test_names_that_cannot_be_written(run: Run, folder: Path, case: Case, output: str, message: str) -> None:
    if WINDOWS and ("/dev" in output or "pipe" in output or "long" in output):
        pytest.skip("Windows has neither devices in folders nor this message")
    if case[1] == "--plot" and "{}" not in output:
        pytest.skip("the suffix is checked first")
    write_input(folder, case[0], "source")
    name = output.format(suffix(case[1]))
    if output.startswith("folder"):
        (folder / name).mkdir()
    if output.startswith("pipe"):
        os.mkfifo(folder / name)
    before = files(folder)
    option = f"{case[1]} " if case[1].startswith("-") else ""
    done = run(*command_line(case, name, *force(case)))
    assert done == (2, "", f"canfetch: cannot write {option}{quoted(name)}: {message}\n")
    assert files(folder) == before


@pytest.mark.parametrize("case", OUTPUTS, ids=" ".join)
def test_a_folder_that_is_not_writable(run: Run, folder: Path, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    write_input(folder, case[0], "source")
    monkeypatch.setattr(os, "access", lambda path, _mode: path != "sealed")
    (folder / "sealed").mkdir()
    name = f"sealed/x{suffix(case[1])}"
    option = f"{case[1]} " if case[1].startswith("-") else ""
    done = run(*command_line(case, name))
    assert done == (2, "", f"canfetch: cannot write {option}'{name}': the folder 'sealed' is not writable\n")


@contextmanager
def file_limit(size: int) -> Iterator[None]:
    """Limit the size of files, which fails as a full disk does."""
    import resource

    limits, saves_no_bytecode = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    # Python would save the bytecode of a module cut off at the limit, and fail to import it from then on.
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        sys.dont_write_bytecode = saves_no_bytecode


@pytest.mark.skipif(WINDOWS, reason="Windows has no limit on the size of files")
@pytest.mark.parametrize(
    "case, limit",
    [
        (("init", "--output"), 8),
        (("lint", "--output"), 8),
        (("logs", "--plot"), 1_000),
        (("study", "--plot"), 200_000),
        (("bulk filter", "--faults"), 200_000),
        (("bulk parse", "--output"), 8),
    ],
    ids=str,
)
def test_a_full_disk_keeps_the_old_file(
    run: Run, folder: Path, case: Case, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if case[1] == "--plot":
        pytest.importorskip("matplotlib")
    write_input(folder, case[0], "source")
    monkeypatch.setattr(study, "draw_study", lambda *_: bytes(10 * limit))
    (folder / "bad.csv").write_bytes(b"url\n" + b"x,y,z\n" * 5_000)
    output = f"taken{suffix(case[1])}"
    (folder / output).write_bytes(b"mine")
    before = files(folder)
    command = command_line(case, output, *force(case))
    command = ["bad.csv" if word == "urls.txt" else word for word in command]
    with file_limit(limit):
        done = run(*command)
    assert (done.code, done.out) == (2, "")
    last = done.err.splitlines()[-1]
    assert last.startswith(f"canfetch: cannot write {case[1]} '{output}': File too large"), done.err
    assert (folder / output).read_bytes() == b"mine"
    assert not [name for name in files(folder) - before if not name.endswith(".partial")]


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--faults", "--plot"])
def test_a_failed_run_leaves_nothing_that_its_continuation_refuses(
    run: Run, folder: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if option == "--plot":
        pytest.importorskip("matplotlib")
    write_input(folder, "study", "source")
    command = command_line(("study", option), f"second{suffix(option)}")

    def fail(*_: object, **__: object) -> None:
        raise StoreError("cannot write the end")

    with monkeypatch.context() as patch:
        patch.setattr(study, "_write", fail)
        assert run(*command).err.startswith("canfetch: cannot write the end; the same command continues")
    assert not list(folder.glob("second*"))
    assert not list(folder.glob(".canfetch-*"))
    assert run(*command).code == 0
    assert list(folder.glob("second*"))


def test_faults_of_a_failed_table_are_not_left(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from canfetch.cli.bulk import archive_run

    write_input(folder, "bulk parse", "source")
    command = command_line(("bulk parse", "--faults"), "faults.txt")

    def fail(*_: object, **__: object) -> None:
        raise StoreError("cannot write the end")

    with monkeypatch.context() as patch:
        patch.setattr(archive_run, "write_table", fail)
        assert run(*command).code == 2
    assert not (folder / "faults.txt").exists()
    assert run(*command).code == 0
    assert (folder / "faults.txt").read_bytes() == b""


def test_a_report_that_is_replaced_keeps_its_link_and_permissions(run: Run, folder: Path) -> None:
    write_input(folder, "lint", "source")
    (folder / "report").write_bytes(b"old")
    (folder / "report").chmod(0o600)
    (folder / "link").symlink_to("report")
    assert run(*command_line(("lint", "--output"), "link")).code in {0, 1}
    assert (folder / "link").is_symlink()
    assert (folder / "report").read_bytes() != b"old"
    assert WINDOWS or (folder / "report").stat().st_mode & 0o777 == 0o600


def test_a_report_does_not_replace_a_file_of_a_folder(run: Run, folder: Path) -> None:
    (folder / "site").mkdir()
    (folder / "site" / "robots.txt").write_bytes(b"mine")
    done = run("lint", "site", "--output", "site/robots.txt")
    assert done == (2, "", "canfetch: --output 'site/robots.txt' is also an input file: choose another name\n")
    assert (folder / "site" / "robots.txt").read_bytes() == b"mine"
