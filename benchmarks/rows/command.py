"""`canfetch check` over a long list of cached origins, compared with a program that uses the library."""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks import child
from benchmarks.bench import Bench
from benchmarks.inputs import AGENT
from benchmarks.rows.startup import time_above_empty
from benchmarks.table import format_duration
from benchmarks.warm import own_files, store_files

SECTION = "canfetch check, time per URL"
ORIGINS = 100
URLS = 100_000
TINY_URLS = 200
ROUNDS = 3
# A run of the command may take this many times the time of the library.
MOST_RATIO = 2.0
FORMATS = ("ndjson", "csv", "text")
# The library does the work of each format: it decides, and writes the same fields.
PROGRAM = """
import csv, json, sys
import canfetch
from canfetch.client.stores.sqlite import SQLiteStore

urls, store, agent, form = sys.argv[1:]
out = sys.stdout
table = csv.writer(out, lineterminator="\\n")
with canfetch.Client(user_agent=agent, store=SQLiteStore(store)) as client:
    for line in open(urls, encoding="utf-8"):
        url = line.strip()
        verdict = client.decide(url)
        if form == "ndjson":
            out.write(json.dumps({"url": url, "agent_name": agent, **verdict.to_json()}) + "\\n")
        elif form == "csv":
            row = verdict.to_json()
            rule, group = row["rule"] or {}, row["group"]
            table.writerow([url, agent, row["allowed"], row["reason"], *rule.values(), *group.values(), row["target"]])
        else:
            out.write(f"{verdict.allowed} {url} {agent} {verdict.explanation}\\n")
"""


def command_rows(bench: Bench) -> None:
    """Measure `canfetch check` with each format, for URLs of cached origins in any order."""
    count = TINY_URLS if bench.tiny else round(URLS * min(1.0, bench.scale * 2))
    engine = next(iter(bench.engines), "")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = own_files(ORIGINS)
        store = folder / "store.sqlite3"
        store_files(files, store)
        choose = random.Random(1)  # noqa: S311 - the same URLs in every run
        origins = list(files)
        urls = folder / "urls.txt"
        urls.write_text(
            "".join(f"{choose.choice(origins)}/page{number}\n" for number in range(count)), encoding="utf-8"
        )
        environment = {**child.environment(), "PYTHONIOENCODING": "utf-8"}
        for form in FORMATS:
            bench.log(f"command: {form}")
            commands = {
                "library": [sys.executable, "-c", PROGRAM, str(urls), str(store), AGENT, form],
                "command": [sys.executable, "-m", "canfetch", "check", "--urls-file", str(urls), "--agent", AGENT]
                + ["--exact", "--offline", "--store", str(store), "--format", form],
            }
            found = time_above_empty(commands, 1 if bench.tiny else ROUNDS, environment)
            if len(found) < len(commands):
                bench.report.notes.append(f"canfetch check, {form}: failed, see standard error")
                continue
            times = {key: statistics.median(values) / count for key, values in found.items()}
            ratio = times["command"] / times["library"]
            bench.figure(
                SECTION,
                f"{form}, {count:,} URLs of {ORIGINS} origins",
                engine,
                text=f"{format_duration(times['command'])}, {ratio:.2f}x the library",
                value=ratio,
                at_most=(MOST_RATIO, f"at most {MOST_RATIO:g}x"),
                detail={"nanoseconds": times["command"], "library_nanoseconds": times["library"]},
            )
