"""`canfetch bulk`: parts of an unfinished output that are damaged are written again."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.warc_files import compressed, response

from canfetch.bulk.archives import archive_job, filter_lists
from canfetch.bulk.writing import part_files
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.errors import StoreError

Run = Any
FILTER = ["bulk", "filter", "urls.txt", "--robots", "robots.warc.gz", "--agent", "GPTBot"]
COMMANDS = {
    "parse-csv": ["bulk", "parse", "robots.warc.gz", "-o", "out.csv"],
    "parse-parquet": ["bulk", "parse", "robots.warc.gz", "-o", "out.parquet"],
    "matrix-ndjson": ["bulk", "matrix", "robots.warc.gz", "--agent", "GPTBot", "-o", "out.ndjson"],
    "matrix-duckdb": ["bulk", "matrix", "robots.warc.gz", "--engine", "duckdb", "-o", "out.csv"],
    "filter-csv": [*FILTER, "-o", "out.csv"],
    "filter-duckdb": [*FILTER, "--engine", "duckdb", "-o", "out.ndjson"],
    "filter-parquet": [*FILTER, "-o", "out.parquet"],
    "study": ["study", "definitions", "robots.warc.gz", "-o", "out.csv"],
}


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def change(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def replace(path: Path) -> None:
    path.write_bytes(b"[1, 2]")


def make_folder(path: Path) -> None:
    path.unlink()
    (path / "x").mkdir(parents=True)


@pytest.fixture
def stop_at_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Return a function that sets whether runs end after their last part. There are three parts."""
    hosts = [f"{name}.example" for name in "abcdefgh"]
    (folder / "robots.warc.gz").write_bytes(compressed([response(host) for host in hosts]))
    (folder / "urls.txt").write_text("".join(f"https://{host}/private/\n" for host in hosts), encoding="utf-8")
    monkeypatch.setattr(archive_job, "_CAPTURES_PER_PART", 3)
    monkeypatch.setattr(filter_lists, "_ROWS_PER_PART", 3)
    whole = WorkFolder.finish

    def finish(*_: object) -> None:
        raise StoreError("cannot write the end")

    return lambda stops: monkeypatch.setattr(WorkFolder, "finish", finish if stops else whole)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_damaged_parts_are_written_again(
    run: Run, folder: Path, stop_at_end: Callable[[bool], None], arguments: list[str]
) -> None:
    output = folder / arguments[-1]
    if output.suffix == ".parquet":
        pytest.importorskip("pyarrow")
    if "duckdb" in arguments:
        pytest.importorskip("duckdb")
        pytest.importorskip("pyarrow")
    command = [*arguments, "-j1"]
    whole = run(*command)
    assert whole.code == 0
    expected = output.read_bytes()
    output.unlink()
    stop_at_end(True)
    assert run(*command).code == 2
    stop_at_end(False)
    partial = output.with_name(f"{output.name}.partial")
    shutil.copytree(partial, folder / "copy")
    names = sorted(path.name for path in partial.glob("*-00000001.*"))
    assert [name.partition("-")[0] for name in names] == (["counts"] if "study" in arguments else ["done", "part"])
    for name in names:
        for damage in (cut, empty, change, replace, make_folder, Path.unlink):
            shutil.rmtree(partial, ignore_errors=True)
            shutil.copytree(folder / "copy", partial)
            damage(partial / name)
            assert run(*command, "--force") == whole, (name, damage)
            assert output.read_bytes() == expected, (name, damage)
            assert not partial.exists()


def test_parts_that_are_intact_are_kept(
    run: Run, folder: Path, stop_at_end: Callable[[bool], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [*COMMANDS["parse-csv"], "-j1"]
    stop_at_end(True)
    assert run(*command).code == 2
    stop_at_end(False)
    cut(folder / "out.csv.partial" / "part-00000001.csv")
    written: list[str] = []

    def write_checked(path: Path, value: object) -> None:
        written.append(path.name)
        write(path, value)

    write = part_files.write_checked
    monkeypatch.setattr(part_files, "write_checked", write_checked)
    assert run(*command).code == 0
    assert written == ["done-00000001.json"]


def test_a_part_that_is_damaged_after_it_was_written(
    run: Run, stop_at_end: Callable[[bool], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    command = [*COMMANDS["parse-parquet"], "-j1"]
    stop_at_end(False)
    finish = WorkFolder.finish

    def finish_damaged(work: WorkFolder, part_count: int) -> None:
        cut(work.parts.path(1))
        finish(work, part_count)

    with monkeypatch.context() as patch:
        patch.setattr(WorkFolder, "finish", finish_damaged)
        done = run(*command)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("canfetch: cannot read ")
    assert "part-00000001.parquet': Parquet magic bytes not found in footer" in done.err
    assert done.err.endswith(
        "; the same command continues, and deleting 'out.parquet.partial' discards the work so far\n"
    )
    assert run(*command).code == 0
