"""A site that needs no server: the page and its engine as files."""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError
from canfetch.web.site.assets import FILES, INDEX, STATIC_INDEX, Assets
from canfetch.web.site.browser_linter import folder_name

_NO_LINTER: Final = b'name="canfetch-linter" content=""'
_NO_BYTES: Final = b'name="canfetch-linter-bytes" content=""'


class StaticSiteError(CanfetchError, OSError):
    """Raised when a static site cannot be written."""


def write_static_site(folder: Path, assets: Assets, linter: Mapping[str, bytes] | None = None) -> list[str]:
    """Write the site into a folder, which must not exist or contain an earlier site.

    The site is written into a temporary folder first, so that the folder is always complete.

    Args: linter: The files of `browser_linter.linter_files`, or None for a page without the linter.
    Returns: The names of the files.
    Raises: StaticSiteError: The page or the engine is not built, or the folder cannot be written.
    """
    if not assets.is_built:
        raise StaticSiteError("the page is not built: run 'make page'")
    if not assets.has_engine:
        raise StaticSiteError("the engine for browsers is not built: run 'make engine-module page'")
    try:
        # A link to a folder stays, and the folder is replaced.
        folder = folder.resolve()
        is_other = folder.exists() and any(folder.iterdir()) and not (folder / INDEX).is_file()
    except (OSError, RuntimeError) as error:
        # RuntimeError: Python before 3.13 raises it for links that lead to each other.
        raise _write_error(folder, error) from None
    if is_other:
        raise StaticSiteError(f"{quoted(str(folder))} is not empty and not a site of canfetch: choose another folder")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            names = _write_files(temporary, assets, linter or {})
            temporary.chmod(0o755)
            _replace(temporary, folder)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise _write_error(folder, error) from None
    return names


def _write_error(folder: Path, error: OSError | RuntimeError) -> StaticSiteError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return StaticSiteError(f"cannot write {quoted(str(folder))}: {reason}")


def _write_files(folder: Path, assets: Assets, linter: Mapping[str, bytes]) -> list[str]:
    files = {name: (assets.folder / name).read_bytes() for name in assets.file_names()}
    files[INDEX] = (assets.folder / STATIC_INDEX).read_bytes()
    if linter:
        base = f"{FILES}{folder_name(linter)}/"
        files |= {base + name: content for name, content in linter.items()}
        files[INDEX] = _with_linter(files[INDEX], base, sum(map(len, linter.values())))
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return sorted(files)


def _with_linter(html: bytes, base: str, size: int) -> bytes:
    """Return the page with the address of the linter and its size, for which the build leaves room."""
    if _NO_LINTER not in html or _NO_BYTES not in html:
        raise StaticSiteError("the page was built by another version of canfetch: run 'make page'")
    html = html.replace(_NO_LINTER, _NO_LINTER[:-1] + base.encode() + b'"')
    return html.replace(_NO_BYTES, _NO_BYTES[:-1] + str(size).encode() + b'"')


def _replace(new: Path, folder: Path) -> None:
    """Move a folder to its place. An earlier folder is moved away first, and restored if that fails."""
    if not folder.exists():
        os.rename(new, folder)  # noqa: PTH104 - fails if the target was created meanwhile
        return
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.old.", dir=folder.parent))
    try:
        folder.rename(old / "site")
        try:
            new.rename(folder)
        except OSError:
            (old / "site").rename(folder)
            raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
