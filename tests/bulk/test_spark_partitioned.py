"""Spark with the files of each partition of URLs returns the verdicts of single decisions."""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from canfetch import agent, bulk, parse
from canfetch.errors import InvalidColumn, InvalidOption

pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")

from tests.bulk.generated_rows import generated_rows  # noqa: E402
from tests.bulk.parsed_files.tables import CASES, row  # noqa: E402
from tests.bulk.spark_cluster import is_expected, session  # noqa: E402

pytestmark = [
    pytest.mark.service,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found as on Linux"),
    pytest.mark.skipif(not is_expected(), reason="Java is not installed"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
FIELDS = ["allowed", "reason", "line", "rule", "specificity"]
HOSTS = 300


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    # A task may fail four times.
    with session("local[2,4]", tmp_path_factory.mktemp("driver")) as spark:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
        spark.conf.set("spark.sql.shuffle.partitions", "5")
        spark.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
        yield spark


def frame_of(spark: Any, columns: dict[str, Any]) -> Any:
    """Return a frame with columns of Arrow data."""
    return spark.createDataFrame(pa.table(columns))


def partitioned(files: Any, **options: Any) -> Any:
    """Return files that are never sent to all workers."""
    from canfetch.bulk.spark import PartitionedFiles

    found = PartitionedFiles(files, broadcast_bytes=-1, **options)
    assert not found.is_broadcast
    return found


def hosts_and_urls(urls_of_first: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return files, and the URLs of their hosts in mixed order, of an unknown host and without one."""
    ids = [f"https://h{number}.example" for number in range(HOSTS)]
    contents = [f"user-agent: *\ndisallow: /{number % 7}\nallow: /{number % 7}/x".encode() for number in range(HOSTS)]
    hosts = [*ids, *ids, *ids, "https://unknown.example", None] + ids[:1] * urls_of_first
    pages: dict[str, list[Any]] = {
        "n": list(range(len(hosts))),
        "origin": hosts,
        "url": [f"{host}/{number % 5}/{'x' * (number % 2)}?{number}" for number, host in enumerate(hosts)],
    }
    mixed = sorted(range(len(hosts)), key=lambda number: number * 7919 % 1009)
    return {"id": ids, "content": contents}, {
        name: [values[number] for number in mixed] for name, values in pages.items()
    }


def single_verdicts(files: dict[str, Any], urls: dict[str, Any]) -> dict[int, Any]:
    """Return the verdict on each URL by its number, each decided alone."""
    parsed = {host: parse(content) for host, content in zip(files["id"], files["content"], strict=True)}
    found = {}
    for number, host, url in zip(urls["n"], urls["origin"], urls["url"], strict=True):
        verdict = None if host not in parsed else parsed[host].decide(url, agent=agent("GPTBot"))
        found[number] = None if verdict is None else verdict.allowed
    return found


def verdicts_of(frame: Any) -> dict[int, Any]:
    rows = frame.collect()
    assert len({found.n for found in rows}) == len(rows)
    return {found.n: found.allowed for found in rows}


def test_the_verdicts_are_those_of_single_decisions(spark: Any) -> None:
    files, urls = hosts_and_urls()
    frame = frame_of(spark, urls)
    joined = partitioned(frame_of(spark, files))
    expected = single_verdicts(files, urls)
    assert {True, False, None} == set(expected.values())
    allowed = joined.allows(frame, agent="GPTBot", id_column="origin")
    assert allowed.columns == ["n", "origin", "url", "allowed"]
    assert verdicts_of(allowed) == expected
    decided = joined.decide(frame, agent="GPTBot", id_column="origin")
    assert decided.columns == ["n", "origin", "url", *FIELDS]
    reasons = {found.n: tuple(found[3:]) for found in decided.collect()}
    loaded = bulk.Files(pa.table(files))
    alone = [
        loaded.decide_at([host], "GPTBot", [url]).to_pylist()[0]
        for host, url in zip(urls["origin"], urls["url"], strict=True)
    ]
    assert reasons == {n: tuple(one.values()) for n, one in zip(urls["n"], alone, strict=True)}


@pytest.mark.parametrize("kind", ["map<string,string>", "array<map<string,bigint>>", "variant"])
def test_columns_whose_type_has_no_hash(spark: Any, kind: str) -> None:
    files, urls = hosts_and_urls()
    frame = frame_of(spark, urls)
    more = "parse_json('[1]')" if kind == "variant" else f"cast(null as {kind})"
    frame = frame.selectExpr("*", f"{more} as more")
    allowed = partitioned(frame_of(spark, files)).allows(frame, agent="GPTBot", id_column="origin")
    assert verdicts_of(allowed.drop("more")) == single_verdicts(files, urls)


def test_agents_in_a_column_and_whole_numbers_as_ids(spark: Any) -> None:
    rows = generated_rows()
    expected = bulk.allows(rows.contents, rows.agents, rows.urls, use_registry=True).to_pylist()
    columns = {"n": range(len(rows.ids)), "id": rows.ids, "name": rows.agents, "url": rows.urls}
    contents = {"id": list(rows.files), "content": pa.array(rows.files.values(), pa.binary())}
    joined = partitioned(frame_of(spark, contents), use_registry=True)
    found = verdicts_of(joined.allows(frame_of(spark, columns), agent_column="name"))
    assert found == dict(enumerate(expected))


def test_a_small_table_is_broadcast(spark: Any) -> None:
    from canfetch.bulk.spark import PartitionedFiles

    files, urls = hosts_and_urls()
    small = PartitionedFiles(frame_of(spark, files))
    assert small.is_broadcast
    found = small.allows(frame_of(spark, urls), agent="GPTBot", id_column="origin")
    assert "Exchange" not in found._jdf.queryExecution().toString()
    assert verdicts_of(found) == single_verdicts(files, urls)
    size = sum(map(len, [*files["id"], *files["content"]]))
    assert PartitionedFiles(frame_of(spark, files), broadcast_bytes=size).is_broadcast
    assert not PartitionedFiles(frame_of(spark, files), broadcast_bytes=size - 1).is_broadcast


def test_a_host_with_very_many_urls_is_split_among_tasks(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the URLs has one host, and no task has half of them."""
    from pyspark.sql.functions import col, spark_partition_id

    from canfetch.bulk.spark import partitioned_files

    monkeypatch.setattr(partitioned_files, "_TASK_ROWS", 10)
    files, urls = hosts_and_urls(100)
    joined = partitioned(frame_of(spark, files))
    found = joined.allows(frame_of(spark, urls), agent="GPTBot", id_column="origin")
    assert verdicts_of(found) == single_verdicts(files, urls)
    of_first = found.where(col("origin") == files["id"][0])
    parts = of_first.groupBy(spark_partition_id()).count().collect()
    assert sum(part["count"] for part in parts) == 103
    assert len(parts) > 2
    assert max(part["count"] for part in parts) < 60


def test_tables_of_archives(spark: Any) -> None:
    """Redirects lead to the content of other rows, and errors decide without a content."""
    rows = [case.row for case in CASES.values()]
    names = sorted({name for one in rows for name in one})
    table = pa.Table.from_pylist([{name: one.get(name) for name in names} for one in rows])
    urls = {"origin": [one["origin"] for one in rows] * 4}
    urls["url"] = [
        f"{origin}{path}"
        for path in ("/", "/private/x", "/gpt", "/robots.txt")
        for origin in urls["origin"][: len(rows)]
    ]
    check_archive(spark, table, urls)


def check_archive(spark: Any, table: Any, urls: dict[str, Any]) -> None:
    """Check that the verdicts are those of the same table in memory."""
    expected = bulk.Files(table, id="origin").decide_at(urls["origin"], "GPTBot", urls["url"]).to_pylist()
    joined = partitioned(spark.createDataFrame(table), id="origin")
    columns = {"n": list(range(len(urls["url"]))), **urls}
    found = joined.decide(frame_of(spark, columns), agent="GPTBot", id_column="origin").orderBy("n").collect()
    assert [{name: one[name] for name in FIELDS} for one in found] == expected


def test_redirects_to_one_of_several_captures(spark: Any) -> None:
    rules = {name: f"user-agent: *\ndisallow: /{name}" for name in "abc"}
    rows = [
        # Two captures of one URL, and redirects to each and to an unknown one.
        row("https://a.example", "conditional-allow", content=rules["a"], sha256="1", id="1"),
        row("https://a.example", "conditional-allow", content=rules["b"], sha256="2", id="2"),
        *(
            row(f"https://{number}.example", "conditional-allow", 1, "https://a.example/robots.txt", content="x")
            | {"sha256": "9", "final_sha256": number, "id": f"r{number}"}
            for number in ("1", "2", "3")
        ),
        # A host is captured for both schemes.
        row("k.example", "conditional-allow", content=rules["c"], sha256="3", id="k"),
        row("https://m.example", "conditional-allow", 2, "http://K.example/robots.txt#x", content="x", id="m"),
        row("https://n.example", "conditional-allow", 1, "not a URL", content="x", id="n"),
        row("https://o.example", "conditional-allow", None, content=rules["a"], id="o"),
        row("https://p.example", "full-disallow", content="", access="unreachable", id="p"),
        row("https://q.example", None, 1, content="", id="q"),
        row("https://r.example", "conditional-allow", 1, "https://t.example/x", content="x", id="r")
        | {
            "redirect_targets": json.dumps(
                [{"url": "https://t.example/x", "status": 200, "content": "user-agent: *\ndisallow: /t"}]
            )
        },
    ]
    names = sorted({name for one in rows for name in one})
    table = pa.Table.from_pylist([{name: one.get(name) for name in names} for one in rows])
    for kept in (table, table.drop_columns(["sha256"]), table.drop_columns(["final_url"])):
        ids = kept["id"].to_pylist()
        urls = [f"/{path}" for path in ("a", "b", "c", "t") for _ in ids]
        expected = bulk.Files(kept).decide_at(ids * 4, "GPTBot", urls).to_pylist()
        joined = partitioned(spark.createDataFrame(kept))
        columns = {"n": list(range(len(urls))), "id": ids * 4, "url": urls}
        found = joined.decide(frame_of(spark, columns), agent="GPTBot").orderBy("n").collect()
        assert [{name: one[name] for name in FIELDS} for one in found] == expected


def test_content_of_csv_and_ndjson_tables(spark: Any) -> None:
    table = pa.table(
        {
            "origin": ["a.example", "https://a.example", "b.example", "https://c.example"],
            "effect": ["conditional-allow"] * 4,
            "redirects": ["0", "0", "0", "0"],
            "content": [None, "user-agent: *\ndisallow: /own", None, None],
            "content_base64": ["dXNlci1hZ2VudDogKgpkaXNhbGxvdzogL+k=", None, None, None],
            "bytes": ["25", "29", "0", None],
        }
    )
    hosts = [f"{scheme}://{host}.example" for scheme in ("http", "https") for host in "abc"]
    urls = [f"{host}/{path}" for path in ("own", "%E9", "") for host in hosts]
    check_archive(spark, table, {"origin": hosts * 3, "url": urls})


def test_invalid_arguments(spark: Any) -> None:
    files, urls = hosts_and_urls()
    joined, frame = partitioned(frame_of(spark, files)), frame_of(spark, urls)
    with pytest.raises(InvalidColumn, match=r"urls has no column 'id'; its columns are 'n', 'origin', 'url'"):
        joined.allows(frame, agent="GPTBot")
    with pytest.raises(InvalidColumn, match=r"urls has a column 'allowed', as the result: rename it"):
        joined.allows(frame.withColumnRenamed("n", "allowed"), agent="GPTBot", id_column="origin")
    with pytest.raises(InvalidOption, match=r"agent='url' is a column of urls: pass agent_column='url'"):
        joined.allows(frame, agent="url", id_column="origin")
    with pytest.raises(InvalidColumn, match=r"the IDs of the files are of type string, and those of urls of type bigi"):
        joined.allows(frame, agent="GPTBot", id_column="n")
    with pytest.raises(InvalidColumn, match=r"a table without the column 'host'"):
        partitioned(frame_of(spark, files), id="host")
    twice = frame_of(spark, {name: values + values[:1] for name, values in files.items()})
    with pytest.raises(Exception, match="InvalidColumn"):
        partitioned(twice).allows(frame, agent="GPTBot", id_column="origin").collect()


def test_a_killed_worker_changes_nothing(spark: Any, tmp_path: Path) -> None:
    """All Python processes of a running task are killed, among them that which decides."""
    files, urls = hosts_and_urls()
    marker = tmp_path / "running"

    def wait_once(batches: Any) -> Any:
        for batch in batches:
            if not marker.exists():
                new = marker.with_name("new")
                new.write_text(str(os.getppid()), encoding="ascii")
                new.replace(marker)
                time.sleep(120)
            yield batch

    killed: list[int] = []

    def kill() -> None:
        while not marker.exists():
            time.sleep(0.05)
        daemon = marker.read_text(encoding="ascii")
        workers = Path(f"/proc/{daemon}/task/{daemon}/children").read_text(encoding="ascii").split()
        for worker in map(int, workers):
            os.kill(worker, signal.SIGKILL)
            killed.append(worker)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    allowed = partitioned(frame_of(spark, files)).allows(frame_of(spark, urls), agent="GPTBot", id_column="origin")
    found = verdicts_of(allowed.mapInArrow(wait_once, allowed.schema))
    thread.join(10)
    assert len(killed) >= 2
    assert found == single_verdicts(files, urls)
