"""The software of other projects that a distribution contains: its licenses, and the software bill of materials.

A wheel contains the crates that are linked into its native module, and the tester page. The build of the page lists its
packages in `parts.json` beside the page, because a wheel can be built on a machine without them. A part without the
text of its license is an error.

    licenses  *.dist-info/licenses/LICENSES-OF-PARTS, listed as License-File (PEP 639)
    bill      *.dist-info/sboms/canfetch.cdx.json, in CycloneDX (PEP 770)

Used by setup.py. As a command, it lists the parts of the engine of the page and of the npm package, or those of the C
library.
"""

import argparse
import json
import os
import re
import subprocess
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from email import message_from_string
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
ASSETS = ROOT / "src" / "canfetch" / "web" / "assets"
PAGE_PARTS = ASSETS / "parts.json"
LICENSES = "LICENSES-OF-PARTS"
SBOM = "canfetch.cdx.json"

_NATIVE_CRATE = ROOT / "rust" / "python" / "Cargo.toml"
_C_CRATE = ROOT / "rust" / "c" / "Cargo.toml"
_ENGINE_CRATE = ROOT / "rust" / "wasm" / "Cargo.toml"
_ENGINE_TARGET = "wasm32-unknown-unknown"
# Written by tools/build_engine_module.sh: the compiler that built the engine.
_ENGINE_COMPILER = ROOT / "build" / "engine.wasm.rustc"
# And the crates that it built for the engine.
_ENGINE_LIBRARIES = ROOT / "build" / "engine.wasm.crates"
# Crates of the library that only procedural macros use, which run in the compiler.
_COMPILER_CRATES = {"proc_macro", "rustc_literal_escaper"}
_NATIVE_SUFFIXES = {".so", ".pyd", ".dylib"}
_LICENCE = re.compile(r"(licen[cs]e|unlicense|copying|copyright)(?![a-z])", re.IGNORECASE)
_NOTICE = re.compile(r"(notice|acknowledgements)(?![a-z])", re.IGNORECASE)
# A package, the name of a file, and its text.
_NOTICES = re.compile(r"<h3>(.*?)</h3>|<summary><code>(.*?)</code></summary>|<pre>(.*?)</pre>", re.DOTALL)
# The name of a crate in a heading such as `cfg-if-1.0.4`.
_CRATE_HEADING = re.compile(r"<h3>\W*(.*?)-\d[^<]*</h3>")
_BLANK_LINES = re.compile(r"\n\s*\n")


class MissingLicenceError(Exception):
    """Raised when a part has no text of its license."""


class Part(NamedTuple):
    """A package of another project.

    Attributes:
        purl: The package URL, which contains the type of the package, its name and version.
        name: The name.
        version: The version.
        licence: The license, as an SPDX expression.
        notices: The texts of the licenses and notices, by the names of their files.
    """

    purl: str
    name: str
    version: str
    licence: str
    notices: dict[str, str]


def linked_crates(manifest: Path, target: str) -> list[Part]:
    """Return the crates that are linked into the library of a crate, without those that run only while it is built.

    Args:
        manifest: The Cargo.toml of the crate.
        target: The platform, such as `x86_64-unknown-linux-gnu`.
    """
    options = ["--format-version=1", "--locked", f"--filter-platform={target}", f"--manifest-path={manifest}"]
    metadata = json.loads(_output(os.environ.get("CARGO", "cargo"), "metadata", *options, folder=manifest.parent))
    packages = {package["id"]: package for package in metadata["packages"]}
    dependencies = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    found: dict[str, dict[str, Any]] = {}
    waiting = [metadata["resolve"]["root"]]
    while waiting:
        identifier = waiting.pop()
        package = packages[identifier]
        if identifier in found or any("proc-macro" in item["kind"] for item in package["targets"]):
            continue
        found[identifier] = package
        waiting += [
            dependency["pkg"]
            for dependency in dependencies[identifier]
            if any(kind["kind"] is None for kind in dependency["dep_kinds"])
        ]
    # The crates of this repository have no source.
    return [_crate(package) for package in found.values() if package["source"] is not None]


def rust_library(rustc: str, crates: Collection[str] | None = None) -> Part:
    """Return the standard library of Rust, which is linked into every library.

    Its notices are those of the toolchain. A toolchain of a distribution may lack them. The license is then Apache-2.0,
    which the library offers and this project has.

    Args:
        rustc: The compiler.
        crates: The crates of the library that were built, with underscores for hyphens. The notices of others are
            omitted.
    """
    (version,) = re.findall(r"^release: (.*)$", _output(rustc, "-vV"), re.MULTILINE)
    notices = Path(_output(rustc, "--print", "sysroot").strip(), "share", "doc", "rust", "COPYRIGHT-library.html")
    if notices.is_file():
        html = _of_crates(notices.read_text(encoding="utf-8"), crates)
        texts = {"COPYRIGHT.txt": _plain_text(_without_repeats(html))}
    else:
        texts = {"LICENSE-APACHE": (ROOT / "LICENSE").read_text(encoding="utf-8")}
    purl = f"pkg:generic/rust-standard-library@{version}"
    return Part(purl, "rust-standard-library", version, "MIT OR Apache-2.0", texts)


