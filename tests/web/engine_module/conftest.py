"""The engine of the tester page: the WebAssembly module in Node.js, with the page's own code around it."""

import base64
import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from tests.missing import run_build_script, skip_unless_ci

ROOT: Final = Path(__file__).resolve().parents[3]
MODULE: Final = ROOT / "build" / "engine.wasm"
COMPILER: Final = ROOT / "build" / "engine.wasm.rustc"
ESBUILD: Final = ROOT / "page" / "node_modules" / ".bin" / "esbuild"


class AgentChain(NamedTuple):
    """An agent as the engine of the page receives it."""

    tokens: tuple[str, ...]
    star_applies: bool = True


class EngineModule:
    """A process that answers questions with the module.

    Attributes: profiles: The names of the profiles that the module reads.
    """

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.profiles: list[str] = self._read()

    def ask(
        self,
        content: bytes,
        targets: Sequence[bytes],
        agents: Sequence[AgentChain],
        *,
        profiles: Sequence[str] | None = None,
        explain: Sequence[tuple[int, int]] = (),
        url: str | None = None,
        max_bytes: int | None = None,
    ) -> dict[str, Any]:
        """Return the answers about one file, or `{"error": ...}`."""
        question = {
            "content": base64.b64encode(content).decode(),
            "url": url,
            "max_bytes": max_bytes,
            "profiles": list(self.profiles if profiles is None else profiles),
            "agents": [{"tokens": agent.tokens, "starApplies": agent.star_applies} for agent in agents],
            "targets": [base64.b64encode(target).decode() for target in targets],
            "explain": list(explain),
        }
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = self._read()
        return answer

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            pytest.fail(f"the engine module ended with exit code {self._process.wait()}")
        return json.loads(line)


def _build_module() -> None:
    """Build the module if it is older than its sources. Without a toolchain, skip the test; fail it in CI."""
    sources = [*ROOT.glob("rust/core/src/**/*.rs"), *ROOT.glob("rust/wasm/src/*.rs")]
    is_built = MODULE.exists() and COMPILER.exists()
    if is_built and MODULE.stat().st_mtime >= max(source.stat().st_mtime for source in sources):
        return
    run_build_script("build_engine_module.sh", MODULE)


def bundle(source: Path, folder: Path, *options: str) -> Path:
    """Return a script with everything that a source file imports."""
    if not ESBUILD.exists():
        if shutil.which("npm") is None:
            skip_unless_ci("the engine of the page is bundled with npm, which is not installed")
        subprocess.run(["npm", "--prefix", ROOT / "page", "ci"], capture_output=True, check=True)
    script = folder / f"{source.stem}.mjs"
    command = [
        str(ESBUILD),
        str(source),
        "--bundle",
        "--format=esm",
        "--log-level=warning",
        *options,
        f"--outfile={script}",
    ]
    subprocess.run(command, check=True)
    return script


@pytest.fixture(scope="session")
def engine_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineModule]:
    """Return the module, which is built if it is older than its sources."""
    node = shutil.which("node")
    if node is None:
        skip_unless_ci("Node.js is not installed")
    _build_module()
    source = Path(__file__).with_name("driver.ts")
    driver = bundle(source, tmp_path_factory.mktemp("driver"), "--platform=node")
    command = [str(node), str(driver), str(MODULE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield EngineModule(process)
        assert process.stdin is not None
        process.stdin.close()
