"""`canfetch bulk`: the folder of an unfinished output that is damaged, left behind, or on a full disk."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.bulk.warc_files import RULES, compressed, response

from canfetch.bulk.archives.archive_job import collect
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.reading.sources import find_source
from canfetch.errors import StoreError

Run = Any
FILE_LIMIT = 100_000


@pytest.fixture
def archive(folder: Path) -> str:
    (folder / "robots.warc.gz").write_bytes(compressed([response("a.example")]))
    return "robots.warc.gz"


def test_a_run_that_failed_at_once_does_not_refuse_another_one(run: Run, folder: Path) -> None:
    (folder / "wrong.csv").write_text("host;content\na.example;x\n", encoding="utf-8")
    (folder / "right.csv").write_text("host,content\na.example,x\n", encoding="utf-8")
    assert "has the columns host;content: expected" in run("bulk", "parse", "wrong.csv", "-o", "out.csv", "-j1").err
    done = run("bulk", "parse", "right.csv", "-o", "out.csv", "-j1")
    assert done == (0, "", "canfetch: wrote 1 files to out.csv\n")
    assert not list(folder.glob("*.partial"))


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


def test_parts_without_valid_settings_are_not_used(run: Run, folder: Path, archive: str) -> None:
    partial = folder / "out.csv.partial"
    partial.mkdir()
    (partial / "settings.json").write_text("{", encoding="utf-8")
    (partial / "part-00000000.csv").write_text("other\n", encoding="utf-8")
    assert run("bulk", "parse", archive, "-o", "out.csv", "-j1").code == 0
    assert "https://a.example" in (folder / "out.csv").read_text(encoding="utf-8")


COMMANDS = {
    "parse": ["bulk", "parse", "robots.warc.gz"],
    "filter": ["bulk", "filter", "urls.txt", "--robots", "robots.warc.gz", "--agent", "GPTBot"],
    "study": ["study", "definitions", "robots.warc.gz"],
}


def damage_whole(store: Path) -> None:
    store.write_bytes(b"not a database" * 1000)


def damage_pages(store: Path) -> None:
    content = store.read_bytes()
    store.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


@pytest.mark.parametrize("damage", [damage_whole, damage_pages])
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_damaged_work_file(
    run: Run, folder: Path, archive: str, arguments: list[str], damage: Callable[[Path], None]
) -> None:
    (folder / "urls.txt").write_text("https://a.example/\n", encoding="utf-8")
    command = [*arguments, "-o", "out.csv", "-j1"]
    # This run ends after it has recorded its settings.
    assert run(*command, "--faults", "no/faults").code == 2
    store = folder / "out.csv.partial" / "captures.sqlite"
    collect([find_source(str(folder / archive))], store, advance=lambda _: None, on_fault=lambda _: None)
    damage(store)
    done = run(*command)
    assert done.code == 2
    name = str(Path("out.csv.partial") / "captures.sqlite")
    assert done.err.startswith(f"canfetch: '{name}' is damaged: ")
    assert done.err.endswith(f": pass --restart, or delete the files '{name}*'\n")
    assert run(*command, "--restart").code == 0


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
        captures.counts()
    with pytest.raises(StoreError, match=r"cannot write '.*x': unable to open"):
        CaptureStore(folder / "absent" / "x")


# Starts the command line with a limit on the size of files, which fails as a full disk does.
LIMITED = (
    "import resource, runpy, sys; "
    f"resource.setrlimit(resource.RLIMIT_FSIZE, ({FILE_LIMIT}, resource.RLIM_INFINITY)); "
    "runpy.run_module('canfetch', run_name='__main__', alter_sys=True)"
)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_full_disk(run: Run, folder: Path, environment: Any) -> None:
    files = [response(f"host{n}.example", RULES + f"# {n} ".encode() * 1000) for n in range(100)]
    (folder / "robots.warc.gz").write_bytes(compressed(files))
    arguments = ["bulk", "decide", "robots.warc.gz", "--agent", "GPTBot", "-o", "out.csv", "-j1"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *arguments], cwd=folder, env=environment(), capture_output=True, check=False
    )
    assert done.returncode == 2
    err = done.stderr.decode()
    assert err.startswith("canfetch: cannot write 'out.csv.partial/captures.sqlite': ")
    assert "Traceback" not in err
    # With more room, the same command completes.
    assert run(*arguments) == (0, "", "canfetch: wrote 100 files to out.csv\n")
    assert len((folder / "out.csv").read_text(encoding="utf-8").splitlines()) == 101
