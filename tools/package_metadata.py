"""The parts of the package metadata that depend on the repository's address. Used by setup.py."""

import re
import runpy
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "canfetch"

_CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_RELATIVE_LINK = re.compile(r"\[([^\]]+)\]\((?![a-z]+:|#)([^)\s]+)\)")
# Instructions for the tests.
_COMMENT = re.compile(r"^<!-- .* -->\n", re.MULTILINE)


def project_urls(repository: str | None) -> dict[str, str]:
    """Return the project's links, as package indexes show them."""
    if repository is None:
        return {}
    return {
        "Source": repository,
        "Documentation": f"{repository}/tree/main/docs",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


def package_readme(readme: str, repository: str | None, version: str) -> str:
    """Return the README for package indexes, where relative links lead nowhere.

    Args:
        readme: The README as Markdown.
        repository: The address that relative links are resolved against. If it is None, they become plain text.
        version: The release that the links point to.
    """
    file_url = _constants("repository.py")["file_url"]

    def absolute(match: re.Match[str]) -> str:
        text, target = match.groups()
        return text if repository is None else f"[{text}]({file_url(repository, version, target)})"

    parts = _CODE.split(_COMMENT.sub("", readme))
    # The odd parts are code blocks.
    return "".join(part if index % 2 else _RELATIVE_LINK.sub(absolute, part) for index, part in enumerate(parts))


def setup_arguments() -> dict[str, Any]:
    """Return the arguments of `setup` for these fields."""
    repository = _constants("repository.py")["REPOSITORY"]
    version = _constants("__init__.py")["__version__"]
    return {
        "long_description": package_readme((ROOT / "README.md").read_text(encoding="utf-8"), repository, version),
        "long_description_content_type": "text/markdown",
        "project_urls": project_urls(repository),
    }


def _constants(file: str) -> dict[str, Any]:
    # The package itself cannot be imported while it is built.
    return runpy.run_path(str(PACKAGE / file))
