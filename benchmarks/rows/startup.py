"""What importing costs, and the command line: processes started in turns with an empty interpreter."""

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
from benchmarks.table import duration

SECTION = "Start-up, more than an empty interpreter"
PAIRS = 15
FIRST_PARSE = "import canfetch; canfetch.parse(b'User-agent: *\\nDisallow: /a').allows('/a', agent='x')"


def _now() -> int:
    if timing.by_processor() and sys.platform != "win32":
        import resource

        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return int((children.ru_utime + children.ru_stime) * 1e9)
    return time.perf_counter_ns()


def _started(command: list[str], environment: dict[str, str]) -> float:
    began = _now()
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    took = _now() - began
    if done.returncode and done.stderr:  # `canfetch check` says by 1, and in silence, that a URL is not allowed
        raise RuntimeError(f"{command[-1][:60]}: {done.stderr.decode(errors='replace').strip()[-200:]}")
    return took


def more_than_empty(commands: dict[str, list[str]], pairs: int, environment: dict[str, str]) -> dict[str, list[float]]:
    """Start each command and an empty interpreter in turns; give the differences in nanoseconds, sorted.

    A command that fails is left out: it has no row, and the reason is on standard error.
    """
    empty = [sys.executable, "-c", "pass"]
    found: dict[str, list[float]] = {}
    for name, command in commands.items():
        try:
            _started(command, environment)
        except RuntimeError as error:
            print(f"  {name}: {error}", file=sys.stderr)
        else:
            found[name] = []
    _started(empty, environment)
    for _ in range(pairs):
        for name, differences in found.items():
            took = _started(commands[name], environment)
            differences.append(took - _started(empty, environment))
    return {name: sorted(differences) for name, differences in found.items()}


def _imports(bench: Bench) -> dict[str, list[str]]:
    modules = {"import canfetch": "import canfetch", "first answer": FIRST_PARSE}
    modules |= {key: f"import {chosen.module}" for key, chosen in bench.peers.items()}
    return {name: [sys.executable, "-c", code] for name, code in modules.items()}


def _check(folder: Path) -> list[str]:
    """`canfetch check` on a local file, as it is typed: by the installed command where there is one."""
    robots = folder / "robots.txt"
    robots.write_bytes(inputs.generate(inputs.SIZES["5 KB"]).octets)
    command = Path(sysconfig.get_path("scripts")) / ("canfetch.exe" if os.name == "nt" else "canfetch")
    start = [str(command)] if command.exists() else [sys.executable, "-m", "canfetch"]
    return [*start, "check", inputs.ORIGIN + "/some/page", "--agent", inputs.AGENT, "--robots", str(robots)]


def startup_rows(bench: Bench) -> None:
    """Import, first answer, and `canfetch check`."""
    pairs = 1 if bench.tiny else max(5, round(PAIRS * min(1.0, bench.scale)))
    environment = child.environment()
    own_path = os.pathsep.join(filter(None, (environment.get("PYTHONPATH", ""), str(peers.site_packages()))))
    bench.say("start-up: imports")
    imports = more_than_empty(_imports(bench), pairs, {**environment, "PYTHONPATH": own_path})
    cells = {key: duration(statistics.median(imports[key])) for key in bench.peers if key in imports}
    bench.say("start-up: canfetch check")
    with tempfile.TemporaryDirectory() as folder:
        checks = more_than_empty({"check": _check(Path(folder))}, pairs, environment)
    rows: tuple[tuple[str, list[float] | None, float | None, dict[str, str]], ...] = (
        ("import canfetch", imports.get("import canfetch"), 20.0, cells),
        ("import canfetch, first file and answer", imports.get("first answer"), None, {}),
        ("canfetch check on a local file", checks.get("check"), 80.0, {}),
    )
    for what, taken, target, beside in rows:
        if taken is None:
            bench.report.notes.append(f"{what}: failed, see standard error")
            continue
        middle = statistics.median(taken)
        limit = (target * 1e6, f"{target:g} ms") if target else None
        engine = next(iter(bench.engines), "")
        bench.figure(SECTION, what, engine, text=duration(middle), value=middle, at_most=limit, peers=beside)
