"""Each distribution has the licenses of the software that it bundles, and each wheel a bill of materials."""

import json
import re
import shutil
import subprocess
import tarfile
import zipfile
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

import bundled_parts
from bundled_parts import MissingLicenceError, Part

ROOT: Final = Path(__file__).parents[2]
WHEELS: Final = sorted((ROOT / "dist").glob("*.whl"))
WHEEL = pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: wheel.name)
ASSETS: Final = "canfetch/web/assets/"
# `make package` compresses wheels again if advzip is present. The page, its engine and its fonts are 0.5 MB.
MAX_BYTES: Final = 3 * 2**20 if shutil.which("advzip") else 3_245_000
# Places of panics name the crate's folder in the registry.
CRATE: Final = re.compile(rb"crates\.io-[0-9a-f]+[/\\]([\w-]+?)-(\d+\.\d+\.\d+[\w.+-]*)[/\\]")
PART: Final = Part("pkg:cargo/example@1.0.0", "example", "1.0.0", "MIT", {"LICENSE": "Permission is granted."})


class Wheel:
    """The files of a wheel."""

    def __init__(self, path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            self.files = {name: archive.read(name) for name in archive.namelist()}
        self.info = next(name.partition("/")[0] for name in self.files if ".dist-info/" in name)
        self.sbom: dict[str, Any] = json.loads(self.files[f"{self.info}/sboms/canfetch.cdx.json"])
        self.components: list[dict[str, Any]] = self.sbom["components"]

    def purls(self, kind: str = "") -> set[str]:
        return {part["purl"] for part in self.components if part["purl"].startswith(f"pkg:{kind}")}

    def license_files(self) -> list[str]:
        metadata = self.files[f"{self.info}/METADATA"].decode()
        return re.findall(r"^License-File: (.*)$", metadata.partition("\n\n")[0], re.MULTILINE)


@cache
def opened(wheel: Path) -> Wheel:
    return Wheel(wheel)


@cache
def sdist_files() -> dict[str, bytes]:
    (path,) = (ROOT / "dist").glob("*.tar.gz")
    with tarfile.open(path) as archive:
        files = {member.name.partition("/")[2]: archive.extractfile(member) for member in archive}
        return {name: file.read() for name, file in files.items() if file is not None}


def sdist_file(name: str) -> bytes:
    return sdist_files()[name]


@cache
def page_parts() -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = json.loads(sdist_file("src/canfetch/web/assets/parts.json"))
    return parts


@pytest.mark.packaging
@WHEEL
def test_bill_of_materials_is_valid(wheel: Path) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(json.dumps(opened(wheel).sbom)) is None
    assert validator.validate_str('{"bomFormat": "CycloneDX", "specVersion": "1.6", "components": 1}') is not None


@pytest.mark.packaging
@WHEEL
def test_each_part_has_its_license_and_each_license_its_part(wheel: Path) -> None:
    files, info = opened(wheel).files, opened(wheel).info
    assert opened(wheel).license_files() == ["LICENSE", bundled_parts.LICENSES]
    contents, *sections = files[f"{info}/licenses/{bundled_parts.LICENSES}"].decode().split(f"\n\n{'=' * 80}\n\n")
    parts = opened(wheel).components
    assert [section.partition("\n\n")[0] for section in sections] == [f"{p['name']} {p['version']}" for p in parts]
    assert all(section.partition("\n\n")[2].strip() for section in sections)
    # A text that the page has is not repeated.
    assert {
        name for section in sections for name in re.findall(r": the text is in (.*)\.$", section, re.MULTILINE)
    } == {name for name in files if name.startswith(f"{ASSETS}static/licenses-")}
    assert all(f"  {p['name']} {p['version']}: {p['licenses'][0]['expression']}" in contents for p in parts)
    assert all(f"@{part['version']}" in part["purl"] for part in parts)
    shipped = {name for name in files if name.startswith(f"{info}/licenses/")}
    assert shipped == {f"{info}/licenses/LICENSE", f"{info}/licenses/{bundled_parts.LICENSES}"}


@pytest.mark.packaging
@WHEEL
def test_bill_of_materials_lists_the_crates_whose_code_is_in_the_native_module(wheel: Path) -> None:
    modules = [
        content
        for name, content in opened(wheel).files.items()
        if name.startswith("canfetch/_native.") and name.endswith((".so", ".pyd"))
    ]
    crates = {f"pkg:cargo/{name.decode()}@{version.decode()}" for name, version in CRATE.findall(b"".join(modules))}
    assert bool(crates) == bool(modules)
    assert crates <= opened(wheel).purls("cargo")


@pytest.mark.packaging
def test_pure_wheel_lists_only_the_parts_of_the_page() -> None:
    (wheel,) = [wheel for wheel in WHEELS if wheel.stem.endswith("-any")]
    assert opened(wheel).purls() == {part["purl"] for part in page_parts()}


@pytest.mark.packaging
@WHEEL
def test_bill_of_materials_lists_the_packages_of_the_page_in_the_locked_versions(wheel: Path) -> None:
    lock = json.loads(sdist_file("page/package-lock.json"))["packages"]
    packages = {part["name"]: part for part in opened(wheel).components if part["purl"].startswith("pkg:npm/")}
    assert {"@codemirror/view", "@lezer/common", "@fontsource-variable/inter"} <= set(packages)
    for name, part in packages.items():
        locked = lock[f"node_modules/{name}"]
        assert (part["version"], part["licenses"]) == (locked["version"], [{"expression": locked["license"]}])
    # Tools that build or test the page are not in it.
    assert {"esbuild", "typescript", "axe-core"}.isdisjoint(packages)


@pytest.mark.packaging
@WHEEL
def test_page_has_the_licenses_of_its_parts(wheel: Path) -> None:
    files = opened(wheel).files
    (name,) = [name for name in files if name.startswith(f"{ASSETS}static/licenses-") and name.endswith(".txt")]
    text = files[name].decode()
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").strip() in text
    for part in page_parts():
        assert f"{part['name']} {part['version']}: {part['licence']}" in text
        assert all(notice.strip() in text for notice in part["notices"].values())
    address = name.removeprefix(ASSETS)
    for page in ("index.html", "static.html"):
        assert f'<meta name="canfetch-licences" content="{address}" />'.encode() in files[ASSETS + page]


@pytest.mark.packaging
def test_sdist_lists_the_licenses_of_the_page() -> None:
    own, page = re.findall(r"^License-File: (.*)$", sdist_file("PKG-INFO").decode(), re.MULTILINE)
    assert own == "LICENSE"
    assert b"@codemirror/view" in sdist_file(page)


@pytest.mark.packaging
@WHEEL
def test_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < MAX_BYTES


def unpacked_wheel(folder: Path) -> Path:
    dist_info = folder / "canfetch-1.0.dist-info"
    (dist_info / "licenses").mkdir(parents=True)
    (folder / "canfetch").mkdir()
    (folder / "canfetch" / "_native.pyi").touch()
    (dist_info / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: canfetch\nVersion: 1.0\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\n"
        "Requires-Dist: h11\n\nLicense-File: is in the description\n",
        encoding="utf-8",
    )
    return dist_info


def test_wheel_without_the_page_and_the_native_module_lists_nothing(tmp_path: Path) -> None:
    dist_info = unpacked_wheel(tmp_path)
    before = (dist_info / "METADATA").read_text(encoding="utf-8")
    bundled_parts.describe_wheel(tmp_path, dist_info)
    assert (dist_info / "METADATA").read_text(encoding="utf-8") == before
    bill = json.loads((dist_info / "sboms" / "canfetch.cdx.json").read_text(encoding="utf-8"))
    assert (bill["metadata"]["component"]["purl"], bill["components"]) == ("pkg:pypi/canfetch@1.0", [])


def test_license_files_are_listed_after_that_of_the_project(tmp_path: Path) -> None:
    metadata = unpacked_wheel(tmp_path) / "METADATA"
    before = metadata.read_text(encoding="utf-8")
    bundled_parts.add_license_files(metadata, ["a", "b"])
    added = "License-File: LICENSE\nLicense-File: a\nLicense-File: b\n"
    assert metadata.read_text(encoding="utf-8") == before.replace("License-File: LICENSE\n", added)


def test_bill_of_materials_depends_on_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    bill = bundled_parts.sbom([PART], "canfetch", "1.0", "Apache-2.0")
    assert bundled_parts.sbom([PART], "canfetch", "1.0", "Apache-2.0") == bill
    assert "serialNumber" not in bill
    assert "timestamp" not in bill["metadata"]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    dated = bundled_parts.sbom([PART], "canfetch", "1.0", "Apache-2.0")
    assert dated["metadata"].pop("timestamp") == "2023-11-14T22:13:20Z"
    assert dated == bill


def test_page_without_its_list_of_parts_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingLicenceError, match="build the tester page again"):
        bundled_parts.page_parts(tmp_path / "parts.json")