def engine_parts() -> list[Part]:
    """Return the parts of the page's engine, which `tools/build_engine_module.sh` built."""
    rustc = _ENGINE_COMPILER.read_text(encoding="utf-8").strip()
    # A library that was not built here is that of the toolchain, with all of its crates.
    crates = set(_ENGINE_LIBRARIES.read_text(encoding="utf-8").split()) if _ENGINE_LIBRARIES.is_file() else set()
    library = rust_library(rustc, crates - _COMPILER_CRATES if "std" in crates else None)
    return [*linked_crates(_ENGINE_CRATE, _ENGINE_TARGET), library]


def native_parts(manifest: Path = _NATIVE_CRATE) -> list[Part]:
    """Return the parts of the native module or another library, as built by the default toolchain."""
    rustc = os.environ.get("RUSTC", "rustc")
    (host,) = re.findall(r"^host: (.*)$", _output(rustc, "-vV"), re.MULTILINE)
    target = os.environ.get("CARGO_BUILD_TARGET") or host
    return [*linked_crates(manifest, target), rust_library(rustc)]


def page_parts(file: Path = PAGE_PARTS) -> list[Part]:
    """Return the parts of the tester page, as its build lists them."""
    if not file.is_file():
        raise MissingLicenceError(f"{file} does not exist: build the tester page again with 'make page'")
    return [Part(**part) for part in json.loads(file.read_text(encoding="utf-8"))]


def wheel_parts(wheel: Path) -> list[Part]:
    """Return the parts of an unpacked wheel, without duplicates, sorted."""
    package = wheel / "canfetch"
    parts: list[Part] = []
    if any(path.suffix in _NATIVE_SUFFIXES for path in package.glob("_native.*")):
        parts += native_parts()
    if (package / "web" / "assets" / "index.html").is_file():
        parts += page_parts()
    return [part for _, part in sorted({part.purl: part for part in parts}.items())]


def describe_wheel(wheel: Path, dist_info: Path) -> None:
    """Write the licenses and the bill of materials of an unpacked wheel.

    Args:
        wheel: The folder of the wheel.
        dist_info: The folder of its metadata.
    """
    parts = wheel_parts(wheel)
    if parts:
        (dist_info / "licenses" / LICENSES).write_text(
            licenses_of(parts, "wheel", _notices_in(wheel)), encoding="utf-8", newline="\n"
        )
    metadata = dist_info / "METADATA"
    add_license_files(metadata, [LICENSES] if parts else [])
    message = message_from_string(metadata.read_text(encoding="utf-8"))
    bill = sbom(parts, message["Name"], message["Version"], message["License-Expression"])
    (dist_info / "sboms").mkdir()
    (dist_info / "sboms" / SBOM).write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8", newline="\n")


def _notices_in(wheel: Path) -> dict[str, str]:
    """Return the text of the file with the licenses of the page, by its name in the wheel. Without a page, none."""
    files = sorted((wheel / "canfetch" / "web" / "assets" / "static").glob("licenses-*.txt"))
    return {file.relative_to(wheel).as_posix(): file.read_text(encoding="utf-8") for file in files}


def licenses_of(parts: Sequence[Part], distribution: str, others: Mapping[str, str] | None = None) -> str:
    """Return the licenses of the parts of a distribution as one text, which repeats none of them.

    Args: others: Texts of the distribution that are not repeated either, by the names of their files.
    """
    contents = "\n".join(f"  {part.name} {part.version}: {part.licence}" for part in parts)
    sections = [f"The {distribution} contains:\n\n{contents}"]
    known: dict[str, str] = {}
    for part in parts:
        title = f"{part.name} {part.version}"
        texts = []
        for name, text in _needed(part).items():
            file = next((file for file, content in (others or {}).items() if text.strip() in content), None)
            if file is not None:
                texts.append(f"{name}: the text is in {file}.")
                continue
            first = known.setdefault(_words(text), title)
            texts.append(text.strip() if first == title else f"{name}: the text is that of {first}.")
        sections.append("\n\n".join([title, *texts]))
    return f"\n\n{'=' * 80}\n\n".join(sections) + "\n"


def page_notices() -> list[str]:
    """Return the files of the page with the licenses of its parts, relative to the repository. Without a page, none."""
    return [path.relative_to(ROOT).as_posix() for path in sorted(ASSETS.glob("static/licenses-*.txt"))]


