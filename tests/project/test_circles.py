"""No modules import each other in a circle: in Python, Rust and TypeScript.

Every import counts, also in functions, under TYPE_CHECKING, and of types alone. A circle is shown as a chain in which
each module imports the next one, with the place of the import:

    canfetch.a -> canfetch.b (src/canfetch/a.py:3)
    canfetch.b -> canfetch.a (src/canfetch/b.py:7)

To break a circle, move what both modules need to a module below them, or merge the modules. `KNOWN_CIRCLES` lists
imports that are being removed. An entry that is no longer part of a circle has to be deleted.
"""

import ast
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

Imports = dict[str, dict[str, str]]
"""For each module, the modules that it imports, each with the place of the import."""

KNOWN_CIRCLES: dict[str, set[tuple[str, str]]] = {
    "python": set(),
    "rust": set(),
    "typescript": set(),
}
"""Imports that are part of a circle and are about to be removed, as (importer, imported)."""


def python_imports(source: Path) -> Imports:
    """Return the imports between the modules of a package in `source`."""
    files = {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in source.rglob("*.py")
    }
    imports: Imports = {name: {} for name in files}
    for name, path in files.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_bytes())):
            for imported in _imported_modules(node, package, files):
                if imported != name:
                    imports[name].setdefault(imported, f"{path.relative_to(source.parent)}:{node.lineno}")  # type: ignore[attr-defined]  # imports are statements
    return imports


def _imported_modules(node: ast.AST, package: str, files: dict[str, Path]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in files)
    elif isinstance(node, ast.ImportFrom):
        parents = package.split(".")
        base = ".".join([*parents[: len(parents) - node.level + 1], *([node.module] if node.module else [])])
        module = base if node.level else node.module or ""
        for alias in node.names:
            member = f"{module}.{alias.name}"
            if member in files or module in files:
                yield member if member in files else module


def rust_imports(source: Path) -> Imports:
    """Return the uses between the modules of a crate: paths that start with `crate`, `super` or `self`.

    A module that uses its own children by their names does not count, and neither do tests within a module.
    """
    files = {}
    for path in source.rglob("*.rs"):
        parts = ["crate", *path.relative_to(source).with_suffix("").parts]
        files["::".join(parts[:-1] if parts[-1] in {"mod", "lib"} else parts)] = path
    imports: Imports = {name: {} for name in files}
    for name, path in files.items():
        code = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8")).partition("#[cfg(test)]\nmod tests {")[0]
        for match in re.finditer(r"\b(?:crate|super|self)(?:::(?:\w+|\*|\{[^;]*?\}(?=;)))+", code):
            for used in _expand(match[0]):
                imported = _rust_module(used.split("::"), name, files)
                if imported != name:
                    line = code.count("\n", 0, match.start()) + 1
                    imports[name].setdefault(imported, f"{path.relative_to(source.parents[1])}:{line}")
    return imports


def _expand(path: str) -> Iterator[str]:
    # a::{b, c::{d, e}} -> a::b, a::c::d, a::c::e
    head, brace, rest = path.partition("{")
    if not brace:
        yield path
        return
    depth, start = 0, 0
    body = rest[: rest.rindex("}")]
    for index, character in enumerate(body + ","):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            if part := "".join(body[start:index].split()):
                yield from _expand(head + part)
            start = index + 1


def _rust_module(path: list[str], name: str, files: dict[str, Path]) -> str:
    parts = ["crate"] if path[0] == "crate" else name.split("::")
    for part in path[path[0] in {"crate", "self"} :]:
        if part == "super":
            parts = parts[:-1] or ["crate"]
        elif "::".join([*parts, part]) in files:
            parts.append(part)
        else:
            break
    return "::".join(parts)


def typescript_imports(source: Path) -> Imports:
    """Return the relative imports between the files in a folder, also those of types."""
    files = {path.resolve(): str(path.relative_to(source)) for path in source.rglob("*.ts")}
    imports: Imports = {name: {} for name in files.values()}
    for path, name in files.items():
        code = path.read_text(encoding="utf-8")
        for match in re.finditer(r"""(?:from|import)\s*\(?\s*["'](\.[^"']+)["']""", code):
            target = (path.parent / match[1]).resolve()
            for file in (target, target.with_suffix(".ts"), target.with_name(target.name + ".ts"), target / "index.ts"):
                if file in files:
                    line = code.count("\n", 0, match.start()) + 1
                    imports[name].setdefault(files[file], f"{path.relative_to(source.parent)}:{line}")
                    break
    return imports


