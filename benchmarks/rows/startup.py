"""Start-up time of imports and of the command line, compared with an empty interpreter."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from benchmarks import child, inputs, peers, timing
from benchmarks.bench import Bench
from benchmarks.table import format_duration

SECTION = "Start-up time, above an empty interpreter"
PAIRS = 15
FIRST_DECISION = "import canfetch; canfetch.parse(b'User-agent: *\\nDisallow: /a').allows('/a', agent='x')"


def _now() -> int:
    if timing.uses_cpu_time() and sys.platform != "win32":
        import resource

        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return int((children.ru_utime + children.ru_stime) * 1e9)
    return time.perf_counter_ns()


def _time_process(command: list[str], environment: dict[str, str]) -> float:
    start = _now()
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    elapsed = _now() - start
    if done.returncode and done.stderr:  # `canfetch check` exits with 1 if a URL is not allowed
        raise RuntimeError(f"{command[-1][:60]}: {done.stderr.decode(errors='replace').strip()[-200:]}")
    return elapsed


def time_above_empty(commands: dict[str, list[str]], pairs: int, environment: dict[str, str]) -> dict[str, list[float]]:
    """Return how much longer each command takes than an empty interpreter, in nanoseconds, sorted.

    A command that fails is omitted, with the reason on standard error.
    """
    empty = [sys.executable, "-c", "pass"]
    found: dict[str, list[float]] = {}
    for name, command in commands.items():
        try:
            _time_process(command, environment)
        except RuntimeError as error:
            print(f"  {name}: {error}", file=sys.stderr)
        else:
            found[name] = []
    _time_process(empty, environment)
    for _ in range(pairs):
        for name, differences in found.items():
            elapsed = _time_process(commands[name], environment)
            differences.append(elapsed - _time_process(empty, environment))
    return {name: sorted(differences) for name, differences in found.items()}


def _imports(bench: Bench) -> dict[str, list[str]]:
    modules = {"import canfetch": "import canfetch", "first decision": FIRST_DECISION}
    modules |= {key: f"import {contender.module}" for key, contender in bench.peers.items()}
    return {name: [sys.executable, "-c", code] for name, code in modules.items()}


def _check(folder: Path) -> list[str]:
    """Return the command `canfetch check` for a local file, by the installed script if there is one."""
    robots = folder / "robots.txt"
    robots.write_bytes(inputs.generate(inputs.SIZES["5 KB"]).content)
    command = Path(sysconfig.get_path("scripts")) / ("canfetch.exe" if os.name == "nt" else "canfetch")
    start = [str(command)] if command.exists() else [sys.executable, "-m", "canfetch"]
    return [*start, "check", inputs.ORIGIN + "/some/page", "--agent", inputs.AGENT, "--robots", str(robots)]


def startup_rows(bench: Bench) -> None:
    """Measure importing, the first decision, and `canfetch check`."""
    pairs = 1 if bench.tiny else max(5, round(PAIRS * min(1.0, bench.scale)))
    environment = child.environment()
    own_path = os.pathsep.join(filter(None, (environment.get("PYTHONPATH", ""), str(peers.site_packages()))))
    bench.log("start-up: imports")
    imports = time_above_empty(_imports(bench), pairs, {**environment, "PYTHONPATH": own_path})
    cells = {key: format_duration(statistics.median(imports[key])) for key in bench.peers if key in imports}
    bench.log("start-up: canfetch check")
    with tempfile.TemporaryDirectory() as folder:
        checks = time_above_empty({"check": _check(Path(folder))}, pairs, environment)
    rows: tuple[tuple[str, list[float] | None, float | None, dict[str, str]], ...] = (
        ("import canfetch", imports.get("import canfetch"), 20.0, cells),
        ("import canfetch, parse and decide", imports.get("first decision"), None, {}),
        ("canfetch check on a local file", checks.get("check"), 80.0, {}),
    )
    for what, differences, target, peer_cells in rows:
        if differences is None:
            bench.report.notes.append(f"{what}: failed, see standard error")
            continue
        middle = statistics.median(differences)
        limit = (target * 1e6, f"{target:g} ms") if target else None
        engine = next(iter(bench.engines), "")
        bench.figure(SECTION, what, engine, text=format_duration(middle), value=middle, at_most=limit, peers=peer_cells)
