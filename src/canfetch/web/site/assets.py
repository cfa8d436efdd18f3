"""The files of the tester page, which its build writes into `canfetch/web/assets`.

index.html     the page of a server
static.html    the page of a site without a server, which contains the policy
static/        scripts, styles, fonts, the engine and the licenses, whose names contain their hashes
"""

import gzip
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

_MAX_CODINGS: Final = 32
FOLDER: Final = Path(__file__).resolve().parent.parent / "assets"
INDEX: Final = "index.html"
STATIC_INDEX: Final = "static.html"
FILES: Final = "static/"
_HASHED_NAME: Final = re.compile(r".*-[0-9A-Za-z]{8}\.[a-z0-9]+")
_ENGINES: Final = "engine-*.wasm"
_MEDIA_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
# Files with these extensions are compressed already.
_COMPRESSED: Final = frozenset({".png", ".woff2"})
_GZIP_LEVEL: Final = 6


class Asset(NamedTuple):
    """A file of the page.

    Attributes:
        name: The path below the folder, with slashes.
        content: The bytes.
        media_type: The media type.
        etag: The entity tag.
        gzip: The content compressed with gzip, or None if that does not help.
    """

    name: str
    content: bytes
    media_type: str
    etag: str
    gzip: bytes | None

    @property
    def is_immutable(self) -> bool:
        """Whether the name contains a hash of the content."""
        return _HASHED_NAME.fullmatch(self.name) is not None

    def encoded(self, accepted: str) -> tuple[bytes, str | None]:
        """Return the smallest content that a client accepts, and its content coding or None.

        Args: accepted: The value of the Accept-Encoding header.
        """
        if self.gzip is not None and "gzip" in _accepted_codings(accepted):
            return self.gzip, "gzip"
        return self.content, None


def _accepted_codings(header: str) -> Iterator[str]:
    # Browsers send about five. The rest of a long list is not split.
    for part in header.lower().split(",", _MAX_CODINGS)[:_MAX_CODINGS]:
        coding, _, weight = part.partition(";")
        if weight.replace(" ", "").rstrip("0.") != "q=":
            yield coding.strip()


class Assets:
    """The files of the page. A file that was built again is read again.

    Args: folder: The folder that the build wrote.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder
        self._files: dict[str, tuple[int, Asset]] = {}

    @property
    def is_built(self) -> bool:
        """Whether the page is there."""
        return (self.folder / INDEX).is_file()

    @property
    def has_engine(self) -> bool:
        """Whether the engine for browsers is there."""
        return any((self.folder / FILES).glob(_ENGINES))

    @property
    def missing_part(self) -> str:
        """What a server lacks because it is not built, and how to build it. Empty if everything is there."""
        if not self.is_built:
            return (
                "the tester page is not built, so only the HTTP API is served: install npm 10 or later (Node.js 20), "
                "and run 'make serve'"
            )
        if not self.has_engine:
            return (
                "the engine for browsers is not built, so the page requests verdicts from this server: install Rust, "
                "and run 'make engine-module page'"
            )
        return ""

    def file_names(self) -> list[str]:
        """Return the names of the files that `index.html` and `static.html` share, sorted."""
        folder = self.folder / FILES
        return sorted(path.relative_to(self.folder).as_posix() for path in folder.iterdir() if path.is_file())

    def find(self, name: str) -> Asset | None:
        """Return a file that a server returns, or None.

        Args: name: The path below the folder, with slashes.
        """
        path = self.folder / name
        if not _is_served(name) or path.suffix not in _MEDIA_TYPES:
            return None
        try:
            modified = path.stat().st_mtime_ns
            cached = self._files.get(name)
            if cached is None or cached[0] != modified:
                cached = self._files[name] = modified, _read(path, name)
        except OSError:
            return None
        return cached[1]


def _is_served(name: str) -> bool:
    folder, slash, file = name.partition("/")
    if not slash:
        return name == INDEX
    return f"{folder}/" == FILES and file.isprintable() and not file.startswith(".") and set(file).isdisjoint("/\\:")


def _read(path: Path, name: str) -> Asset:
    content = path.read_bytes()
    compressed = None if path.suffix in _COMPRESSED else gzip.compress(content, _GZIP_LEVEL, mtime=0)
    if compressed is not None and len(compressed) >= len(content):
        compressed = None
    etag = f'"{sha256(content).hexdigest()[:32]}"'
    return Asset(name, content, _MEDIA_TYPES[path.suffix], etag, compressed)
