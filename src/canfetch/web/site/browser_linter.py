"""The files with which the tester page runs the linter in the browser: Pyodide, canfetch and idna.

The page loads them from its own site. Pyodide comes from its npm package, which a checkout has in `page/node_modules`.
"""

import gzip
import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, Final

import idna

import canfetch
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError

PYODIDE_VERSION: Final = "314.0.7"
_LIBRARY: Final = Path(canfetch.__file__).resolve().parent
_CHECKOUT: Final = _LIBRARY.parent.parent / "page" / "node_modules"
_PACKAGES: Final = ("access", "agents", "answers", "author", "compare", "consent", "core", "lint", "pages")
_MODULES: Final = (
    "__init__.py",
    "errors.py",
    "repository.py",
    *("client/__init__.py", "client/documents.py", "client/options.py", "client/origin_state.py"),
    *("client/forking.py", "client/request_headers.py", "client/site_files.py", "client/use.py"),
    *("web/__init__.py", "web/site/__init__.py", "web/site/browser_answers.py"),
)
_SCRIPTS: Final = ("pyodide.mjs", "pyodide.asm.mjs", "python_stdlib.zip")
_WASM: Final = "pyodide.asm.wasm"
_LOCK: Final = "pyodide-lock.json"
# Higher levels save a hundredth, and take three times as long.
_GZIP_LEVEL: Final = 6
# The time of all entries of the archive, so that its hash depends only on its contents.
_TIME: Final = (1980, 1, 1, 0, 0, 0)


class LinterError(CanfetchError, OSError):
    """Raised when the files of the linter cannot be read."""


def find_pyodide(folders: Sequence[Path] | None = None) -> Path:
    """Return the folder of Pyodide's npm package.

    Args: folders: Where to look: by default the checkout, and `node_modules` in the current folder.
    Raises: LinterError: It is not there, or has another version.
    """
    folders = (_CHECKOUT, Path("node_modules")) if folders is None else folders
    for folder in folders:
        package = folder / "pyodide"
        if (package / _WASM).is_file() and _package(package).get("version") == PYODIDE_VERSION:
            return package
    raise LinterError(
        f"the linter for browsers needs Pyodide {PYODIDE_VERSION}: run 'npm install pyodide@{PYODIDE_VERSION}' in the "
        "current folder, or 'make page' in a checkout"
    )


def linter_files(pyodide: Path) -> dict[str, bytes]:
    """Return the files by name.

    Args: pyodide: The folder of Pyodide's npm package.
    Raises: LinterError.
    """
    try:
        files = {name: (pyodide / name).read_bytes() for name in _SCRIPTS}
        # Many hosts do not compress it. The page does not depend on that.
        files[f"{_WASM}.gz"] = gzip.compress((pyodide / _WASM).read_bytes(), _GZIP_LEVEL, mtime=0)
        # Without the packages, which are not part of the site.
        lock = json.loads((pyodide / _LOCK).read_bytes())
        files[_LOCK] = json.dumps({**lock, "packages": {}}).encode()
        files["canfetch.zip"] = _archive()
        files["licenses.txt"] = _licenses(_package(pyodide)).encode()
    except (OSError, ValueError) as error:
        raise LinterError(f"cannot read the files of Pyodide in {quoted(str(pyodide))}: {error}") from None
    return files


def folder_name(files: Mapping[str, bytes]) -> str:
    """Return the name of the folder of the files, which contains their hash."""
    digest = sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return f"linter-{digest.hexdigest()[:8]}"


def _package(folder: Path) -> dict[str, Any]:
    try:
        package: dict[str, Any] = json.loads((folder / "package.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return package


def _archive() -> bytes:
    """Return canfetch and idna as an archive that Python imports from."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, path in _sources():
            entry = zipfile.ZipInfo(name, _TIME)
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED, 9)
    return out.getvalue()


def _sources() -> Iterator[tuple[str, Path]]:
    for module in _MODULES:
        yield f"canfetch/{module}", _LIBRARY / module
    for package in _PACKAGES:
        for path in sorted((_LIBRARY / package).rglob("*")):
            if path.suffix in {".py", ".toml", ".json"}:
                yield f"canfetch/{path.relative_to(_LIBRARY).as_posix()}", path
    for path in sorted(Path(idna.__file__).parent.glob("*.py")):
        yield f"idna/{path.name}", path


def _licenses(package: dict[str, Any]) -> str:
    """Return the licenses of what the folder contains, and where its sources are."""
    source = package.get("repository", {}).get("url", "").removeprefix("git+").removesuffix(".git")
    lines = [
        "This folder contains canfetch (Apache-2.0, the license of the page) and:",
        "",
        f"Pyodide {PYODIDE_VERSION}, license {package.get('license')}, with CPython, license PSF-2.0.",
        f"The source of both, and of the other parts of the WebAssembly module: {source}, version {PYODIDE_VERSION}",
        "",
        f"idna {idna.__version__}, license BSD-3-Clause:",
        "",
    ]
    own = distribution("idna")
    texts = [own.read_text(str(path.name)) or path.read_text() for path in own.files or () if "LICEN" in path.name]
    return "\n".join([*lines, *texts])
