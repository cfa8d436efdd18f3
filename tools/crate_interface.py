"""Write the public interface of the crate to rust/core/public-interface.txt, or check that the file is up to date.

usage: python tools/crate_interface.py [--check] [--target-dir FOLDER]

The interface is read from the pages that `cargo doc` writes, because the JSON of rustdoc needs a nightly toolchain. The
file has a line for each item, variant, method and implemented trait. A warning of rustdoc is an error.

Exit codes: 0 the file is up to date or written; 1 `--check` found a difference; 2 the documentation could not be built.
"""

from __future__ import annotations

import argparse
import difflib
import html
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "rust" / "Cargo.toml"
INTERFACE = ROOT / "rust" / "core" / "public-interface.txt"
# Traits that the compiler implements and that few callers rely on. New compilers have more of them.
_UNLISTED = re.compile(r" (?:Freeze|RefUnwindSafe|StructuralPartialEq|Unpin|UnsafeUnpin|UnwindSafe) for ")
_SECTION = re.compile(r'<section id="([^"]*)" class="([^"]*)">.*?<h[34] class="code-header">(.*?)</h[34]>', re.DOTALL)
_ITEM = re.compile(r'<pre class="rust item-decl"><code>(.*?)</code></pre>', re.DOTALL)


def plain(markup: str) -> str:
    """Return the text of code in a page, on one line."""
    text = html.unescape(re.sub(r"<[^>]*>", "", markup)).split("{", 1)[0]
    # Also without the sign that some types link to a note.
    text = " ".join(text.replace("\N{CIRCLED LATIN SMALL LETTER I}", "").replace("]pub ", "] pub ").split())
    # A signature on several lines has a comma after its last argument.
    return text.replace("( ", "(").replace(", )", ")").replace(" )", ")")


def page_lines(page: str) -> list[str]:
    """Return the interface that one page describes."""
    # Blanket implementations are those of the standard library.
    page = page.partition('id="blanket-implementations"')[0]
    item = _ITEM.search(page)
    lines = [plain(item[1])] if item else []
    members: list[str] = []
    traits: list[str] = []
    for _, kind, code in _SECTION.findall(page):
        signature = plain(code)
        if kind in {"variant", "method", "associatedconstant"}:
            members.append(f"    {signature}")
        elif kind == "impl" and " for " in signature:
            if not _UNLISTED.search(signature):
                traits.append(f"    {signature}")
        elif kind == "associatedtype trait-impl":
            traits.append(f"        {signature}")
    return lines + members + traits


def interface(target: Path) -> str:
    """Build the documentation into `target`, and return the interface of the crate.

    Raises: SystemExit: the documentation cannot be built.
    """
    done = subprocess.run(
        ["cargo", "doc", "--quiet", "--locked", "--no-deps", "--package", "canfetch"]
        + ["--manifest-path", str(MANIFEST), "--target-dir", str(target)],
        env={**os.environ, "RUSTDOCFLAGS": "-D warnings"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        raise SystemExit(2)
    folder = target / "doc" / "canfetch"
    # Pages of items that no longer exist remain in the folder.
    names = re.findall(r'href="([a-z]+\.\w+\.html)"', (folder / "all.html").read_text(encoding="utf-8"))
    pages = [(folder / name).read_text(encoding="utf-8") for name in sorted(set(names))]
    return "\n\n".join("\n".join(page_lines(page)) for page in pages) + "\n"


def main() -> int:
    """Write or check the file."""
    parser = argparse.ArgumentParser(description="Write or check the public interface of the crate.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the file is out of date")
    default = os.environ.get("CARGO_TARGET_DIR") or ROOT / "rust" / "target"
    parser.add_argument("--target-dir", type=Path, default=Path(default), help="the folder for the output of cargo")
    arguments = parser.parse_args()
    found = interface(arguments.target_dir)
    listed = INTERFACE.read_text(encoding="utf-8") if INTERFACE.exists() else ""
    if found == listed:
        return 0
    name = INTERFACE.relative_to(ROOT).as_posix()
    if not arguments.check:
        INTERFACE.write_text(found, encoding="utf-8")
        print(f"{name} written")
        return 0
    differences = difflib.unified_diff(listed.splitlines(), found.splitlines(), name, "cargo doc", lineterm="")
    print("\n".join(differences))
    print(f"{name} is out of date: run python tools/crate_interface.py, and describe the change in CHANGELOG.md")
    return 1


if __name__ == "__main__":
    sys.exit(main())
