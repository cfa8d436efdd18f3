"""Build the adapters, each language with its own package manager, from its lock file."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

from conformance.scoreboard.catalogue import ADAPTERS, Adapter


class BuildError(Exception):
    """Raised when the adapters of a language cannot be built. The message says why."""


def build_for(adapter: Adapter, root: Path) -> None:
    """Build what `adapter` needs below `root`. An adapter of the running interpreter needs nothing.

    An older version of a library is built after the newest one, in a folder of its own: see `OLDER_BUILDERS`.
    """
    if adapter.build is None:
        return
    source, target = ADAPTERS / adapter.build, root / adapter.build
    _build_once(source, target, "built", lambda: BUILDERS[adapter.build or ""](source, target))
    if adapter.is_older:
        folder, build = adapter.folder(root), OLDER_BUILDERS[adapter.build.partition("-")[0]]
        # A parser and its client share the folder, and may be two programs.
        stamp = f"built-{Path(adapter.program[0]).name}"
        _build_once(source, folder, stamp, lambda: build(adapter, source, folder))


def _build_once(source: Path, target: Path, name: str, build: Callable[[], None]) -> None:
    """Build `target`, unless the stamp `name` in it is that of the same sources."""
    stamp, digest = target / name, _digest(source)
    if target.name not in UNSTAMPED and stamp.exists() and stamp.read_text() == digest:
        return
    target.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    build()
    stamp.write_text(digest)


def _build_python(source: Path, target: Path) -> None:
    _run([sys.executable, "-m", "venv", str(target / "venv")])
    _run(
        [str(target / "venv/bin/python"), "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps"]
        + ["--requirement", str(source / "requirements.txt")]
    )


def _build_rust(source: Path, target: Path) -> None:
    manifest = str(source / "Cargo.toml")
    _run(
        ["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path", manifest, "--target-dir", str(target)]
    )


def _build_go(source: Path, target: Path) -> None:
    _run(["go", "build", "-C", str(source), "-mod=readonly", "-o", f"{target}{os.sep}", "./..."])


def _build_java(source: Path, target: Path) -> None:
    maven = ["mvn", "--quiet", "--batch-mode", "-Dstyle.color=never", f"--file={source / 'pom.xml'}"]
    options = [f"-Dbuild.folder={target}", f"-DoutputDirectory={target / 'lib'}"]
    _run([*maven, *options, "compile", "dependency:copy-dependencies"])


def _build_javascript(source: Path, target: Path) -> None:
    # Node.js looks for packages next to the script.
    shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
    _run(["npm", "ci", "--silent", "--ignore-scripts", "--prefix", str(target)])


def _build_npm(source: Path, target: Path) -> None:
    script = ADAPTERS.parents[1] / "tools" / "build_npm_package.sh"
    if not script.exists():
        raise BuildError("the npm package of canfetch is built in a checkout only")
    _run([str(script), str(target / "node_modules" / "canfetch")], PYTHON=sys.executable)
    shutil.copytree(source, target, dirs_exist_ok=True)


def _build_crate(source: Path, target: Path) -> None:
    manifest = ADAPTERS.parents[1] / "rust" / "Cargo.toml"
    if not manifest.exists():
        raise BuildError("the crate of canfetch is built in a checkout only")
    for path in (target / "package").glob("*.crate"):
        path.unlink()
    options = ["--quiet", "--locked", "--allow-dirty", "--no-verify", "--package", "canfetch"]
    _run(["cargo", "package", *options, "--manifest-path", str(manifest), "--target-dir", str(target)])
    (archive,) = (target / "package").glob("*.crate")
    digest, stamp = hashlib.sha256(archive.read_bytes()).hexdigest(), target / "unpacked"
    if not stamp.exists() or stamp.read_text() != digest:
        shutil.rmtree(target / "library", ignore_errors=True)
        # The archive has no times by which cargo would notice a change.
        now = time.time()
        with tarfile.open(archive) as opened:
            opened.extractall(target, filter=lambda file, to: tarfile.data_filter(file.replace(mtime=now), to))  # noqa: S202 - our own archive
        (target / archive.stem).rename(target / "library")
        stamp.write_text(digest)
    shutil.copytree(source, target, dirs_exist_ok=True)
    _run(
        ["cargo", "build", "--release", "--quiet", "--manifest-path", str(target / "Cargo.toml")]
        + ["--target-dir", str(target / "target")]
    )


def _build_c(source: Path, target: Path) -> None:
    script = ADAPTERS.parents[1] / "tools" / "build_c_library.sh"
    if not script.exists():
        raise BuildError("the C library of canfetch is built in a checkout only")
    library = target / "library"
    _run([str(script), str(library)], PYTHON=sys.executable)
    # As a program that uses an installed library: with its header, its pkg-config file and the shared library. Go
    # compiles the program again when its options change, but not when these files change.
    installed = (library / "include" / "canfetch.h", library / "lib" / "pkgconfig" / "canfetch.pc")
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in installed)).hexdigest()
    environment = {
        "PKG_CONFIG_PATH": f"{library}/lib/pkgconfig",
        "CGO_CFLAGS": f"{os.environ.get('CGO_CFLAGS', '-g -O2')} -DCANFETCH_INSTALLED_{digest}",
        "CGO_LDFLAGS": f"-Wl,-rpath,{library}/lib",
    }
    command = ["go", "build", "-buildvcs=false", "-o", str(target / "canfetch"), str(source / "main.go")]
    _run(command, CGO_ENABLED="1", **environment)


BUILDERS: dict[str, Callable[[Path, Path], None]] = {
    "python": _build_python,
    "python-clients": _build_python,
    "rust": _build_rust,
    "rust-clients": _build_rust,
    "go": _build_go,
    "java": _build_java,
    "javascript": _build_javascript,
    "npm": _build_npm,
    "crate": _build_crate,
    "c": _build_c,
}


def _older_python(adapter: Adapter, _: Path, target: Path) -> None:
    # The locked packages are those that the version needs, unless it forbids them.
    locked = target.parent / "venv"
    _run([sys.executable, "-m", "venv", "--without-pip", str(target / "venv")])
    (own,), (packages,) = (list(venv.glob("lib/*/site-packages")) for venv in (target / "venv", locked))
    (own / "locked.pth").write_text(f"{packages}\n")
    pip = [str(locked / "bin/python"), "-m", "pip", "--python", str(target / "venv/bin/python"), "install", "--quiet"]
    _run([*pip, f"{adapter.package}=={adapter.version}"])


def _older_rust(adapter: Adapter, source: Path, target: Path) -> None:
    # The programs of clients use the library of the other folder.
    for folder in (ADAPTERS / "rust", source):
        shutil.copytree(folder, target / folder.name, dirs_exist_ok=True)
    manifest = target / source.name / "Cargo.toml"
    _replace(manifest, rf'^({re.escape(adapter.package)} = "=)[^"]+', adapter.version)
    binary, compiled = Path(adapter.program[0]).name, target.parent / "older"
    _run(
        ["cargo", "build", "--release", "--quiet", "--bin", binary, "--manifest-path", str(manifest)]
        # What all versions need is compiled once.
        + ["--target-dir", str(compiled)]
    )
    (target / "release").mkdir(exist_ok=True)
    shutil.copy(compiled / "release" / binary, target / "release")


def _older_go(adapter: Adapter, source: Path, target: Path) -> None:
    shutil.copytree(source, target / "source", dirs_exist_ok=True)
    package = adapter.package
    _run(["go", "mod", "edit", f"-replace={package}={package}@{adapter.version}", str(target / "source" / "go.mod")])
    binary = Path(adapter.program[0]).name
    _run(["go", "build", "-C", str(target / "source"), "-mod=mod", "-o", f"{target}{os.sep}", f"./{binary}"])


def _older_java(adapter: Adapter, source: Path, target: Path) -> None:
    shutil.copytree(source, target / "source", dirs_exist_ok=True)
    artifact = re.escape(adapter.package.partition(":")[2])
    pattern = rf"(<artifactId>{artifact}</artifactId>\s*<version>)[^<]+"
    _replace(target / "source" / "pom.xml", pattern, adapter.version)
    _build_java(target / "source", target)


def _older_javascript(adapter: Adapter, source: Path, target: Path) -> None:
    # Node.js finds the other packages in the folder above.
    for script in source.glob("*.mjs"):
        shutil.copy(script, target)
    (target / "package.json").write_text('{"private": true}')
    npm = ["npm", "install", "--silent", "--ignore-scripts", "--save-exact", "--prefix", str(target)]
    _run([*npm, f"{adapter.package}@{adapter.version}"])


# Lock files have the newest version of each library. The older ones are exact versions, with what they need.
OLDER_BUILDERS: dict[str, Callable[[Adapter, Path, Path], None]] = {
    "python": _older_python,
    "rust": _older_rust,
    "go": _older_go,
    "java": _older_java,
    "javascript": _older_javascript,
}
# Their sources are not only in their folder. The builders themselves are fast if nothing has changed.
UNSTAMPED = frozenset({"npm", "crate", "c"})


def _digest(source: Path) -> str:
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        digest.update(path.relative_to(source).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _replace(path: Path, pattern: str, version: str) -> None:
    text, count = re.subn(pattern, rf"\g<1>{version}", path.read_text("utf-8"), flags=re.MULTILINE)
    if count != 1:
        raise BuildError(f"{path.name} does not name the library once")
    path.write_text(text, encoding="utf-8")


def _run(command: list[str], **environment: str) -> None:
    if shutil.which(command[0]) is None:
        raise BuildError(f"{command[0]} is not installed")
    env = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise BuildError("\n".join([f"{' '.join(command[:3])} ... exited with code {done.returncode}", *lines[-5:]]))