def write_crate(folder: Path, name: str, *, dependencies: str = "", library: str = "") -> None:
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "lib.rs").touch()
    (folder / "Cargo.toml").write_text(
        f'[package]\nname = "{name}"\nversion = "1.0.0"\nedition = "2021"\nlicense = "MIT/Apache-2.0"\n'
        f"[lib]\n{library}\n{dependencies}\n",
        encoding="utf-8",
    )
    (folder / ".cargo-checksum.json").write_text('{"files": {}, "package": null}', encoding="utf-8")
    (folder / "LICENSE-MIT").write_text(f"The license of {name}.", encoding="utf-8")
    (folder / "NOTICE").write_text("A notice is not a license.", encoding="utf-8")


@pytest.fixture
def crate(tmp_path: Path) -> Path:
    """Return the Cargo.toml of a crate that links, runs while it is built, and tests with crates of a registry."""
    crates = tmp_path / "registry"
    write_crate(crates / "linked", "linked", dependencies='[dependencies]\ndeep = "1"\n')
    write_crate(crates / "deep", "deep")
    write_crate(crates / "macros", "macros", library="proc-macro = true", dependencies='[dependencies]\nparser = "1"\n')
    for name in ("parser", "builder", "tester", "foreign"):
        write_crate(crates / name, name)
    config = f'[source.crates-io]\nreplace-with = "copies"\n[source.copies]\ndirectory = {json.dumps(str(crates))}\n'
    (tmp_path / ".cargo").mkdir()
    (tmp_path / ".cargo" / "config.toml").write_text(config, encoding="utf-8")
    write_crate(
        tmp_path / "crate",
        "crate",
        dependencies='[dependencies]\nlinked = "1"\nmacros = "1"\n[build-dependencies]\nbuilder = "1"\n'
        '[dev-dependencies]\ntester = "1"\n[target."cfg(windows)".dependencies]\nforeign = "1"\n',
    )
    manifest = tmp_path / "crate" / "Cargo.toml"
    command = ["cargo", "generate-lockfile", "--offline", f"--manifest-path={manifest}"]
    subprocess.run(command, check=True, cwd=manifest.parent, capture_output=True)
    return manifest


