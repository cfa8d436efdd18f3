"""The runner of the documentation's examples reports what differs from the page."""

from pathlib import Path

import pytest
from tests.docs.blocks import Block, blocks
from tests.docs.page_runner import PageRunner


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "page.md"


CORRECT = {
    "session": "```python\n>>> 1 + 1\n2\n```\n",
    "names-of-an-earlier-block": "```python\nx = 2\n```\n\n```python\n>>> x\n2\n```\n",
    "output": "```python\nprint(2)\n```\n\n<!-- output -->\n```text\n2\n```\n",
    "any-output": "```console\n$ echo one two three\none ... three\n```\n",
    "two-commands": "```console\n$ echo one\none\n$ echo two\ntwo\n```\n",
    "continued-command": "```console\n$ echo one \\\n    two\none two\n```\n",
    "standard-error": "```console\n$ echo one >&2\none\n```\n",
    "script": "```sh\nprintf 'text' > file\ntest -s file\n```\n",
    "condition": "```sh\nif false; then echo one; fi\nfalse || true\n```\n",
    "file": "```{code-block} toml\n:caption: b/a.toml\nx = 1\n```\n\n```console\n$ cat b/a.toml\nx = 1\n```\n",
    "setup": "<!-- setup: touch file -->\n```sh\ncat file\n```\n",
    "indented": "- item\n\n  ```python\n  >>> 1 + 1\n  2\n  ```\n",
    "not-run": "<!-- not run: it would fail -->\n```sh\nfalse\n```\n",
    "module-not-installed": "<!-- needs: no_such_module -->\n```python\nimport no_such_module\n```\n",
    "dataclass": "```python\nimport dataclasses\n@dataclasses.dataclass\nclass A:\n    x: int\nA(1)\n```\n",
}
WRONG = {
    "session": "```python\n>>> 1 + 1\n3\n```\n",
    "exception": "```python\nint('x')\n```\n",
    "output": "```python\nprint(2)\n```\n\n<!-- output -->\n```text\n3\n```\n",
    "console": "```console\n$ echo one\ntwo\n```\n",
    "silent-command": "```console\n$ echo one\n```\n",
    "no-prompt": "```console\necho one\n```\n",
    "script": "```sh\nfalse\ntrue\n```\n",
    "exit-code-1-of-python": "```sh\npython -c 'int(str())'\ntrue\n```\n",
    "unset-variable": '```sh\necho "$UNSET_VARIABLE"\n```\n',
    "toml": "```toml\nkey =\n```\n",
    "json": "```json\n{\n```\n",
    "module-installed": "<!-- needs: json -->\n```python\nint('x')\n```\n",
    "setup": "<!-- setup: cat missing -->\n```sh\ntrue\n```\n",
}


@pytest.mark.parametrize("text", CORRECT.values(), ids=list(CORRECT))
def test_correct_block(text: str, page: Path) -> None:
    page.write_text(text, encoding="utf-8")
    assert PageRunner(page).run() == []


@pytest.mark.parametrize("text", WRONG.values(), ids=list(WRONG))
def test_wrong_block_is_reported_with_its_line(text: str, page: Path) -> None:
    page.write_text(f"# Title\n\n{text}", encoding="utf-8")
    (report,) = PageRunner(page).run()
    line = max(
        number
        for number, line in enumerate(page.read_text().split("\n"), 1)
        if line.startswith("```") and line != "```"
    )
    assert report.startswith(f"{page}:{line}: ")


def test_other_blocks_run_after_a_failure(page: Path) -> None:
    page.write_text("```python\nint('x')\n```\n\n```python\nint('y')\n```\n", encoding="utf-8")
    assert len(PageRunner(page).run()) == 2


def test_page_shows_the_new_output_after_writing(page: Path) -> None:
    console = "- item\n\n  ```console\n  $ echo one\n  old\n  $ echo two three\n  two ...\n  $ echo four\n  ```\n"
    script = "```python\nprint(2)\n```\n\n<!-- output -->\n```text\n3\n4\n```\n\nEnd\n"
    page.write_text(console + script, encoding="utf-8")
    assert PageRunner(page, writes=True).run() == []
    shown = console.replace("old", "one").replace("four\n", "four\n  four\n") + script.replace("3\n4", "2")
    assert page.read_text(encoding="utf-8") == shown
    assert PageRunner(page).run() == []


def test_blocks_of_a_page(page: Path) -> None:
    page.write_text("```text\na\n```\n\n<!-- not run: reason -->\n````sh\nb\n````\n", encoding="utf-8")
    assert blocks(page) == [Block("text", "a\n", 1), Block("sh", "b\n", 6, reason="reason")]


@pytest.mark.parametrize("text", ["<!-- not-run: x -->\n```sh\n```\n", "````{note}\n```python\n```\n````\n"])
def test_unknown_comment_or_nested_block_is_an_error(text: str, page: Path) -> None:
    page.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"page\.md:\d: "):
        blocks(page)
