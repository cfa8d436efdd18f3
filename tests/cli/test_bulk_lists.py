"""`canfetch bulk filter`: rows that are set aside, and lists that cannot be used."""

from pathlib import Path
from typing import Any

import pytest
from tests.bulk.warc_files import compressed, response
from tests.json_lines import read_json_lines

Run = Any
ENGINES = ["local", "duckdb"]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    if request.param == "duckdb":
        pytest.importorskip("duckdb")
        pytest.importorskip("pyarrow")
    return str(request.param)


@pytest.fixture
def filtered(run: Run, folder: Path, engine: str) -> Any:
    """Return a function that filters a list by an archive with one file."""
    (folder / "robots.warc.gz").write_bytes(compressed([response("a.example")]))

    def run_filter(name: str, *more: str) -> Any:
        options = ["--robots", "robots.warc.gz", "--agent", "GPTBot", "--engine", engine, "-j1"]
        return run("bulk", "filter", name, *options, *more)

    return run_filter


def test_faults_of_a_list_are_written(folder: Path, filtered: Any) -> None:
    rows = ['{"url": "https://a.example/"}', "x", '{"url": "https://a.example/", "other": 1}', '{"url": "https://a.']
    (folder / "urls.ndjson").write_text("\n".join(rows), encoding="utf-8")
    done = filtered("urls.ndjson", "-o", "out.csv", "--faults", "faults.ndjson")
    assert done.code == 2
    assert done.err.endswith("wrote out.csv; at least 3 records in 1 file were set aside\n")
    reasons = [
        "not a JSON object",
        "a row has the column 'other', which the first row does not have",
        "the file ends within this line",
    ]
    assert [(fault["position"], fault["reason"]) for fault in read_json_lines(folder / "faults.ndjson")] == list(
        zip([2, 3, 4], reasons, strict=True)
    )
    assert {fault["source"] for fault in read_json_lines(folder / "faults.ndjson")} == {"urls.ndjson"}
    assert "urls.ndjson:3: set aside: a row has the column 'other'" in done.err


def test_faults_of_archives_and_lists_are_in_one_file(folder: Path, filtered: Any) -> None:
    archive = folder / "robots.warc.gz"
    archive.write_bytes(archive.read_bytes() + compressed([response("b.example")])[:-10])
    (folder / "urls.csv").write_text("url\nhttps://a.example/\nx,y\n", encoding="utf-8")
    assert filtered("urls.csv", "-o", "out.csv", "--faults", "faults.ndjson").code == 2
    sources = [fault["source"] for fault in read_json_lines(folder / "faults.ndjson")]
    assert sources == ["robots.warc.gz", "urls.csv"]


def test_faults_that_cannot_be_written(folder: Path, filtered: Any) -> None:
    (folder / "urls.csv").write_text("url\nx,y\n", encoding="utf-8")
    done = filtered("urls.csv", "-o", "out.csv", "--faults", "no/faults.ndjson")
    assert done == (2, "", "canfetch: cannot write --faults 'no/faults.ndjson': the folder 'no' does not exist\n")
    (folder / "faults").mkdir()
    done = filtered("urls.csv", "-o", "out.csv", "--faults", "faults")
    assert done == (2, "", "canfetch: cannot write --faults 'faults': is a directory, expected a file\n")


def test_two_columns_of_the_same_name(folder: Path, filtered: Any) -> None:
    (folder / "urls.csv").write_text("url,x,x\nhttps://a.example/,1,2\n", encoding="utf-8")
    done = filtered("urls.csv", "-o", "out.csv")
    assert done == (2, "", "canfetch: 'urls.csv' has two columns 'x': rename one\n")
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    for names in (["url", "url"], ["url", "x", "x"]):
        table = pa.table([pa.array(["https://a.example/"])] * len(names), names=names)
        pq.write_table(table, folder / "urls.parquet")
        done = filtered("urls.parquet", "-o", "out.csv")
        assert done == (2, "", f"canfetch: 'urls.parquet' has two columns '{names[-1]}': rename one\n")
    assert not list(folder.glob("out*"))