def find_circles(imports: Imports) -> list[list[str]]:
    """Return a shortest circle through each module that is not part of another one. It ends with its first module."""
    circles: list[list[str]] = []
    for start in sorted(imports):
        if any(start in circle for circle in circles):
            continue
        origins = {start: ""}
        waiting = [start]
        for module in waiting:
            if start in imports[module]:
                chain = [start, module]
                while chain[-1] != start:
                    chain.append(origins[chain[-1]])
                circles.append(chain[::-1])
                break
            for imported in sorted(imports[module]):
                if imported not in origins:
                    origins[imported] = module
                    waiting.append(imported)
    return circles


def show(circle: list[str], imports: Imports) -> str:
    """Return a circle as text: a line for each import."""
    return "\n".join(f"    {one} -> {other} ({imports[one][other]})" for one, other in pairwise(circle))


LANGUAGES: dict[str, Callable[[], list[Imports]]] = {
    "python": lambda: [python_imports(ROOT / "src")],
    "rust": lambda: [rust_imports(ROOT / "rust" / crate / "src") for crate in ("c", "core", "python", "wasm")],
    "typescript": lambda: [typescript_imports(ROOT / folder / "src") for folder in ("page", "npm")],
}


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_modules_import_each_other_in_a_circle(language: str) -> None:
    known = KNOWN_CIRCLES[language]
    unused = set(known)
    for imports in LANGUAGES[language]():
        assert sum(map(len, imports.values())) > len(imports) / 2
        others = {
            name: {to: place for to, place in own.items() if (name, to) not in known} for name, own in imports.items()
        }
        circles = find_circles(others)
        assert not circles, "imports in a circle:\n" + "\n\n".join(show(circle, others) for circle in circles)
        unused -= {one for one in known if one[0] in imports and _reaches(imports, one[1], one[0])}
    assert not unused, f"no longer part of a circle: delete these entries of KNOWN_CIRCLES: {sorted(unused)}"


def _reaches(imports: Imports, start: str, end: str) -> bool:
    if start not in imports or start not in imports[end]:
        return False
    reached = {start}
    waiting = [start]
    for module in waiting:
        waiting += [new for new in imports[module] if new not in reached]
        reached.update(imports[module])
    return end in reached


def test_circles_are_found_and_shown(tmp_path: Path) -> None:
    folder = tmp_path / "src" / "box"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("from box.a import x\n")
    (folder / "a.py").write_text("def f():\n    from box import b\n")
    (folder / "b.py").write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .c import x\n")
    (folder / "c.py").write_text("import box.a\n")
    imports = python_imports(tmp_path / "src")
    assert find_circles(imports) == [["box.a", "box.b", "box.c", "box.a"]]
    assert show(["box.a", "box.b"], imports) == "    box.a -> box.b (src/box/a.py:2)"


def test_circles_of_rust_modules_are_found(tmp_path: Path) -> None:
    source = tmp_path / "rust" / "core" / "src"
    (source / "b").mkdir(parents=True)
    (source / "lib.rs").write_text("mod a;\nmod b;\npub use a::X;\n")
    (source / "a.rs").write_text("use crate::{b::{self, c::Y}};\n")
    (source / "b" / "mod.rs").write_text("mod c;\n// use crate::a;\n#[cfg(test)]\nmod tests {\nuse crate::a;\n}\n")
    (source / "b" / "c.rs").write_text("fn f() { super::super::a::g() }\n")
    imports = rust_imports(source)
    assert imports["crate::a"] == {"crate::b": "core/src/a.rs:1", "crate::b::c": "core/src/a.rs:1"}
    assert find_circles(imports) == [["crate::a", "crate::b::c", "crate::a"]]


@pytest.mark.slow
def test_circles_of_typescript_files_are_found(tmp_path: Path) -> None:
    source = tmp_path / "page" / "src"
    source.mkdir(parents=True)
    (source / "a.ts").write_text('import type { X } from "./b";\n')
    (source / "b.ts").write_text('import { x } from "./c.js";\n')
    (source / "c.ts").write_text('export { X } from "./a.ts";\n')
    assert find_circles(typescript_imports(source)) == [["a.ts", "b.ts", "c.ts", "a.ts"]]
