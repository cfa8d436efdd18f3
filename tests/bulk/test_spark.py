"""Spark on two workers returns the rows of `canfetch.bulk`, also if one of them is killed in the middle of a job."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.archives import write_archive

from canfetch import Agent, agent, bulk
from canfetch.bulk.archives.archive_job import collect, write_table
from canfetch.bulk.archives.decisions import NamedAgent
from canfetch.bulk.archives.filter_job import filter_urls
from canfetch.bulk.archives.filter_lists import FilterOptions, open_list
from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.bulk.reading.sources import find_source
from canfetch.bulk.studies.study_job import StudyOptions, count_study
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.errors import InvalidColumn, InvalidOption, InvalidProductToken, UnknownProfile, WorkerKilled

pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")

from pyspark.sql.functions import col  # noqa: E402
from tests.bulk.engine_rows import (  # noqa: E402
    AGENT_LIST,
    AGENTS,
    CONTENT,
    CONTENTS,
    FILES,
    IDS,
    URLS,
    expected_rows,
)
from tests.bulk.generated_rows import generated_rows  # noqa: E402
from tests.bulk.spark_cluster import is_expected, killing_one_worker, session, started_cluster  # noqa: E402
from tests.bulk.warc_files import compressed, http_response, record, redirect, response  # noqa: E402

pytestmark = [
    pytest.mark.service,
    pytest.mark.skipif(sys.platform != "linux", reason="the cluster is started as on Linux"),
    pytest.mark.skipif(not is_expected(), reason="Java is not installed"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

ROWS = 32_000
PARTITIONS = 16


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with started_cluster(tmp_path_factory.mktemp("cluster")) as url:
        yield url


@pytest.fixture(scope="module")
def spark(master: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with session(master, tmp_path_factory.mktemp("driver")) as spark:
        yield spark


@pytest.fixture(scope="module")
def pages(spark: Any) -> Any:
    """Return a frame with a row for each page."""
    rows = list(zip(IDS, CONTENTS, AGENTS, URLS, strict=True))
    return spark.createDataFrame(rows, "id bigint, content string, agent string, url string").coalesce(1)


@pytest.fixture(scope="module")
def files(spark: Any) -> Any:
    from canfetch.bulk.spark import BroadcastFiles

    return BroadcastFiles(spark, FILES)


def plain(value: Any) -> Any:
    """Return a value of Spark as a plain one."""
    if hasattr(value, "asDict"):
        return {name: plain(field) for name, field in value.asDict().items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def expected() -> dict[str, list[Any]]:
    """Return the rows of each function, and those of one agent for all rows."""
    files = bulk.Files(FILES)
    return {**expected_rows(files), "constant": files.allows_at(IDS, "bot", URLS).to_pylist()}


def test_functions_of_columns(pages: Any, files: Any) -> None:
    from canfetch.bulk import spark as robots

    agent = pages["agent"]
    found = pages.select(
        robots.allows(col("content"), agent, col("url")).alias("allows"),
        robots.decide(col("content"), agent, col("url")).alias("decide"),
        robots.usage(col("content"), agent, col("url"), purpose="training").alias("usage"),
        robots.may_use(col("content"), agent, col("url"), purpose="training").alias("may_use"),
        robots.matrix(col("content"), AGENT_LIST, col("url")).alias("matrix"),
        robots.rules(col("content")).alias("rules"),
        robots.sitemaps(col("content")).alias("sitemaps"),
        robots.metrics(col("content")).alias("metrics"),
        robots.origins(col("url")).alias("origins"),
        files.allows_at(col("id"), agent, col("url")).alias("allows_at"),
        files.decide_at(col("id"), agent, col("url")).alias("decide_at"),
        files.matrix_at(col("id"), AGENT_LIST, col("url")).alias("matrix_at"),
        files.allows_at(col("id"), "bot", col("url")).alias("constant"),
    ).collect()
    for name, rows in expected().items():
        assert [plain(row[name]) for row in found] == rows, name


def test_sql_functions(spark: Any, pages: Any, files: Any) -> None:
    from canfetch.bulk.spark import register

    register(spark, files=files, agents=AGENT_LIST, prefix="robots_")
    pages.createOrReplaceTempView("pages")
    calls = {
        "allows": "content, agent, url",
        "decide": "content, agent, url",
        "usage": "content, agent, url, 'training'",
        "may_use": "content, agent, url, 'training'",
        "matrix": "content, url",
        "sitemaps": "content",
        "allows_at": "id, agent, url",
        "decide_at": "id, agent, url",
        "matrix_at": "id, url",
    }
    columns = ", ".join(f"robots_{name}({arguments}) as {name}" for name, arguments in calls.items())
    found = spark.sql(f"select {columns} from pages").collect()  # noqa: S608
    rows = expected()
    for name in calls:
        assert [plain(row[name]) for row in found] == rows[name], name
    with pytest.raises(UnknownProfile):
        register(spark, profile="x")


def test_files_of_a_frame_and_of_arrow_data(spark: Any, pages: Any) -> None:
    from canfetch.bulk.spark import BroadcastFiles

    for table in (pages.select("id", "content"), pa.table({"id": IDS, "content": CONTENTS})):
        found = pages.select(
            BroadcastFiles(spark, table).allows_at(col("id"), "bot", col("url")).alias("found")
        ).collect()
        assert [row.found for row in found] == expected()["constant"]
    with pytest.raises(InvalidColumn):
        BroadcastFiles(spark, pa.table({"id": [1, 1], "content": ["", ""]}))


def test_files_that_bulk_parse_wrote(spark: Any) -> None:
    """The effect of a row decides, and not the content of a redirect or an error."""
    from canfetch.bulk.spark import BroadcastFiles

    origins = ["https://a.example", "https://b.example", "https://c.example", "https://d.example"]
    urls = [f"{origin}/robots.txt" for origin in origins]
    columns = {
        "origin": origins,
        "url": urls,
        "final_url": [urls[0], urls[0], *urls[2:]],
        "redirects": [0, 1, 0, 0],
        "access": ["successful", "successful", "unreachable", "unavailable"],
        "effect": ["conditional-allow", "conditional-allow", "full-disallow", "full-allow"],
        "content": [b"user-agent: *\ndisallow: /", b"", b"busy", b""],
    }
    table = pa.table(columns)
    frame = spark.createDataFrame(list(zip(*columns.values(), strict=True)), list(columns))
    for source in (frame, table):
        files = BroadcastFiles(spark, source, id="origin")
        found = frame.select("origin", files.decide_at(col("origin"), "GPTBot", col("url")).alias("found"))
        pages = frame.select("origin", files.allows_at(col("origin"), "GPTBot", pages_of(frame)).alias("allowed"))
        assert {row.origin: row.allowed for row in pages.collect()} == dict(
            zip(origins, [False, False, False, True], strict=True)
        )
        assert {row.found.reason for row in found.collect()} == {"robots-txt", "unavailable"}


def pages_of(frame: Any) -> Any:
    """Return a column with a page of each origin."""
    from pyspark.sql.functions import concat, lit

    return concat(frame["origin"], lit("/page"))


def test_parquet_files_are_decided_where_they_are_read(files: Any, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    paths = []
    for part in range(3):
        table = pa.table({"id": IDS, "agent": AGENTS, "url": URLS, "part": [part] * len(IDS)})
        paths.append(str(tmp_path / f"{part}.parquet"))
        pq.write_table(table, paths[-1])
    found = files.decide_parquet(paths).orderBy("part", "id").collect()
    names = ["allowed", "reason", "line", "rule", "specificity"]
    assert [{name: row[name] for name in names} for row in found] == expected()["decide_at"] * 3
    assert [row.part for row in found] == [part for part in range(3) for _ in IDS]
    constant = files.decide_parquet(paths, agent="bot").where("part = 1").orderBy("id").collect()
    assert [row.allowed for row in constant] == expected()["constant"]


def test_parquet_files_without_columns_that_are_not_needed(spark: Any, files: Any, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    from canfetch.bulk.spark import BroadcastFiles

    # The second file has no rows, and the third one has other types and another order of columns.
    table = pa.table({"n": [1, 2, 3, 4], "id": IDS, "agent": AGENTS, "url": URLS})
    other = table.select(["url", "id", "agent", "n"]).set_column(3, "n", pa.array([5, 6, 7, None], pa.uint8()))
    paths = [tmp_path / f"{part}.parquet" for part in range(3)]
    for path, rows in zip(paths, (table, table.slice(0, 0), other), strict=True):
        pq.write_table(rows, path)
    allowed = expected()["allows_at"]
    for loaded in (files, BroadcastFiles(spark, FILES, engine="python")):
        frame = loaded.allows_parquet(paths, columns=["n"])
        assert frame.columns == ["n", "allowed"]
        assert [row.n for row in frame.collect()] == [1, 2, 3, 4, 5, 6, 7, None]
        assert [row.allowed for row in frame.collect()] == allowed * 2
    frame = files.decide_parquet(str(paths[0]), agent="bot", columns=[])
    assert frame.columns == ["allowed", "reason", "line", "rule", "specificity"]
    assert [row.allowed for row in frame.collect()] == expected()["constant"]
    assert files.allows_parquet(paths[1]).collect() == []


def test_parquet_files_that_cannot_be_decided(files: Any, tmp_path: Path) -> None:
    import pyarrow.parquet as pq
    from pyspark.errors import PythonException

    paths = [str(tmp_path / f"{part}.parquet") for part in range(2)]
    pq.write_table(pa.table({"id": IDS, "agent": AGENTS, "url": URLS}), paths[0])
    pq.write_table(pa.table({"id": IDS, "url": URLS}), paths[1])
    with pytest.raises(InvalidOption, match="paths is empty: expected at least one Parquet file"):
        files.allows_parquet([])
    with pytest.raises(InvalidProductToken, match="two words"):
        files.allows_parquet(paths, agent="two words")
    with pytest.raises(InvalidColumn, match="no column 'agent'"):
        files.decide_parquet(paths[1])
    with pytest.raises(FileNotFoundError):
        files.decide_parquet(str(tmp_path / "x.parquet"))
    with pytest.raises(PythonException, match=r"InvalidColumn: '.*1.parquet' has no column 'agent'"):
        files.decide_parquet(paths).collect()
    assert files.allows_parquet(paths, agent="bot", columns=[]).count() == 2 * len(IDS)


def test_a_text_is_never_the_name_of_a_column(files: Any, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    from canfetch.bulk import spark as robots

    with pytest.raises(InvalidColumn, match=r"url='url' is a text, not a column: pass col\(\"url\"\)"):
        files.allows_at(col("id"), "agent", "url")
    with pytest.raises(InvalidColumn, match=r"id='id' is a text"):
        files.matrix_at("id", AGENT_LIST, col("url"))
    with pytest.raises(InvalidColumn, match=r"content='content' is a text"):
        robots.decide("content", col("agent"), col("url"))  # type: ignore[arg-type]
    with pytest.raises(InvalidColumn, match=r"url is of type list: expected a column, such as"):
        robots.origins(["https://a.example/"])  # type: ignore[arg-type]
    path = str(tmp_path / "rows.parquet")
    agents = pa.array(AGENTS).dictionary_encode()
    pq.write_table(pa.table({"id": IDS, "agent": AGENTS, "name": agents, "url": URLS, "bot": [True] * 4}), path)
    for name in ("agent", "name"):
        with pytest.raises(InvalidOption, match=f"agent='{name}' is a column of .* pass agent_column='{name}'"):
            files.allows_parquet(path, agent=name)
        found = files.allows_parquet(path, agent_column=name).orderBy("id").collect()
        assert [row.allowed for row in found] == expected()["allows_at"]
    # An agent that is meant, and a column that cannot have agents.
    found = files.allows_parquet(path, agent=Agent("agent"), columns=[]).collect()
    assert [row.allowed for row in found] == bulk.Files(FILES).allows_at(IDS, "agent", URLS).to_pylist()
    assert files.allows_parquet(path, agent="bot", columns=["bot"]).count() == len(IDS)


def test_columns_are_named_after_functions(pages: Any, files: Any) -> None:
    from canfetch.bulk.spark import allows, rules

    found = pages.select(
        files.allows_at(col("id"), "GPTBot", col("url")),
        files.decide_at(col("id"), col("agent"), col("url")),
        files.matrix_at(col("id"), AGENT_LIST, col("url")),
        allows(col("content"), "GPTBot", col("url")),
        rules(col("content")),
    )
    assert found.columns == [
        "allows_at(id, url)",
        "decide_at(id, agent, url)",
        "matrix_at(id, url)",
        "allows(content, url)",
        "rules(content)",
    ]
    assert found.count() == len(IDS)


def test_archives_are_a_data_source(spark: Any, tmp_path: Path) -> None:
    from canfetch.bulk.spark import RobotsArchives, metrics

    for host in ("a.example", "b.example"):
        (tmp_path / host).mkdir()
        (tmp_path / host / f"{host}.txt").write_text(CONTENT, encoding="utf-8")
    spark.dataSource.register(RobotsArchives)
    path = ",".join(str(tmp_path / host) for host in ("a.example", "b.example"))
    frame = spark.read.format("robots-archives").load(path)
    found = frame.select("origin", "fault", metrics(col("content")).alias("metrics")).orderBy("origin").collect()
    assert [(row.origin, row.fault) for row in found] == [("a.example", None), ("b.example", None)]
    assert [plain(row.metrics) for row in found] == bulk.metrics([CONTENT, CONTENT]).to_pylist()


def test_archives_yield_robots_txt_files_only(spark: Any, tmp_path: Path) -> None:
    from canfetch.bulk.spark import BroadcastFiles, RobotsArchives

    page = record("https://a.example/index.html", http_response(b"User-agent: *\nAllow: /\n"))
    moved = redirect("b.example", "https://b.example/moved")
    target = record("https://b.example/moved", http_response(b"User-agent: *\nAllow: /\n"))
    (tmp_path / "a.warc.gz").write_bytes(compressed([response("a.example"), page, moved, target]))
    spark.dataSource.register(RobotsArchives)
    frame = spark.read.format("robots-archives").load(str(tmp_path / "a.warc.gz"))
    urls = [row.url for row in frame.orderBy("position").collect()]
    assert urls == ["https://a.example/robots.txt", "https://b.example/robots.txt"]
    # IDs are unique.
    BroadcastFiles(spark, frame, id="origin").unpersist()


def test_the_body_of_an_error_or_a_redirect_is_not_a_file(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql.functions import lit

    from canfetch.bulk.spark import BroadcastFiles, RobotsArchives

    allow = "User-agent: *\nAllow: /\n"
    rows = [
        {"origin": "https://a.example", "status": 200, "content": allow},
        {"origin": "https://b.example", "status": 503, "content": allow},
        {"origin": "https://c.example", "status": 404, "content": "User-agent: *\nDisallow: /\n"},
        {"origin": "https://d.example", "status": 301, "location": "https://x.example/robots.txt", "content": allow},
        {"origin": "https://e.example", "status": 403, "content": allow},
        {"origin": "https://f.example"},
    ]
    (tmp_path / "a.ndjson").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    spark.dataSource.register(RobotsArchives)
    reader = spark.read.format("robots-archives").option("policy", "google")
    frame = reader.load(str(tmp_path / "a.ndjson")).orderBy("position")
    columns = frame.select("status", "location", "redirects", "access", "effect").collect()
    assert [tuple(row) for row in columns] == [
        (200, None, 0, "successful", "conditional-allow"),
        (503, None, 0, "unreachable", "full-disallow"),
        (404, None, 0, "unavailable", "full-allow"),
        (301, "https://x.example/robots.txt", 1, None, None),
        (403, None, 0, "unavailable", "full-allow"),
        (None, None, None, None, None),
    ]
    files = BroadcastFiles(spark, frame.where("fault is null"), id="origin")
    found = files.decide_at(col("origin"), "GPTBot", lit("/x")).alias("found")
    asked = frame.where("fault is null").select(found)
    assert [(row.found.allowed, row.found.reason) for row in asked.collect()] == [
        (True, "allow-rule"),
        (False, "unreachable"),
        (True, "unavailable"),
        (None, "redirect-unresolved"),
        (True, "unavailable"),
    ]
    files.unpersist()


def test_spark_has_the_verdicts_of_lists(spark: Any, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    from canfetch.bulk.spark import BroadcastFiles, allows

    rows = generated_rows()
    expected = bulk.allows(rows.contents, rows.agents, rows.urls, use_registry=True).to_pylist()
    numbers = range(len(rows.ids))
    table = pa.table({"n": numbers, "id": rows.ids, "agent": rows.agents, "url": rows.urls})
    pq.write_table(table, tmp_path / "rows.parquet")
    contents = pa.table({"id": list(rows.files), "content": pa.array(rows.files.values(), pa.binary())})
    frame = spark.read.parquet(str(tmp_path / "rows.parquet")).repartition(4)
    files = BroadcastFiles(spark, contents, use_registry=True)
    joined = frame.join(spark.createDataFrame(contents), "id", "left")
    found = {
        "by ID": frame.select("n", files.allows_at(col("id"), frame["agent"], col("url")).alias("allowed")),
        "by content": joined.select(
            "n", allows(col("content"), joined["agent"], col("url"), use_registry=True).alias("allowed")
        ),
        "paths": files.decide_parquet([str(tmp_path / "rows.parquet")]).select("n", "allowed"),
    }
    for way, verdicts in found.items():
        assert [row.allowed for row in verdicts.orderBy("n").collect()] == expected, way


def test_tables_of_archives_are_those_of_the_local_engine(spark: Any, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    assert spark
    archive, store = tmp_path / "robots.warc.gz", tmp_path / "store.sqlite"
    # More than one part.
    write_archive(archive, 4_200)
    collect([find_source(str(archive))], store, advance=lambda _: None, on_fault=lambda _: None)
    agents = tuple(NamedAgent(name, agent(name)) for name in ("GPTBot", "Googlebot"))
    tables = [
        TableOptions("files"),
        TableOptions("records"),
        TableOptions("metrics"),
        TableOptions("matrix", agents),
        TableOptions("decisions", agents, ("/", "/private/")),
    ]
    urls = tmp_path / "urls.csv"
    rows = [f"https://host{number}.example/private/{number}" for number in range(0, 6_000, 50)]
    urls.write_text("\n".join(["url", *rows, "x"]) + "\n", encoding="utf-8")
    filtered = FilterOptions(agents, "url", None, None, only_allowed=False, policy="rfc9309", profile="rfc9309")
    study = StudyOptions("imc-2025", ("GPTBot",), "month", "rfc9309")
    found: dict[str, list[object]] = {}
    for engine in ("local", "duckdb", "spark"):
        common: dict[str, Any] = {"processes": 1, "advance": lambda _: None, "engine": engine}
        results: list[object] = []
        for number, options in enumerate(tables):
            output = tmp_path / f"{engine}{number}.ndjson"
            with WorkFolder(output, "ndjson", {}, restart=False) as folder:
                (folder.path / "captures.sqlite").write_bytes(store.read_bytes())
                write_table(folder, options, policy="rfc9309", **common)
            results.append(output.read_bytes())
        output = tmp_path / f"{engine}.ndjson"
        with WorkFolder(output, "ndjson", {}, restart=False) as folder:
            lists = [open_list(str(urls), None, filtered)]
            results.append(filter_urls(folder, store, lists, filtered, on_fault=lambda _: None, **common))
        results.append(output.read_bytes())
        (tmp_path / engine).mkdir()
        # DuckDB has no part in studies.
        common["engine"] = "local" if engine == "duckdb" else engine
        results.append(count_study(store, tmp_path / engine, study, **common))
        found[engine] = results
    assert found["spark"] == found["local"]
    assert found["duckdb"] == found["local"]
    assert all(found["local"])


def test_all_engines_write_the_rows_of_a_list(spark: Any, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    pytest.importorskip("duckdb")
    assert spark
    archive, store = tmp_path / "robots.warc.gz", tmp_path / "store.sqlite"
    write_archive(archive, 500)
    urls = [f"https://host{number * 7 % 600}.example/private/{number}" for number in range(3_000)]
    pages, headers = tmp_path / "pages.warc.gz", [("X-Robots-Tag", "noai")]
    pages.write_bytes(compressed(record(url, http_response(b"x", headers=headers)) for url in urls[::10]))
    sources = [find_source(str(path)) for path in (archive, pages)]
    collect(sources[:1], store, pages=sources[1:], advance=lambda _: None, on_fault=lambda _: None)
    agents = tuple(NamedAgent(name, agent(name)) for name in ("GPTBot", "Googlebot"))
    options = FilterOptions(
        agents, "url", None, None, only_allowed=False, policy="rfc9309", profile="rfc9309", use=UsagePurpose.TRAINING
    )
    pq.write_table(pa.table({"url": [*urls, "x"]}), tmp_path / "urls.parquet", row_group_size=500)
    lists = [open_list(str(tmp_path / "urls.parquet"), None, options)]
    found = []
    for engine in ("local", "duckdb", "spark"):
        output = tmp_path / f"{engine}.parquet"
        common: dict[str, Any] = {"processes": 1, "advance": lambda _: None, "on_fault": lambda _: None}
        with WorkFolder(output, "parquet", {}, restart=False) as folder:
            counts = filter_urls(folder, store, lists, options, engine=engine, **common)
        found.append((counts, pq.read_table(output)))
    assert found[1] == found[0]
    assert found[2] == found[0]
    assert {"disallow", "unknown", None} <= set(found[0][1].column("use").to_pylist())
    assert {"robots.txt", "headers"} <= set(found[0][1].column("use_source").to_pylist())
    assert 0 < found[0][0].allowed < found[0][0].rows


def test_a_task_that_fails_is_an_error(spark: Any) -> None:
    from canfetch.bulk.spark.tasks import run_spark_tasks

    assert spark
    assert list(run_spark_tasks(float, ["1", "2"])) == [("1", 1.0), ("2", 2.0)]
    with pytest.raises(WorkerKilled, match=r"a task failed on Spark: .*float: 'x'$"):
        list(run_spark_tasks(float, ["1", "x"]))


def test_a_job_completes_if_a_worker_is_killed(files: Any, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    marker = tmp_path / "killed"
    numbers = list(range(ROWS))
    ids, urls = [1 + number % 4 for number in numbers], ["/b" if number % 3 else "/a" for number in numbers]
    table = pa.table({"n": numbers, "id": ids, "url": urls})
    paths = [str(tmp_path / f"{part}.parquet") for part in range(PARTITIONS)]
    size = ROWS // PARTITIONS
    for part, path in enumerate(paths):
        pq.write_table(table.slice(part * size, size), path)
    decided = files.allows_parquet(paths, agent="bot")
    shaken = decided.mapInArrow(killing_one_worker(str(marker), ROWS // 2), decided.schema)
    found = shaken.withColumn("by_id", files.allows_at(col("id"), "bot", col("url"))).collect()
    assert marker.read_text(encoding="ascii")
    allowed = bulk.Files(FILES).allows_at(ids, "bot", urls)
    assert [(row.n, row.allowed, row.by_id) for row in found] == list(zip(numbers, allowed, allowed, strict=True))
