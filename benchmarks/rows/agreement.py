"""Answers beside speed: each library's to the benchmark's own questions, compared with canfetch's profile `google`."""

from __future__ import annotations

from benchmarks import inputs
from benchmarks.bench import OURS, Bench
from benchmarks.contenders import Contender, canfetch_engine
from benchmarks.inputs import AGENT, RobotsFile

SECTION = "Answers that differ from canfetch's profile google"
AGENTS = (AGENT, "Googlebot")
ASKED_OF_REAL = 4


def questions(bench: Bench) -> list[tuple[str, RobotsFile, list[str]]]:
    """Give the files with the URLs asked of each, and what a contender is tried with first."""
    asked = []
    for size, size_octets in inputs.SIZES.items():
        if size_octets > (5_000 if bench.quick else 100_000):
            continue
        file = inputs.generate(size_octets)
        asked.append((size if size_octets > 50_000 else "", file, inputs.urls(file, 50 if bench.tiny else 1000)))
    files, _ = inputs.real_files()
    asked += [
        ("real", file, [inputs.question(file, number) for number in range(ASKED_OF_REAL)])
        for file in files[:: bench.every]
    ]
    return asked


def answers(
    bench: Bench, key: str, chosen: Contender, asked: list[tuple[str, RobotsFile, list[str]]]
) -> list[int | None]:
    """Ask everything of one contender; None where it raised or was not asked."""
    found: list[int | None] = []
    for source, file, urls in asked:
        stalled = bool(source and bench.stalls(key, source))
        parsed = None
        try:
            parsed = None if stalled else chosen.parsed(file)
        except Exception:  # noqa: BLE001 (a parser that raises on a file has no answer about it)
            stalled = True
        for agent in AGENTS:
            ask = None if stalled else chosen.bind(parsed, agent)
            for url in urls:
                try:
                    found.append(None if ask is None else int(ask(chosen.question(url))))
                except Exception:  # noqa: BLE001 (the same)
                    found.append(None)
    return found


def agreement_rows(bench: Bench) -> None:
    """Count each library's disagreements."""
    if not bench.engines:
        return
    bench.say("answers")
    asked = questions(bench)
    ours = {engine: answers(bench, OURS, canfetch_engine(engine, "google"), asked) for engine in bench.engines}
    first = next(iter(ours))
    reference = ours[first]

    def text(found: list[int | None]) -> tuple[int, str]:
        wrong = sum(one is not None and one != other for one, other in zip(found, reference, strict=True))
        silent = sum(one is None for one in found)
        return wrong, f"{wrong:,}" + (f" ({silent:,} unasked)" if silent else "")

    cells = {key: text(answers(bench, key, chosen, asked))[1] for key, chosen in bench.peers.items()}
    total = f"of {len(reference):,} questions"
    for engine, found in ours.items():
        wrong, shown = text(found)
        bench.figure(
            SECTION, total, engine, text=shown, value=wrong, at_most=(0, "0"), peers=cells if engine == first else {}
        )
    for engine, chosen in bench.engines.items():
        wrong, shown = text(answers(bench, OURS, chosen, asked))
        bench.figure(SECTION, f"{total}, our default profile", engine, text=shown, value=wrong)
