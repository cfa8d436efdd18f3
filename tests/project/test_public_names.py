"""Public names are typed, exported, documented and imported lazily."""

import ast
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import canfetch
from canfetch import errors, logs
from canfetch.bulk import reading, studies

# Plain values, described in docs/api.md; every other name has a docstring of its own.
WITHOUT_DOCSTRING = {"POLICIES", "PROFILES", "engine"}
# The modules that list their own public names.
PUBLIC_MODULES = [
    canfetch.agents,
    canfetch.author,
    canfetch.bulk,
    reading,
    studies,
    canfetch.compare,
    canfetch.expectations,
    canfetch.extensions,
    canfetch.lint,
    logs,
    canfetch.pages,
]


def names_in_the_stub() -> dict[str, str]:
    """Return each name that the stub imports, with its module."""
    stub = Path(canfetch.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    imports = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom)]
    return {name.name: str(node.module) for node in imports for name in node.names}


def test_static_analysis_sees_every_public_name() -> None:
    assert names_in_the_stub().keys() | {"engine"} == set(canfetch.__all__)
    assert set(canfetch.__all__) <= set(dir(canfetch))


def test_every_exception_is_listed_in_the_hierarchy() -> None:
    for name, value in vars(errors).items():
        if inspect.isclass(value):
            assert issubclass(value, errors.CanfetchError)
            assert name in str(errors.__doc__)


@pytest.mark.parametrize("name", canfetch.__all__)
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    value = getattr(canfetch, name)
    if name not in WITHOUT_DOCSTRING:
        assert inspect.getdoc(value)


@pytest.mark.parametrize("module", PUBLIC_MODULES, ids=lambda module: str(module.__name__))
def test_public_modules_export_what_they_list(module: ModuleType) -> None:
    assert module.__all__ == sorted(module.__all__, key=_isort_key)
    for name in module.__all__:
        assert getattr(module, name) is not None


@pytest.mark.parametrize("module", [canfetch, *PUBLIC_MODULES], ids=lambda module: str(module.__name__))
def test_the_reference_lists_every_public_name(module: ModuleType) -> None:
    text = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    whole_modules = set(re.findall(r"automodule:: ([\w.]+)", text))
    words = set(re.findall(r"\w+", text))
    listed = words.union(*(sys.modules[name].__dict__ for name in whole_modules))
    assert sorted(set(module.__all__) - listed) == []


def _isort_key(name: str) -> tuple[int, str]:
    """Order names as ruff does: constants, classes, functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def test_star_import_gives_the_public_names() -> None:
    namespace: dict[str, Any] = {}
    exec("from canfetch import *", namespace)  # noqa: S102
    assert set(canfetch.__all__) == set(namespace) - {"__builtins__"}


def test_unknown_name_raises_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'canfetch' has no attribute 'prase'"):
        canfetch.prase  # type: ignore[attr-defined]  # noqa: B018


def public_members() -> list[Callable[..., Any]]:
    """Return every public function, method and property."""
    values = [getattr(canfetch, name) for name in canfetch.__all__ if name not in WITHOUT_DOCSTRING]
    values += [getattr(module, name) for module in PUBLIC_MODULES for name in module.__all__]
    members: list[Callable[..., Any]] = [value for value in values if inspect.isfunction(value)]
    for value in filter(inspect.isclass, values):
        for name, member in vars(value).items():
            plain = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if inspect.isfunction(plain) and not name.startswith("_") and plain.__module__.startswith("canfetch."):
                members.append(plain)
    return members


@pytest.mark.parametrize("member", public_members(), ids=lambda member: member.__qualname__)
def test_every_public_member_is_typed_and_documented(member: Callable[..., Any]) -> None:
    assert inspect.getdoc(member)
    signature = inspect.signature(member)
    assert signature.return_annotation is not inspect.Signature.empty
    given = [parameter for parameter in signature.parameters.values() if parameter.name not in {"self", "cls"}]
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in given)


def modules_imported_by(statement: str) -> set[str]:
    """Return the modules that a statement imports in a new interpreter."""
    code = f"import json, sys; before = set(sys.modules); {statement}; print(json.dumps([*set(sys.modules) - before]))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_import_canfetch_imports_nothing_else() -> None:
    # Not even `typing`, which takes longer to import than this package.
    modules = modules_imported_by("import canfetch")
    # Some interpreters import these at start.
    start = {"importlib", "importlib._bootstrap", "importlib._bootstrap_external", "_warnings", "warnings"}
    assert modules - start == {"canfetch"}


@pytest.mark.slow
def test_first_decision_imports_only_the_core() -> None:
    statement = "import canfetch; canfetch.parse(b'User-agent: *').decide('https://example.com/', agent='a').to_json()"
    modules = modules_imported_by(statement)
    slow = {
        "asyncio",
        "click",
        "dataclasses",
        "h11",
        "http",
        "idna",
        "inspect",
        "ipaddress",
        "json",
        "logging",
        "pathlib",
    }
    assert modules & {*slow, "random", "rich", "socket", "ssl", "subprocess", "tomllib", "urllib"} == set()
    packages = {module.split(".")[1] for module in modules if module.startswith("canfetch.")}
    assert packages <= {"core", "errors", "_native"}


@pytest.mark.slow
def test_idna_is_imported_for_non_ascii_hosts() -> None:
    # Importing its tables takes longer than parsing a file.
    assert "idna" not in modules_imported_by("import canfetch; canfetch.Origin.from_url('https://xn--mller-kva.eu/')")
    assert "idna" in modules_imported_by("import canfetch; canfetch.Origin.from_url('https://m\\u00fcller.eu/')")
