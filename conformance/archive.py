"""Build the release archive of the cases: everything in this folder and the license, as a tar.gz file.

    python -m conformance.archive FOLDER

The same files result in the same bytes, whatever their times, owners and modes are.
"""

import gzip
import hashlib
import io
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from conformance.cases import ROOT

# Output of package managers and interpreters.
BUILD_OUTPUT = {"__pycache__", "build", "node_modules", "target", "venv"}
# Seconds since the epoch, 1 January 2026. Some programs that unpack archives reject times before 1980.
TIME = 1_767_225_600


def version() -> str:
    """Return the version of the cases."""
    text: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return text


def build_archive(folder: Path, licence: Path, root: Path = ROOT) -> Path:
    """Write the archive and its SHA-256 checksum to `folder`. Return the path of the archive."""
    name = f"canfetch-conformance-{version()}"
    content = io.BytesIO()
    # Compressed with a time of zero and without a file name.
    with gzip.GzipFile("", "wb", 9, content, mtime=0) as stream, tarfile.open(fileobj=stream, mode="w") as archive:
        _add(archive, f"{name}/LICENSE", licence.read_bytes())
        for path in files(root):
            _add(archive, f"{name}/conformance/{path.relative_to(root).as_posix()}", path.read_bytes())
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.tar.gz"
    target.write_bytes(content.getvalue())
    digest = hashlib.sha256(content.getvalue()).hexdigest()
    target.with_name(f"{target.name}.sha256").write_text(f"{digest}  {target.name}\n", "ascii")
    return target


def files(root: Path = ROOT) -> Iterator[Path]:
    """Yield the files of the archive, sorted by path."""
    for path in sorted(root.rglob("*"), key=lambda each: each.relative_to(root).as_posix()):
        if path.is_file() and not BUILD_OUTPUT & set(path.relative_to(root).parts):
            yield path


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime, entry.mode = len(content), TIME, 0o644
    archive.addfile(entry, io.BytesIO(content))


def main(arguments: list[str] | None = None) -> int:
    """Build the archive in the folder that is the only argument. Return 2 if there is another number of arguments."""
    words = sys.argv[1:] if arguments is None else arguments
    if len(words) != 1:
        print("usage: python -m conformance.archive FOLDER", file=sys.stderr)
        return 2
    print(build_archive(Path(words[0]), ROOT.parent / "LICENSE"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