@pytest.mark.packaging
def test_crates_are_listed_that_are_linked(crate: Path) -> None:
    parts = {part.name: part for part in bundled_parts.linked_crates(crate, "x86_64-unknown-linux-gnu")}
    assert set(parts) == {"linked", "deep"}
    assert parts["deep"].licence == "MIT OR Apache-2.0"
    assert parts["deep"].notices == {"LICENSE-MIT": "The license of deep.", "NOTICE": "A notice is not a license."}
    windows = bundled_parts.linked_crates(crate, "x86_64-pc-windows-msvc")
    assert {part.name for part in windows} == {"linked", "deep", "foreign"}


@pytest.mark.packaging
def test_crate_without_a_license_text_is_an_error(crate: Path, tmp_path: Path) -> None:
    (tmp_path / "registry" / "deep" / "LICENSE-MIT").unlink()
    with pytest.raises(MissingLicenceError, match=r"pkg:cargo/deep@1\.0\.0 has no license"):
        bundled_parts.linked_crates(crate, "x86_64-unknown-linux-gnu")


DESCRIBE: Final = """
import { bundledPackages } from %s;
const inputs = {
  "src/main.ts": { bytesInOutput: 9 },
  "../copy/node_modules/@scope/used/a.js": { bytesInOutput: 9 },
  "../copy/node_modules/omitted/a.js": { bytesInOutput: 0 },
};
console.log(JSON.stringify(await bundledPackages(process.argv[1], [{ outputs: { "main.js": { inputs } } }])));
"""


