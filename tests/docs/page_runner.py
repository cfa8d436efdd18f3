"""Run the code blocks of one page, in order, in the current folder: python page_runner.py PAGE [--write].

Python blocks share one namespace, and shell blocks share the folder. A difference from what the page shows is printed
to standard output, and makes the exit code 1. With `--write`, the page shows the new output of commands and scripts
afterwards. This is a process of its own, because examples fork, set up event loops and change the working directory.
"""

import contextlib
import doctest
import io
import json
import re
import sys
import tomllib
import traceback
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from tests.docs.blocks import RUN, Block, blocks
from tests.docs.programs import completed

ENGINE = re.compile(r"\bengine (python|native|both)$", re.MULTILINE)
# A script stops at the first command that fails. Exit code 1 of canfetch is a result, not an error.
STRICT = """\
set -o errtrace -o nounset -o pipefail
on_error() {
    [[ $1 -eq 1 && $2 == canfetch\\ * ]] || { echo "exit code $1: $2" >&2; exit 2; }
}
trap 'on_error "$?" "$BASH_COMMAND"' ERR
"""


class Difference(Exception):
    """Raised when a block does not do what the page shows."""


class PageRunner:
    """Runs the blocks of a page.

    Args: writes: Whether the page is changed where its output differs, instead of a report.
    """

    def __init__(self, page: Path, *, writes: bool = False) -> None:
        self._page = page
        self._writes = writes
        self._changed: list[tuple[Block, str]] = []
        # Registered, so that dataclasses and pickle find the classes of the examples.
        self._module = ModuleType("page")
        sys.modules["page"] = self._module
        self._output = ""

    def run(self) -> list[str]:
        """Run all blocks, and return a report for each that failed."""
        reports = [report for block in blocks(self._page) for report in self._reports(block)]
        if self._changed:
            lines = self._page.read_text(encoding="utf-8").splitlines(keepends=True)
            for block, text in reversed(self._changed):
                indent = lines[block.line - 1].partition("`")[0]
                new = [f"{indent}{line}".rstrip() + "\n" for line in text.splitlines()]
                lines[block.line : block.line + block.text.count("\n")] = new
            self._page.write_text("".join(lines), encoding="utf-8")
        return reports

    def _reports(self, block: Block) -> Iterator[str]:
        if block.reason is not None or (block.needs is not None and find_spec(block.needs) is None):
            return
        try:
            self._run(block)
        except Difference as difference:
            yield f"{self._page}:{block.line}: {difference}"
        except Exception:  # noqa: BLE001 - reported like a difference, and the next blocks still run
            yield f"{self._page}:{block.line}: {traceback.format_exc()}"

    def _run(self, block: Block) -> None:
        if block.setup is not None:
            run_script(block.setup)
        if block.is_output:
            self._show(block, self._checked(self._output, block.text))
        elif block.file is not None:
            file = Path(block.file)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        if block.language in RUN and block.file is None:
            self._output = getattr(self, f"_run_{block.language}")(block)
        elif not block.is_output:
            parse(block)

    def _run_python(self, block: Block) -> str:
        return self._run_session(block) if ">>>" in block.text else self._run_script(block)

    def _run_session(self, block: Block) -> str:
        name = str(self._page)
        test = doctest.DocTestParser().get_doctest(block.text, {}, name, name, block.line)
        test.globs = self._module.__dict__
        report: list[str] = []
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append, clear_globs=False)
        if report:
            raise Difference("".join(report))
        return ""

    def _run_script(self, block: Block) -> str:
        # Padded, so that tracebacks have the line numbers of the page.
        code = compile("\n" * block.line + block.text, str(self._page), "exec")
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(code, self._module.__dict__)  # noqa: S102 - our own documentation
        return output.getvalue()

    def _checked(self, output: str, shown: str) -> str:
        """Return what the page shows, or the output if it is another one and the page is changed."""
        try:
            expect(output, shown)
        except Difference:
            if not self._writes:
                raise
            return ENGINE.sub("engine native", output)
        return shown

    def _show(self, block: Block, text: str) -> None:
        if text != block.text:
            self._changed.append((block, text))

    def _run_console(self, block: Block) -> str:
        output = text = ""
        if not block.text.startswith("$ "):
            raise Difference("expected the block to start with '$ '")
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, shown = split_command(part)
            done = completed(["bash", "-c", command])
            output = done.stdout + done.stderr
            try:
                text += f"$ {command}\n" + self._checked(output, shown)
            except Difference as difference:
                raise Difference(f"$ {command}\n{difference}") from None
        self._show(block, text)
        return output

    @staticmethod
    def _run_sh(block: Block) -> str:
        return run_script(block.text)


def run_script(script: str) -> str:
    """Run a script that should succeed, and return its standard output."""
    done = completed(["bash", "-c", STRICT + script])
    if done.returncode > 1:
        raise Difference(done.stdout + done.stderr)
    return done.stdout


def parse(block: Block) -> None:
    """Parse a block in a data format, or compile a Python file."""
    match block.language:
        case "toml":
            tomllib.loads(block.text)
        case "json":
            json.loads(block.text)
        case "yaml":
            import yaml  # type: ignore[import-untyped, unused-ignore]  # its types are not installed

            yaml.safe_load(block.text)
        case "python":
            compile(block.text, block.file or "example", "exec")
        case _:
            pass


def split_command(part: str) -> tuple[str, str]:
    """Split what follows a prompt into the command, which a backslash continues on the next line, and its output."""
    lines = part.splitlines(keepends=True)
    end = 1
    while lines[end - 1].endswith("\\\n"):
        end += 1
    return "".join(lines[:end]).rstrip("\n"), "".join(lines[end:])


def expect(output: str, shown: str) -> None:
    """Compare the output with what the page shows. `...` on the page stands for any text.

    The pages show the native engine, but the tests run with either engine.
    """
    output = "\n".join(line.rstrip() for line in ENGINE.sub("engine native", output).splitlines())
    shown = "\n".join(line.rstrip() for line in shown.splitlines())
    pattern = ".*?".join(re.escape(part) for part in shown.split("..."))
    if re.fullmatch(pattern, output, re.DOTALL) is None:
        raise Difference(f"the page shows:\n{shown}\nthe output is:\n{output}")


if __name__ == "__main__":
    found = PageRunner(Path(sys.argv[1]), writes="--write" in sys.argv).run()
    sys.stdout.write("\n".join(found))
    sys.exit(1 if found else 0)
