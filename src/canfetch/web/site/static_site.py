"""A site that needs no server: the page and its engine as files."""

import os
import shutil
import tempfile
from pathlib import Path

from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError
from canfetch.web.site.assets import INDEX, STATIC_INDEX, Assets


class StaticSiteError(CanfetchError, OSError):
    """Raised when a static site cannot be written."""


def write_static_site(folder: Path, assets: Assets) -> list[str]:
    """Write the site into a folder, which must not exist or contain an earlier site.

    The site is written into a temporary folder first, so that the folder is always complete.

    Returns: The names of the files.
    Raises: StaticSiteError: The page or the engine is not built, or the folder cannot be written.
    """
    if not assets.is_built:
        raise StaticSiteError("the page is not built: run 'make page'")
    if not assets.has_engine:
        raise StaticSiteError("the engine for browsers is not built: run 'make engine-module page'")
    folder = folder.absolute()
    try:
        is_other = folder.exists() and any(folder.iterdir()) and not (folder / INDEX).is_file()
    except OSError as error:
        raise _write_error(folder, error) from None
    if is_other:
        raise StaticSiteError(f"{quoted(str(folder))} is not empty and not a site of canfetch: choose another folder")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            names = _write_files(temporary, assets)
            temporary.chmod(0o755)
            _replace(temporary, folder)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    except OSError as error:
        raise _write_error(folder, error) from None
    return names


def _write_error(folder: Path, error: OSError) -> StaticSiteError:
    return StaticSiteError(f"cannot write {quoted(str(folder))}: {error.strerror or error}")


def _write_files(folder: Path, assets: Assets) -> list[str]:
    files = {name: (assets.folder / name).read_bytes() for name in assets.file_names()}
    files[INDEX] = (assets.folder / STATIC_INDEX).read_bytes()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return sorted(files)


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
