"""Mark the commands that need a release in a registry, or check that the marks are up to date.

usage: python tools/generate_release_marks.py [--check]

`PUBLISHED` in src/canfetch/repository.py is the switch. While it is false, each command that fetches canfetch from a
registry has a mark: a comment at its end in a code block, and words after it elsewhere. In YAML files and notebooks the
words are after "from PyPI" in the text above the command. When it is true, no mark is left.

`REPOSITORY` of the same file is the switch of the mark that the workflows have never run, which is their second line.
"""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

from generated import ROOT, parse_check, write_or_check

WORDS = "after the first release"
COMMENT = f"  # {WORDS}"
INLINE = f" ({WORDS})"
NEVER_RUN = "# Never run: the project has no repository on GitHub yet.\n"
_TOOLS = (
    r"pip3? (?:install|download)|uv (?:add|pip install|tool install|tool run)|uvx|pipx (?:install|run)"
    r"|cargo (?:add|install)|npm (?:install|i|exec)|npx|pnpm add|yarn add|bun add|deno add"
)
# The name, and not a path, a repository or another package, such as `dist/canfetch-0.1.0.tar.gz`.
_NAME = r"(?<![\w./@:-])(?:npm:)?canfetch(?=$|[\s\"'`\[\]=<>~@,&|)])"
# A command, or a dependency that a tool fetches: in Cargo.toml, and in the configuration of pre-commit.
_COMMAND = re.compile(
    rf"\b(?:{_TOOLS})\b[^\n`]*?{_NAME}|^canfetch = (?:\"|{{ version)|additional_dependencies:.*{_NAME}", re.MULTILINE
)
# It needs no release where it is shown: pip keeps the canfetch that is installed. tests/packaging runs the command.
_IN_AN_INSTALLATION = '`pip install "canfetch[cli,http]"`'
_FENCE = re.compile(r"^ *(`{3,})")
# A mark in prose may be on two lines.
_MARK = rf"((?:\s\({WORDS.replace(' ', chr(92) + 's')}\))?)"
_CODE = re.compile(rf"(`[^`]*`){_MARK}")
_FROM = re.compile(rf"(\bfrom PyPI\b){_MARK}")


def switches() -> tuple[bool, bool]:
    """Return whether the registries have a release, and whether the project has a repository."""
    settings = runpy.run_path(str(ROOT / "src" / "canfetch" / "repository.py"))
    return settings["PUBLISHED"], settings["REPOSITORY"] is not None


def registry_command(text: str) -> str | None:
    """Return a command in `text` that fetches canfetch from a registry, or None."""
    for command in _COMMAND.finditer(text):
        start = text.rfind("\n", 0, command.start()) + 1
        line = text[start:].split("\n", 1)[0]
        if not any(word in line for word in ("--no-index", "--path", " @ git+")):
            return command[0]
    return None


def pages() -> list[Path]:
    """Return the files with commands for users. The changelog is a record, and has no marks."""
    found = [path for path in ROOT.glob("*.md") if path.name != "CHANGELOG.md"]
    for folder in ("audit", "benchmarks", "conformance", "diff", "examples", "npm", "rust/core", "simulation"):
        found += (path for kind in ("md", "yaml", "yml", "ipynb") for path in (ROOT / folder).rglob(f"*.{kind}"))
    found += (path for path in (ROOT / "docs").rglob("*.md") if path.parent.name not in {"checks", "scoreboard"})
    return sorted(path for path in found if "node_modules" not in path.parts and "_build" not in path.parts)


def marked(text: str, *, published: bool) -> str:
    """Return a page in Markdown with the marks that the switch requires."""

    def inline(match: re.Match[str]) -> str:
        needs_registry = match[1] != _IN_AN_INSTALLATION and registry_command(match[1].replace("\n", " "))
        return match[1] + (match[2] or INLINE if needs_registry and not published else "")

    parts: list[str] = []
    prose: list[str] = []
    fence = ""

    def end_prose() -> None:
        parts.append(_CODE.sub(inline, "".join(prose)))
        prose.clear()

    for line in text.splitlines(keepends=True):
        opening = _FENCE.match(line)
        if opening and not fence:
            end_prose()
            fence = opening[1]
            parts.append(line)
        elif fence:
            fence = "" if opening and opening[1] == fence else fence
            command = line.rstrip("\n").removesuffix(COMMENT)
            parts.append(command + (COMMENT if registry_command(command) and not published else "") + "\n")
        else:
            prose.append(line)
    end_prose()
    return "".join(parts)


def marked_file(text: str, *, published: bool) -> str:
    """Return another file with the marks that the switch requires.

    Raises: ValueError: it has a command that needs a registry, and no text that names the registry.
    """
    if registry_command(text) and not _FROM.search(text):
        raise ValueError('a command needs a registry, and the text above it does not say "from PyPI"')
    return _FROM.sub(lambda match: match[1] + ("" if published else match[2] or INLINE), text)


def workflows() -> list[Path]:
    """Return the workflows."""
    return sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def marked_workflow(text: str, *, has_repository: bool) -> str:
    """Return a workflow with the mark, unless the project has a repository."""
    first, rest = text.replace(NEVER_RUN, "").split("\n", 1)
    return f"{first}\n{'' if has_repository else NEVER_RUN}{rest}"


def main() -> int:
    """Write or check the marks, and return the exit code."""
    check = parse_check(__doc__)
    published, has_repository = switches()
    texts = {
        path: marked_workflow(path.read_text(encoding="utf-8"), has_repository=has_repository) for path in workflows()
    }
    failed = False
    for path in pages():
        try:
            mark = marked if path.suffix == ".md" else marked_file
            texts[path] = mark(path.read_text(encoding="utf-8"), published=published)
        except ValueError as error:
            print(f"{path.relative_to(ROOT).as_posix()}: {error}")
            failed = True
    return write_or_check(texts, check=check) or int(failed)


if __name__ == "__main__":
    sys.exit(main())