def bundled_packages(page: Path) -> subprocess.CompletedProcess[str]:
    script = DESCRIBE % json.dumps((ROOT / "page" / "parts.mjs").as_uri())
    command = [shutil.which("node") or "node", "--input-type=module", "--eval", script, str(page)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.packaging
def test_packages_are_listed_whose_code_is_in_the_page_and_need_a_license(tmp_path: Path) -> None:
    for name in ("@scope/used", "omitted"):
        folder = tmp_path / "copy" / "node_modules" / name
        folder.mkdir(parents=True)
        (folder / "package.json").write_text('{"version": "1.2.3", "license": "MIT"}', encoding="utf-8")
    licence = tmp_path / "copy" / "node_modules" / "@scope" / "used" / "LICENSE"
    licence.write_text("Permission is granted.", encoding="utf-8")
    (part,) = json.loads(bundled_packages(tmp_path / "page").stdout)
    notices = {"LICENSE": "Permission is granted."}
    assert Part(**part) == Part("pkg:npm/%40scope/used@1.2.3", "@scope/used", "1.2.3", "MIT", notices)
    licence.unlink()
    failed = bundled_packages(tmp_path / "page")
    assert failed.returncode != 0
    assert "pkg:npm/%40scope/used@1.2.3 has no license" in failed.stderr


def test_a_license_that_is_repeated_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dist_info = unpacked_wheel(tmp_path)
    other = PART._replace(
        purl="pkg:cargo/other@2.0.0", name="other", version="2.0.0", notices={"MIT": "Permission\nis granted."}
    )
    own = PART._replace(purl="pkg:cargo/own@1", name="own", version="1", notices={"LICENSE": "Only of this part."})
    monkeypatch.setattr(bundled_parts, "wheel_parts", lambda _: [PART, other, own])
    bundled_parts.describe_wheel(tmp_path, dist_info)
    text = (dist_info / "licenses" / bundled_parts.LICENSES).read_text("utf-8")
    assert text.startswith("The wheel contains:\n\n  example 1.0.0: MIT\n  other 2.0.0: MIT\n")
    assert text.count("granted.") == 1
    assert "other 2.0.0\n\nMIT: the text is that of example 1.0.0.\n" in text
    assert "own 1\n\nOnly of this part.\n" in text
    assert "\nLicense-File: LICENSES-OF-PARTS\n" in (dist_info / "METADATA").read_text("utf-8")


def test_a_choice_of_licenses_needs_one_text() -> None:
    texts = {"LICENSE-APACHE": "Apache", "LICENSE-MIT": "Permission", "UNLICENSE": "Free", "NOTICE": "Named"}
    for choice in ("Unlicense OR MIT", "(Apache-2.0 OR MIT)"):
        text = bundled_parts.licenses_of([PART._replace(licence=choice, notices=texts)], "wheel")
        assert text.endswith("example 1.0.0\n\nPermission\n\nNamed\n")
    for licence in ("MIT AND Apache-2.0", "(MIT OR Apache-2.0) AND Unlicense", "Apache-2.0 OR Unlicense", "MIT"):
        text = bundled_parts.licenses_of([PART._replace(licence=licence, notices=texts)], "wheel")
        assert text.endswith("example 1.0.0\n\nApache\n\nPermission\n\nFree\n\nNamed\n")
    only = bundled_parts.licenses_of([PART._replace(notices={"LICENSE-APACHE": "Apache"})], "wheel")
    assert only.endswith("example 1.0.0\n\nApache\n")


def test_notices_of_crates_that_were_not_built_are_omitted() -> None:
    html = "<h2>All</h2><h3>\N{PACKAGE} cfg-if-1.0.4</h3>A<h3>windows-sys-0.60.2</h3>B<h3>libc-0.2.178</h3>C"
    kept = bundled_parts._of_crates(html, {"std", "cfg_if", "libc"})
    assert kept == "<h2>All</h2><h3>\N{PACKAGE} cfg-if-1.0.4</h3>A<h3>libc-0.2.178</h3>C"
    assert bundled_parts._of_crates(html, None) == html


def test_repeated_notices_of_the_rust_library_are_named() -> None:
    html = "".join(
        f"<h3>{name}-1</h3><details><summary><code>MIT</code></summary><pre>{text}</pre></details>"
        for name, text in (("a", "Some\n text"), ("b", "Other text"), ("c", "Some text"))
    )
    assert bundled_parts._without_repeats(html).count("Some") == 1
    assert "The text is that of MIT of a-1, above." in bundled_parts._without_repeats(html)
