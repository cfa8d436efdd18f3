"""`canfetch bulk`: archives and lists of URLs, and runs that are killed."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import Popen
from threading import Thread
from typing import Any

import pytest
from tests.bulk.warc_files import RULES, compressed, response
from tests.cli.conftest import StartProcess
from tests.json_lines import read_json_lines

Run = Any
# A run may end before it is killed, and is then started again.
ATTEMPTS = 20
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="processes are killed as POSIX has it")


@pytest.fixture
def archive(folder: Path) -> str:
    """Return the name of an archive with three files."""
    (folder / "robots.warc.gz").write_bytes(compressed([response(f"{name}.example") for name in "abc"]))
    return "robots.warc.gz"


def test_parse_then_decide(run: Run, folder: Path, archive: str) -> None:
    pytest.importorskip("pyarrow")
    assert run("bulk", "parse", archive, "-o", "files.parquet", "-j1") == (
        0,
        "",
        "canfetch: wrote 3 files to files.parquet\n",
    )
    done = run("bulk", "decide", "files.parquet", "--agent", "GPTBot", "--path", "/private/", "-o", "out.ndjson", "-j1")
    assert (done.code, done.err) == (0, "canfetch: wrote 3 files to out.ndjson\n")
    assert [(row["origin"], row["allowed"], row["line"]) for row in read_json_lines(folder / "out.ndjson")] == [
        (f"https://{name}.example", False, 2) for name in "abc"
    ]
    assert not list(folder.glob("*.partial"))


def test_filter(run: Run, folder: Path, archive: str) -> None:
    (folder / "urls.txt").write_text("https://a.example/private/\nhttps://x.example/\n", encoding="utf-8")
    done = run(
        "bulk",
        "filter",
        "urls.txt",
        "--robots",
        archive,
        "--agent",
        "GPTBot",
        "--missing",
        "deny",
        "-o",
        "o.csv",
        "-j1",
    )
    assert done == (0, "", "canfetch: 2 URLs: 0 allowed, 2 disallowed, 0 unknown; wrote o.csv\n")


@pytest.mark.parametrize(
    "agents, message",
    [
        (["GPTBot", "url"], "invalid agent 'url': the matrix has its own column 'url'"),
        (["Effect"], "invalid agent 'Effect': the matrix has its own column 'effect'"),
        (
            ["GPTBot", "gptbot"],
            "invalid agents 'GPTBot' and 'gptbot': columns of a matrix must differ in more than case",
        ),
    ],
)
def test_columns_of_a_matrix_have_different_names(
    run: Run, folder: Path, archive: str, agents: list[str], message: str
) -> None:
    options = [option for agent in agents for option in ("--agent", agent)]
    done = run("bulk", "matrix", archive, *options, "-o", "out.csv", "-j1")
    assert done.code == 2
    assert done.err.endswith(f"canfetch: {message}\n")
    assert not list(folder.glob("out*"))


def test_matrix_has_all_crawlers_by_default(run: Run, folder: Path, archive: str) -> None:
    assert run("bulk", "matrix", archive, "-o", "out.ndjson", "-j1").code == 0
    assert len(read_json_lines(folder / "out.ndjson")[0]) > 100
    assert run("bulk", "metrics", archive, "-o", "metrics.jsonl", "-j1").code == 0
    assert read_json_lines(folder / "metrics.jsonl")[0]["status"] == 200


def test_records_that_are_set_aside(run: Run, folder: Path, archive: str) -> None:
    content = (folder / archive).read_bytes()
    (folder / archive).write_bytes(content[:-10])
    done = run("bulk", "decide", archive, "--agent", "GPTBot", "-o", "out.csv", "--faults", "faults.ndjson", "-j1")
    assert done.code == 2
    position = len(content) * 2 // 3
    assert done.err == (
        f"canfetch: warning: robots.warc.gz:{position}: set aside: the end of this member is missing\n"
        "canfetch: wrote 2 files to out.csv; at least 1 record in 1 file was set aside\n"
    )
    assert read_json_lines(folder / "faults.ndjson") == [
        {
            "source": archive,
            "position": position,
            "reason": "the end of this member is missing",
            "is_end": True,
            "lost": None,
        }
    ]


@pytest.mark.parametrize(
    "name, content",
    [
        ("a.warc.gz", b"\x1e" + compressed([response("a.example")])[1:]),
        ("a.warc", b"<html>no archive</html>\n"),
        ("a.ndjson", b"<html>no archive</html>\n"),
        ("a.csv", b"host,status\na.example,x\n"),
    ],
)
def test_an_archive_without_a_usable_record(run: Run, folder: Path, archive: str, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)
    done = run("bulk", "parse", name, archive, "-o", "out.csv", "-j1")
    assert done.code == 2
    assert f"canfetch: warning: '{name}': no record can be used\n" in done.err
    least = "at least " if name.startswith("a.warc") else ""
    assert done.err.endswith(f"canfetch: wrote 3 files to out.csv; {least}1 record in 1 file was set aside\n")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["parse", "absent.warc", "-o", "out.csv"], "cannot read 'absent.warc': No such file or directory"),
        (
            ["parse", "robots.txt", "-o", "out.csv"],
            "'robots.txt': unknown format: pass the folder '.', whose files are",
        ),
        (["parse", "robots.txt", "--input-format", "folder", "-o", "out.csv"], "'robots.txt' is not a folder"),
        (["parse", "robots.warc.gz", "-o", "out.txt"], "unknown format of --output 'out.txt': pass --format, one of"),
        (["parse", "robots.warc.gz", "-o", "robots.txt"], "--output 'robots.txt' already exists: pass --force"),
        (["decide", "robots.warc.gz", "-o", "out.csv"], "no agent: pass --agent TOKEN"),
        (
            ["decide", "robots.warc.gz", "-o", "out.csv", "--agent", "GPTBot", "--path", "fish"],
            "invalid --path 'fish': expected a path such as /fish",
        ),
        (["parse", "-", "-o", "out.csv"], "standard input needs --input-format"),
        (["parse", "robots.warc.gz", "-o", "-"], "cannot write --output '-': standard output is not supported"),
        (
            ["parse", "robots.warc.gz", "-o", "-", "--format", "csv"],
            "cannot write --output '-': standard output is not",
        ),
        (
            ["parse", "robots.warc.gz", "-o", "out.csv", "--faults", "-"],
            "cannot write --faults '-': standard output is",
        ),
        (
            ["parse", "robots.warc.gz", "-o", "no/out.csv"],
            "cannot write --output 'no/out.csv': the folder 'no'",
        ),
        (
            ["filter", "urls.csv", "--robots", "robots.warc.gz", "--agent", "GPTBot", "-o", "out.csv"],
            "'urls.csv' has no column 'url': expected one of page",
        ),
    ],
)
def test_invalid_arguments(run: Run, folder: Path, archive: str, arguments: list[str], message: str) -> None:
    assert archive
    (folder / "urls.csv").write_text("page\nx\n", encoding="utf-8")
    done = run("bulk", *arguments)
    assert done.code == 2
    assert done.err.startswith(f"canfetch: {message}")
    assert not list(folder.glob("out*"))


def test_a_folder_without_files_of_hosts(run: Run, folder: Path) -> None:
    (folder / "robots" / "empty").mkdir(parents=True)
    (folder / "robots" / ".hidden").write_bytes(b"x")
    done = run("bulk", "parse", "robots", "-o", "out.csv", "-j1")
    message = "canfetch: 'robots' has no files: expected robots.txt files named after their hosts\n"
    assert done == (2, "", message)
    # A robots.txt without the name of its host, as in the folder of a site.
    (folder / "robots" / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /\n")
    done = run("bulk", "parse", "robots", "-o", "out.csv", "-j1")
    assert done.code == 2
    assert "robots.txt: no host in the name 'robots.txt': expected a name such as example.com.txt\n" in done.err
    assert "canfetch: warning: 'robots': no record can be used\n" in done.err


def test_duckdb_is_not_for_studies(run: Run, archive: str) -> None:
    done = run("study", "definitions", archive, "-o", "out.csv", "--engine", "duckdb")
    message = "invalid value for '--engine': 'duckdb' is not one of 'local', 'spark' (see 'canfetch study --help')"
    assert done == (2, "", f"canfetch: {message}\n")


@pytest.mark.parametrize("missing", ["duckdb", "pyarrow"])
def test_duckdb_is_not_installed(run: Run, archive: str, missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    done = run("bulk", "parse", archive, "-o", "out.csv", "--engine", "duckdb")
    assert done.code == 2
    assert "pip install 'canfetch[duckdb]'" in done.err


def test_standard_input(run: Run, folder: Path) -> None:
    done = run("bulk", "parse", "-", "--input-format", "warc", "-o", "out.csv", "-j1", stdin=response("a.example"))
    assert (done.code, done.err) == (0, "canfetch: wrote 1 file to out.csv\n")
    assert "https://a.example" in (folder / "out.csv").read_text(encoding="utf-8")


@pytest.fixture
def pipe(folder: Path, archive: str) -> Iterator[str]:
    """Return the name of a named pipe, to which an archive is written once."""
    path = folder / "pipe"
    os.mkfifo(path)

    def write() -> None:
        with suppress(OSError), path.open("wb") as stream:
            stream.write((folder / archive).read_bytes())

    writer = Thread(target=write, daemon=True)
    writer.start()
    yield "pipe"
    # A writer waits for a reader, which stays open because the writer might not have started to wait.
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer.join()
    os.close(reader)


@POSIX
def test_an_archive_on_a_pipe(run: Run, folder: Path, pipe: str) -> None:
    done = run("bulk", "parse", pipe, "--input-format", "warc", "-o", "out.csv", "-j1")
    assert (done.code, done.err) == (0, "canfetch: wrote 3 files to out.csv\n")
    assert (folder / "out.csv").read_text(encoding="utf-8").count("\nhttps://") == 3


@POSIX
@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["parse", "pipe"],
            "'pipe' is not a regular file: pass --input-format, one of warc, arc, tar, csv and ndjson, or save it",
        ),
        (["parse", "pipe", "--input-format", "parquet"], "'pipe' is not a regular file: pass --input-format"),
        (
            ["parse", "pipe", "./pipe", "--input-format", "warc"],
            "'./pipe' is not a regular file, so it can be read only once",
        ),
        (
            ["filter", "pipe", "--robots", "robots.warc.gz", "--agent", "GPTBot"],
            "'pipe' is not a regular file: a list is read twice, so save it to a file first",
        ),
        (
            ["filter", "-", "--robots", "robots.warc.gz", "--agent", "GPTBot"],
            "'-' is not a regular file: a list is read twice, so save it to a file first",
        ),
        (
            ["filter", "robots.txt", "--robots", "pipe", "--agent", "GPTBot"],
            "'pipe' is not a regular file: pass --input-format",
        ),
    ],
)
def test_a_pipe_that_cannot_be_read(run: Run, folder: Path, pipe: str, arguments: list[str], message: str) -> None:
    assert pipe
    done = run("bulk", *arguments, "-o", "out.csv", "-j1")
    assert done.code == 2
    assert done.err.startswith(f"canfetch: {message}")
    assert not list(folder.glob("out*"))


def test_unfinished_output_of_other_options(run: Run, folder: Path, archive: str) -> None:
    partial = folder / "out.csv.partial"
    partial.mkdir()
    (partial / "settings.json").write_text("{}", encoding="utf-8")
    (partial / "part-00000000.csv").touch()
    done = run("bulk", "parse", archive, "-o", "out.csv", "-j1")
    assert done.code == 2
    assert "'out.csv.partial' belongs to a run with other inputs or options: pass --restart" in done.err
    assert run("bulk", "parse", archive, "-o", "out.csv", "--restart", "-j1").code == 0


@POSIX
@pytest.mark.service
@pytest.mark.parametrize(
    "command, form, engine",
    [
        ("parse", "parquet", "local"),
        ("filter", "parquet", "duckdb"),
        ("study", "csv", "local"),
        # The same steps with other columns, forms and engines.
        pytest.param("decide", "csv", "local", marks=pytest.mark.nightly),
        pytest.param("matrix", "ndjson", "local", marks=pytest.mark.nightly),
        pytest.param("metrics", "csv", "local", marks=pytest.mark.nightly),
        pytest.param("filter", "parquet", "local", marks=pytest.mark.nightly),
        pytest.param("decide", "csv", "duckdb", marks=pytest.mark.nightly),
    ],
)
def test_killed_runs_are_resumed(start: StartProcess, folder: Path, command: str, form: str, engine: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    # Three parts of files, and three parts of URLs.
    files = [response(f"host{n}.example", RULES + b"# %d\n" % n) for n in range(8_300)]
    for number in range(3):
        (folder / f"{number}.warc.gz").write_bytes(compressed(files[number::3]))
    archives = [f"{number}.warc.gz" for number in range(3)]
    (folder / "urls.txt").write_text(
        "".join(f"https://host{n % 8_300}.example/private/{n}\n" for n in range(40_500)), encoding="utf-8"
    )
    robots = [part for name in archives for part in ("--robots", name)]
    inputs = ["urls.txt", *robots] if command == "filter" else archives
    agents = ["--agent", "GPTBot"] if command in {"decide", "filter", "matrix"} else []
    arguments = ["bulk", command, *inputs, *agents, "-j1", "--engine", engine]
    if command == "study":
        arguments = ["study", "definitions", *inputs, "-j1"]
    with start(*arguments, "-o", f"whole.{form}") as process:
        assert process.wait() == 0
    part = "counts" if command == "study" else "part"
    stages = ["captures.sqlite", f"{part}-00000000*", f"{part}-00000001*", f"{part}-00000002*"]
    if engine == "duckdb":
        stages.insert(1, "duckdb/work.duckdb")
    output = folder / f"out.{form}"
    kill_at_stages(start, arguments, output, stages)
    whole = folder / f"whole.{form}"
    if form == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        assert parquet.read_table(output).equals(parquet.read_table(whole))
    else:
        assert output.read_bytes() == whole.read_bytes()


def kill_at_stages(start: StartProcess, arguments: list[str], output: Path, stages: list[str]) -> None:
    """Kill runs when they have written certain files, and then run the command to its end."""
    partial = output.with_name(f"{output.name}.partial")
    kills = 0
    for stage in stages:
        with start(*arguments, "-o", output.name, start_new_session=True) as process:
            while process.poll() is None and not list(partial.glob(stage)):
                time.sleep(0.01)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                kills += 1
        if output.exists():
            break
        assert partial.exists()
    assert kills
    # A run that was killed at its very end has written the output, but may not have removed the folder.
    if partial.exists():
        with start(*arguments, "-o", output.name, "--force") as process:
            assert process.wait() == 0
    assert not partial.exists()


def children(process: int) -> list[int]:
    """Return the worker processes of a process, without the one that tracks its resources."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
            if parent == process and b"spawn_main" in (path / "cmdline").read_bytes():
                found.append(int(path.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are listed as Linux does")
@pytest.mark.service
def test_killed_processes(start: StartProcess, folder: Path) -> None:
    (folder / "robots.warc.gz").write_bytes(
        compressed([response(f"host{n}.example", RULES + b"# %d\n" % n) for n in range(12_300)])
    )
    arguments = ["bulk", "matrix", "robots.warc.gz", "-j2", "-o", "out.csv"]
    partial = folder / "out.csv.partial"

    def started() -> Popen[bytes]:
        process = start(*arguments)
        while process.poll() is None and not list(partial.glob("part-*.tmp")):
            time.sleep(0.001)
        return process

    # One worker is killed: the command ends with a message. If the command has ended before, it is started again.
    for _ in range(ATTEMPTS):
        with started() as process:
            kill(children(process.pid)[:1])
            _, err = process.communicate()
        if process.returncode:
            break
        (folder / "out.csv").unlink()
    else:
        pytest.fail("the command always ended before it was killed")
    assert process.returncode == 2
    assert b"a worker process was killed, maybe because memory ran out" in err
    # The command is killed: its workers end as well.
    for _ in range(ATTEMPTS):
        with started() as process:
            workers = children(process.pid)
            kill([process.pid])
        if process.returncode:
            break
        (folder / "out.csv").unlink()
    else:
        pytest.fail("the command always ended before it was killed")
    assert process.returncode == -signal.SIGKILL
    while any(Path(f"/proc/{worker}").exists() and state(worker) != "Z" for worker in workers):
        time.sleep(0.01)
    assert not (folder / "out.csv").exists()
    with start(*arguments) as process:
        assert process.wait() == 0
    assert (folder / "out.csv").read_bytes().count(b"\n") == 12_301


def kill(processes: list[int]) -> None:
    """Kill processes that may have ended already."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def state(process: int) -> str:
    """Return the state of a process, such as `Z` for one that has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "Z"
