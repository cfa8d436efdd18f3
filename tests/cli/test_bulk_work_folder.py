"""`canfetch bulk`: the folder of an unfinished output that is damaged, left behind, or on a full disk."""

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.bulk.warc_files import RULES, compressed, response
from tests.cli.conftest import RunProcess

from canfetch.bulk.archives import archive_job, filter_lists
from canfetch.bulk.archives.archive_job import collect
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.reading.sources import find_source
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.errors import StoreError

Run = Any
Stopped = Callable[[list[str]], str]
FILE_LIMIT = 100_000
# The archive fits, and the parts do not.
LIMIT_OF_PARTS = 160_000


COMMANDS = {
    "parse": ["bulk", "parse", "robots.warc.gz"],
    "filter": ["bulk", "filter", "urls.txt", "--robots", "robots.warc.gz", "--agent", "GPTBot"],
    "study": ["study", "definitions", "robots.warc.gz"],
}


@pytest.fixture
def archive(folder: Path) -> str:
    (folder / "robots.warc.gz").write_bytes(compressed([response("a.example")]))
    return "robots.warc.gz"


def test_a_run_that_failed_at_once_does_not_refuse_another_one(run: Run, folder: Path) -> None:
    (folder / "wrong.csv").write_text("host;content\na.example;x\n", encoding="utf-8")
    (folder / "right.csv").write_text("host,content\na.example,x\n", encoding="utf-8")
    assert "has the columns host;content: expected" in run("bulk", "parse", "wrong.csv", "-o", "out.csv", "-j1").err
    done = run("bulk", "parse", "right.csv", "-o", "out.csv", "-j1")
    assert done == (0, "", "canfetch: wrote 1 file to out.csv\n")
    assert not list(folder.glob("*.partial"))


def test_an_error_names_the_command_that_continues(stopped: Stopped, run: Run, folder: Path) -> None:
    command = [*COMMANDS["parse"], "-o", "out.csv", "-j1"]
    assert stopped(command) == (
        "canfetch: cannot write the end; the same command continues, and deleting 'out.csv.partial' discards the work "
        "so far\n"
    )
    assert run(*command).code == 0
    assert not (folder / "out.csv.partial").exists()