def add_license_files(metadata: Path, names: Iterable[str]) -> None:
    """Add License-File entries to a METADATA or PKG-INFO file that has one."""
    head, separator, description = metadata.read_text(encoding="utf-8").partition("\n\n")
    lines = head.split("\n")
    last = max(index for index, line in enumerate(lines) if line.startswith("License-File: "))
    lines[last + 1 : last + 1] = [f"License-File: {name}" for name in names]
    metadata.write_text("\n".join(lines) + separator + description, encoding="utf-8", newline="\n")


def sbom(parts: Sequence[Part], name: str, version: str, licence: str) -> dict[str, Any]:
    """Return the bill of materials. It depends only on its arguments and `SOURCE_DATE_EPOCH`."""
    root = _component(Part(f"pkg:pypi/{name}@{version}", name, version, licence, {}))
    metadata: dict[str, Any] = {"lifecycles": [{"phase": "build"}], "component": root}
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        metadata["timestamp"] = datetime.fromtimestamp(int(epoch), UTC).isoformat().replace("+00:00", "Z")
    references = [part.purl for part in parts]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": metadata,
        "components": [_component(part) for part in parts],
        "dependencies": [
            {"ref": root["bom-ref"], "dependsOn": references},
            *({"ref": reference} for reference in references),
        ],
    }


def _component(part: Part) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": part.purl,
        "name": part.name,
        "version": part.version,
        "licenses": [{"expression": part.licence}],
        "purl": part.purl,
    }


def _crate(package: dict[str, Any]) -> Part:
    name, version = package["name"], package["version"]
    purl = f"pkg:cargo/{name}@{version}"
    folder = Path(package["manifest_path"]).parent
    notices = {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted(folder.iterdir())
        if path.is_file() and (_LICENCE.match(path.name) or _NOTICE.match(path.name))
    }
    if not package["license"] or not any(text.strip() for name, text in notices.items() if _LICENCE.match(name)):
        raise MissingLicenceError(f"{purl} has no license in {folder}")
    # The form before SPDX expressions.
    return Part(purl, name, version, package["license"].replace("/", " OR "), notices)


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._is_hidden = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self._is_hidden = tag in {"style", "title"}

    def handle_endtag(self, tag: str) -> None:
        del tag
        self._is_hidden = False

    def handle_data(self, data: str) -> None:
        if not self._is_hidden:
            self.parts.append(data)


def _needed(part: Part) -> dict[str, str]:
    """Return the notices with one text where there is a choice of licenses."""
    words = part.licence.replace("(", " ").replace(")", " ").split()
    is_choice = "AND" not in words and {"MIT", "OR"} <= set(words) and "LICENSE-MIT" in part.notices
    others = {"UNLICENSE", "LICENSE-APACHE"} if is_choice else set()
    return {name: text for name, text in part.notices.items() if name not in others}


def _words(text: str) -> str:
    return " ".join(text.split())


def _of_crates(html: str, crates: Collection[str] | None) -> str:
    """Return notices without the sections of crates other than `crates`."""
    if crates is None:
        return html
    start, *sections = re.split(r"(?=<h3>)", html)
    named = [(_CRATE_HEADING.match(section), section) for section in sections]
    kept = [section for found, section in named if found is None or found[1].replace("-", "_") in crates]
    return start + "".join(kept)


def _without_repeats(html: str) -> str:
    """Return notices in which a text of a license that is above is only named: 69 texts are 22 different ones."""
    known: dict[str, str] = {}
    package = file = ""

    def replace(found: re.Match[str]) -> str:
        nonlocal package, file
        heading, summary, text = found.groups()
        if text is None:
            package, file = heading or package, summary or file
            return found[0]
        name = known.setdefault(_words(text), f"{file} of {package}")
        return found[0] if name == f"{file} of {package}" else f"<pre>The text is that of {name}, above.</pre>"

    return _NOTICES.sub(replace, html)


def _plain_text(html: str) -> str:
    parser = _Text()
    parser.feed(html)
    parser.close()
    return _BLANK_LINES.sub("\n\n", "".join(parser.parts)).strip() + "\n"


def _output(*command: str, folder: Path = ROOT) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8", cwd=folder).stdout


def main() -> None:
    """List the parts of the page's engine, or of the C library, in a file."""
    parser = argparse.ArgumentParser(
        description="List the parts of the tester page's engine in a JSON file, or those of the C library in a text."
    )
    parser.add_argument("output", type=Path, help="the file to write")
    parser.add_argument("--c-library", action="store_true", help="the parts of the C library, with their licenses")
    arguments = parser.parse_args()
    if arguments.c_library:
        arguments.output.write_text(licenses_of(native_parts(_C_CRATE), "library"), encoding="utf-8")
        return
    parts = [part._asdict() for part in engine_parts()]
    arguments.output.write_text(json.dumps(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