def test_checksums_of_parquet_pages(folder: Path, filtered: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    options = {"compression": "none", "use_dictionary": False, "write_page_checksum": True}
    pq.write_table(pa.table({"url": ["https://a.example/private/"]}), folder / "urls.parquet", **options)
    content = (folder / "urls.parquet").read_bytes()
    (folder / "urls.parquet").write_bytes(content.replace(b"/private/", b"/Private/"))
    done = filtered("urls.parquet", "-o", "out.csv")
    assert done.code == 2
    assert "urls.parquet:1: set aside: the last row of this row group cannot be read: could not verify" in done.err
    assert done.err.endswith("wrote out.csv; 1 record in 1 file was set aside\n")
    assert len((folder / "out.csv").read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_damaged_row_group_costs_its_rows(folder: Path, filtered: Any, form: str) -> None:
    """The rows after it have their own decisions."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    urls = [f"https://a.example/{'private' if n % 3 else 'open'}/{n:04}" for n in range(300)]
    options = {"compression": "none", "use_dictionary": False, "write_page_checksum": True, "row_group_size": 100}
    pq.write_table(pa.table({"url": urls}), folder / "urls.parquet", **options)
    pq.write_table(pa.table({"url": urls[:100] + urls[200:]}), folder / "whole.parquet", **options)
    content = (folder / "urls.parquet").read_bytes()
    (folder / "urls.parquet").write_bytes(content.replace(b"/0150", b"/x150"))
    more = ["--agent", "bingbot", "--format", form]
    done = filtered("urls.parquet", "-o", f"out.{form}", "--faults", "faults.ndjson", *more)
    assert done.code == 2
    assert done.err.endswith(f"wrote out.{form}; 100 records in 1 file were set aside\n")
    (fault,) = read_json_lines(folder / "faults.ndjson")
    assert (fault["source"], fault["position"], fault["lost"]) == ("urls.parquet", 101, 100)
    assert filtered("whole.parquet", "-o", f"rest.{form}", *more).code == 0
    if form == "csv":
        assert (folder / "out.csv").read_bytes() == (folder / "rest.csv").read_bytes()
    else:
        assert pq.read_table(folder / "out.parquet").equals(pq.read_table(folder / "rest.parquet"))


def test_a_list_that_cannot_be_read_costs_no_other(folder: Path, filtered: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    for name in ("a.parquet", "b.parquet"):
        pq.write_table(pa.table({"url": ["https://a.example/"]}), folder / name)
    (folder / "a.parquet").write_bytes((folder / "a.parquet").read_bytes()[:-10])
    done = filtered("a.parquet", "-o", "out.csv")
    assert (done.code, done.err.startswith("canfetch: 'a.parquet' is not a valid Parquet file: ")) == (2, True)
    done = filtered("a.parquet", "b.parquet", "-o", "out.csv")
    assert done.code == 2
    assert done.err.startswith("canfetch: warning: a.parquet:0: set aside: not a valid Parquet file: ")
    assert "1 URL: 1 allowed" in done.err
    assert done.err.endswith("wrote out.csv; at least 1 record in 1 file was set aside\n")


def test_folders_of_tables(run: Run, folder: Path, engine: str) -> None:
    rules = "User-agent: *\\nDisallow: /"
    for name, rows in {
        "robots/part-0.ndjson": [f'{{"origin": "https://a.example", "content": "{rules}"}}'],
        "robots/part-1.ndjson": ['{"origin": "https://b.example", "content": ""}'],
        "robots/_SUCCESS": [],
        "robots/README.md": ["two files"],
        "urls/part-0.csv": ["url", "https://a.example/"],
        "urls/part-1.csv": ["url", "https://b.example/"],
    }.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    options = ["--robots", "robots", "--agent", "GPTBot", "--missing", "deny", "--engine", engine, "-j1"]
    done = run("bulk", "filter", "urls", *options, "-o", "out.csv")
    assert (done.code, done.err) == (0, "canfetch: 2 URLs: 1 allowed, 1 disallowed, 0 unknown; wrote out.csv\n")
    assert [line.split(",")[:2] for line in (folder / "out.csv").read_text(encoding="utf-8").splitlines()[1:]] == [
        ["https://a.example/", "false"],
        ["https://b.example/", "true"],
    ]
    (folder / "robots" / "a.example.txt").write_bytes(b"")
    done = run("bulk", "filter", "urls", *options, "-o", "other.csv")
    assert done.code == 2
    assert "the folder 'robots' has 'robots/part-0.ndjson' and 'robots/a.example.txt': pass tables" in done.err


def test_a_list_without_an_answer_is_a_warning(folder: Path, filtered: Any) -> None:
    (folder / "urls.txt").write_text("a.example/\nb.example/\n", encoding="utf-8")
    done = filtered("urls.txt", "-o", "out.csv")
    summary = "2 URLs: 0 allowed, 0 disallowed, 2 unknown: invalid-url 2"
    assert (done.code, done.err) == (0, f"canfetch: warning: {summary}; wrote out.csv\n")
    (folder / "empty.txt").write_text("\n", encoding="utf-8")
    done = filtered("empty.txt", "-o", "none.csv")
    summary = "0 URLs: 0 allowed, 0 disallowed, 0 unknown"
    assert (done.code, done.err) == (0, f"canfetch: warning: {summary}; wrote none.csv\n")


@pytest.mark.parametrize("suffix", ["txt", "ndjson", "csv", "xml"])
def test_a_list_without_a_byte_is_an_error(folder: Path, filtered: Any, suffix: str) -> None:
    (folder / f"urls.{suffix}").touch()
    done = filtered(f"urls.{suffix}", "-o", "out.csv")
    assert (done.code, done.err) == (2, f"canfetch: 'urls.{suffix}' is empty: expected URLs\n")


def test_a_parquet_list_without_a_byte_is_set_aside(folder: Path, filtered: Any) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    (folder / "empty.parquet").touch()
    parquet.write_table(pyarrow.table({"url": ["https://a.example/"]}), folder / "urls.parquet")
    done = filtered("empty.parquet", "urls.parquet", "-o", "out.csv")
    assert done.code == 2
    assert "canfetch: warning: empty.parquet:0: set aside: empty: expected URLs\n" in done.err
    assert done.err.endswith("wrote out.csv; at least 1 record in 1 file was set aside\n")
    assert len((folder / "out.csv").read_text(encoding="utf-8").splitlines()) == 2
    done = filtered("empty.parquet", "-o", "none.csv")
    assert (done.code, done.err) == (2, "canfetch: 'empty.parquet' is empty: expected URLs\n")


@pytest.mark.parametrize("header", ["url", "n,URL", '"n"\t"url"'])
def test_the_header_of_a_table_that_is_read_as_text(folder: Path, filtered: Any, header: str) -> None:
    (folder / "urls").write_text(f"{header}\nhttps://a.example/\n", encoding="utf-8")
    done = filtered("urls", "-o", "out.csv")
    assert done.err.startswith("canfetch: warning: 'urls' is read as text, but its first line ")
    assert "is the header of a table: pass --urls-format csv\n" in done.err
    assert done.err.endswith("2 URLs: 1 allowed, 0 disallowed, 1 unknown: invalid-url 1; wrote out.csv\n")
    done = filtered("urls", "-o", "other.csv", "--urls-format", "text")
    assert "is read as text" not in done.err


def test_urls_without_a_time_are_counted(folder: Path, filtered: Any) -> None:
    rows = "".join(f"https://a.example/,{time}\n" for time in ("2027-05-01", "", "5000", "12345", " "))
    (folder / "urls.csv").write_text(f"url,at\n{rows}", encoding="utf-8")
    done = filtered("urls.csv", "--time-column", "at", "-o", "out.csv")
    assert done.err == (
        "canfetch: 5 URLs: 3 allowed, 0 disallowed, 2 unknown: invalid-time 2; wrote out.csv; the last capture decides "
        "about 2 URLs without a time\n"
    )
