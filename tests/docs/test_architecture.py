"""The map of the code names only what exists."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs/architecture.md", *sorted((ROOT / "docs/decisions").glob("*.md"))]
_CODE = re.compile(r"`([\w./-]+/[\w./-]*)`")
# Paths are relative to the checkout, or to the package.
_BASES = (ROOT, ROOT / "src/canfetch")
# Built by `make`.
_BUILT = {"docs/_build", "dist/", "page/src/api-types.ts"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_path_exists(page: Path) -> None:
    paths = set(_CODE.findall(page.read_text("utf-8"))) - _BUILT
    missing = [path for path in sorted(paths) if not any((base / path).exists() for base in _BASES)]
    assert not missing, f"{page.name} names files that do not exist: {missing}"


def test_the_picture_has_the_layers_of_the_import_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    expected = [set(re.findall(r"\w+", layer)) for layer in layers]
    picture = (ROOT / "docs/architecture.md").read_text("utf-8").split("```text\n")[1].split("```")[0]
    # The description of a layer starts after a wide gap.
    drawn = [set(re.split(r" {4,}", line)[0].split()) for line in picture.splitlines()]
    assert [{"__main__"}, *drawn] == expected


@pytest.mark.slow
def test_the_table_names_every_package_and_what_it_imports() -> None:
    text = (ROOT / "docs/architecture.md").read_text("utf-8").split("## Packages")[1].split("\n## ")[0]
    rows = [row.split("|") for row in text.splitlines() if row.startswith("| `")]
    allowed = {name: set(re.findall(r"`(\w+)`", row[3])) for row in rows for name in re.findall(r"`(\w+)`", row[1])}
    package = ROOT / "src/canfetch"
    names = {path.stem for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert set(allowed) == names - {"__init__", "__main__"}
    for name, targets in allowed.items():
        if name != "cli":
            assert _imports(package, name) - {name, "errors", "repository"} <= targets, f"imports of {name}"


def _imports(package: Path, name: str) -> set[str]:
    """Return the packages of canfetch that a package imports, lazily or not."""
    files = [package / f"{name}.py"] if (package / f"{name}.py").exists() else (package / name).rglob("*.py")
    imports = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("canfetch."):
                imports.add((node.module or "").split(".")[1])
            elif isinstance(node, ast.Import):
                imports |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("canfetch.")}
    return imports - {"_native"}
