"""Compare the decisions of all libraries with canfetch's profile `google`, for the URLs of the benchmark."""

from __future__ import annotations

from benchmarks import inputs
from benchmarks.bench import CANFETCH_PREFIX, Bench
from benchmarks.contenders import Contender, canfetch_engine
from benchmarks.inputs import AGENT, RobotsFile

SECTION = "Decisions that differ from canfetch's profile google"
AGENTS = (AGENT, "Googlebot")
URLS_OF_REAL_FILE = 4


def queries(bench: Bench) -> list[tuple[str, RobotsFile, list[str]]]:
    """Return the input name, the file and the URLs of each part."""
    query_sets = []
    for size, size_bytes in inputs.SIZES.items():
        if size_bytes > (5_000 if bench.quick else 100_000):
            continue
        file = inputs.generate(size_bytes)
        query_sets.append((size if size_bytes > 50_000 else "", file, inputs.urls(file, 50 if bench.tiny else 1000)))
    files, _ = inputs.real_files()
    query_sets += [
        ("real", file, [inputs.sample_url(file, number) for number in range(URLS_OF_REAL_FILE)])
        for file in files[:: bench.file_step]
    ]
    return query_sets


def decisions(
    bench: Bench, key: str, contender: Contender, query_sets: list[tuple[str, RobotsFile, list[str]]]
) -> list[int | None]:
    """Return all decisions of a contender, with None where it raised or was too slow."""
    found: list[int | None] = []
    for source, file, urls in query_sets:
        stalled = bool(source and bench.stall_reason(key, source))
        parsed = None
        try:
            parsed = None if stalled else contender.parse_file(file)
        except Exception:  # noqa: BLE001 (counted as undecided)
            stalled = True
        for agent in AGENTS:
            check = None if stalled else contender.bind(parsed, agent)
            for url in urls:
                try:
                    found.append(None if check is None else int(check(contender.prepare_url(url))))
                except Exception:  # noqa: BLE001 (counted as undecided)
                    found.append(None)
    return found


def agreement_rows(bench: Bench) -> None:
    """Count the differences of each library."""
    if not bench.engines:
        return
    bench.log("decisions")
    query_sets = queries(bench)
    by_engine = {
        engine: decisions(bench, CANFETCH_PREFIX, canfetch_engine(engine, "google"), query_sets)
        for engine in bench.engines
    }
    first = next(iter(by_engine))
    reference = by_engine[first]

    def text(found: list[int | None]) -> tuple[int, str]:
        different = sum(one is not None and one != other for one, other in zip(found, reference, strict=True))
        undecided = sum(one is None for one in found)
        return different, f"{different:,}" + (f" ({undecided:,} undecided)" if undecided else "")

    cells = {key: text(decisions(bench, key, contender, query_sets))[1] for key, contender in bench.peers.items()}
    total = f"of {len(reference):,} decisions"
    for engine, found in by_engine.items():
        different, shown = text(found)
        bench.figure(
            SECTION,
            total,
            engine,
            text=shown,
            value=different,
            at_most=(0, "0"),
            peers=cells if engine == first else {},
        )
    for engine, contender in bench.engines.items():
        different, shown = text(decisions(bench, CANFETCH_PREFIX, contender, query_sets))
        bench.figure(SECTION, f"{total}, default profile", engine, text=shown, value=different)