@pytest.mark.usefixtures("stopped")
def test_an_interrupted_run(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [*COMMANDS["parse"], "-o", "out.csv", "-j1"]

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(WorkFolder, "finish", interrupt)
    assert run(*command) == (
        130,
        "",
        "canfetch: interrupted; the same command continues, and deleting 'out.csv.partial' discards the work so far\n",
    )
    (folder / "other.warc.gz").write_bytes((folder / "robots.warc.gz").read_bytes())
    monkeypatch.setattr(CaptureStore, "add", interrupt)
    # Nothing is complete.
    assert run("bulk", "parse", "other.warc.gz", "-o", "other.csv", "-j1") == (130, "", "")
    assert not (folder / "other.csv.partial").exists()


@pytest.mark.parametrize("part", ["part-00000000.csv", "counts-00000000.json"])
def test_a_complete_part_of_another_run_is_not_removed(run: Run, folder: Path, archive: str, part: str) -> None:
    partial = folder / "out.csv.partial"
    partial.mkdir()
    (partial / "settings.json").write_text("{}", encoding="utf-8")
    (partial / part).touch()
    done = run("bulk", "parse", archive, "-o", "out.csv", "-j1")
    assert done.code == 2
    assert "'out.csv.partial' belongs to a run with other inputs or options: pass --restart" in done.err
    (partial / part).rename(partial / f"{part}.tmp")
    assert run("bulk", "parse", archive, "-o", "out.csv", "-j1").code == 0


@pytest.mark.parametrize("settings", ["{", "[" * 100_000, "1" * 5000], ids=["cut", "deep", "digits"])
def test_parts_without_valid_settings_are_not_used(run: Run, folder: Path, archive: str, settings: str) -> None:
    partial = folder / "out.csv.partial"
    partial.mkdir()
    (partial / "settings.json").write_text(settings, encoding="utf-8")
    (partial / "part-00000000.csv").write_text("other\n", encoding="utf-8")
    assert run("bulk", "parse", archive, "-o", "out.csv", "-j1").code == 0
    assert "https://a.example" in (folder / "out.csv").read_text(encoding="utf-8")


@pytest.fixture
def stopped(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Stopped:
    """Return a function that runs a command on 8 files, or on 8 URLs, until its last part is written."""
    (folder / "robots.warc.gz").write_bytes(compressed([response(f"{name}.example") for name in "abcdefgh"]))
    urls = "".join(f"https://{name}.example/private/\n" for name in "abcdefgh")
    (folder / "urls.txt").write_text(urls, encoding="utf-8")
    # Three parts.
    monkeypatch.setattr(archive_job, "_CAPTURES_PER_PART", 3)
    monkeypatch.setattr(filter_lists, "_ROWS_PER_PART", 3)

    def finish(*_: object) -> None:
        raise StoreError("cannot write the end")

    def run_until_the_end(command: list[str]) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(WorkFolder, "finish", finish)
            done = run(*command)
        assert done.code == 2
        return str(done.err)

    return run_until_the_end


def damage_whole(store: Path) -> None:
    store.write_bytes(b"not a database" * 1000)


def damage_pages(store: Path) -> None:
    content = store.read_bytes()
    store.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


@pytest.mark.parametrize("damage", [damage_whole, damage_pages])
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_damaged_work_file(
    stopped: Stopped, run: Run, folder: Path, arguments: list[str], damage: Callable[[Path], None]
) -> None:
    command = [*arguments, "-o", "out.csv", "-j1"]
    stopped(command)
    damage(folder / "out.csv.partial" / "captures.sqlite")
    done = run(*command)
    assert done.code == 2
    name = str(Path("out.csv.partial") / "captures.sqlite")
    assert done.err.startswith(f"canfetch: '{name}' is damaged: ")
    assert done.err.endswith(f": pass --restart, or delete the files '{name}*'\n")
    assert run(*command, "--restart").code == 0


@pytest.mark.parametrize(
    "damage", ["captures SET url = x'ff'", "captures SET status = 'text'", "contents SET data = 'text'"]
)
def test_damaged_values_of_a_work_file(folder: Path, archive: str, damage: str) -> None:
    store = folder / "captures.sqlite"
    collect([find_source(str(folder / archive))], store, advance=lambda _: None, on_fault=lambda _: None)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(f"UPDATE {damage}")
    with pytest.raises(StoreError, match="is damaged: unexpected value"), CaptureStore(store, read_only=True) as read:
        list(read.files(1, 9))


def test_a_work_file_with_a_damaged_name_in_its_schema(folder: Path, archive: str) -> None:
    store = folder / "captures.sqlite"
    collect([find_source(str(folder / archive))], store, advance=lambda _: None, on_fault=lambda _: None)
    store.write_bytes(
        store.read_bytes().replace(b"sourcessources", b"\xff\xfeurcessources").replace(b"CREATE", b"CREATX")
    )
    with pytest.raises(StoreError, match="is damaged: 'utf-8' codec can't decode"):
        CaptureStore(store)


def test_a_file_that_is_damaged_while_it_is_read(folder: Path, archive: str) -> None:
    store = folder / "captures.sqlite"
    collect([find_source(str(folder / archive))], store, advance=lambda _: None, on_fault=lambda _: None)
    damage_pages(store)
    with pytest.raises(StoreError, match="is damaged"), CaptureStore(store, read_only=True) as captures:
        list(captures.files(1, 9))
    with (
        pytest.raises(StoreError, match=r"cannot read '.*absent'"),
        CaptureStore(folder / "absent", read_only=True) as captures,
    ):
        captures.count()
    with pytest.raises(StoreError, match=r"cannot write '.*x': unable to open"):
        CaptureStore(folder / "absent" / "x")


# Starts the command line with a limit on the size of files, which fails as a full disk does. Python would save the
# bytecode of a module cut off at the limit, and fail to import it from then on.
LIMITED = (
    "import resource, runpy, sys; sys.dont_write_bytecode = True; "
    f"resource.setrlimit(resource.RLIMIT_FSIZE, ({FILE_LIMIT}, resource.RLIM_INFINITY)); "
    "runpy.run_module('canfetch', run_name='__main__', alter_sys=True)"
)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_full_disk(run: Run, process: RunProcess, folder: Path) -> None:
    files = [response(f"host{n}.example", RULES + f"# {n} ".encode() * 1000) for n in range(100)]
    (folder / "robots.warc.gz").write_bytes(compressed(files))
    arguments = ["bulk", "decide", "robots.warc.gz", "--agent", "GPTBot", "-o", "out.csv", "-j1"]
    done = process(*arguments, program=("-c", LIMITED))
    assert done.code == 2
    assert done.err.startswith("canfetch: cannot write 'out.csv.partial/captures.sqlite': ")
    assert done.err.count("\n") == 1
    # With more room, the same command completes.
    assert run(*arguments) == (0, "", "canfetch: wrote 100 files to out.csv\n")
    assert len((folder / "out.csv").read_text(encoding="utf-8").splitlines()) == 101


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize(
    "engine, form, message",
    [
        ("local", "parquet", "cannot write the output: File too large"),
        ("local", "csv", "cannot write the output: File too large"),
        ("duckdb", "csv", "DuckDB failed: "),
    ],
)
def test_a_disk_that_is_full_while_parts_are_written(
    process: RunProcess, folder: Path, engine: str, form: str, message: str
) -> None:
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    random = Random(9309)  # noqa: S311 - URLs of a test
    urls = "".join(f"https://a.example/{random.randbytes(32).hex()}\n" for _ in range(8_000))
    (folder / "urls.txt").write_text(urls, encoding="utf-8")
    arguments = [*COMMANDS["filter"], "-o", f"out.{form}", "-j2", "--engine", engine]
    limited = process(*arguments, program=("-c", LIMITED.replace(str(FILE_LIMIT), str(LIMIT_OF_PARTS))))
    assert limited.code == 2
    assert limited.err.startswith(f"canfetch: {message}")
    told = f"; the same command continues, and deleting 'out.{form}.partial' discards the work so far\n"
    assert limited.err.endswith(told)
    assert limited.err.count("\n") == 1
    assert process(*arguments).code == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_disk_that_is_full_at_the_start(process: RunProcess, folder: Path, archive: str) -> None:
    paths = [part for n in range(1_000) for part in ("--path", f"/{'x' * 100}{n}")]
    arguments = ["bulk", "decide", archive, "--agent", "GPTBot", *paths, "-o", "out.csv"]
    done = process(*arguments, program=("-c", LIMITED))
    assert done == (2, "", "canfetch: cannot write --output 'out.csv': File too large\n")
    assert not (folder / "out.csv.partial").exists()


@pytest.mark.parametrize("name", ["captures.sqlite", "lock"])
def test_a_folder_in_place_of_a_file(stopped: Stopped, run: Run, folder: Path, name: str) -> None:
    command = [*COMMANDS["parse"], "-o", "out.csv", "-j1"]
    stopped(command)
    path = folder / "out.csv.partial" / name
    path.unlink()
    path.mkdir()
    done = run(*command)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert f"{str(Path('out.csv.partial') / name)!r}: " in done.err.lower()
    assert "is a directory" in done.err.lower()


def test_a_file_in_place_of_the_folder(run: Run, folder: Path, archive: str) -> None:
    (folder / "out.csv.partial").touch()
    done = run("bulk", "parse", archive, "-o", "out.csv", "-j1")
    assert done == (2, "", "canfetch: cannot write --output 'out.csv': 'out.csv.partial': File exists\n")
