"""Build the container image as an OCI archive, without a container engine.

The image has two layers: Python from packages of Debian, and canfetch with its dependencies. The result depends on the
wheel, the versions of the packages and `SOURCE_DATE_EPOCH`.

    dist/canfetch-VERSION-linux-ARCHITECTURE.oci.tar   the image
    dist/canfetch-VERSION-linux-ARCHITECTURE.cdx.json  its bill of materials, which the image has as well
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from image_archive import build_layer, image_config, iso_time, labels, write_archive
from image_packages import (
    ARCHITECTURES,
    EXTRAS,
    PYTHON,
    RELEASE,
    ROOT,
    SITE,
    Architecture,
    ImageError,
    Mirrors,
    compile_bytecode,
    configure_system,
    download_debian_packages,
    find_wheel,
    install_debian_packages,
    install_python_packages,
    write_file,
)

SBOM: Final = "usr/share/canfetch/image.cdx.json"


def sbom(control: Iterable[Message], site: Path, version: str, epoch: int) -> dict[str, Any]:
    """Return the bill of materials: Debian's packages, those of Python, and what these bundle."""
    components: dict[str, dict[str, Any]] = {}
    dependencies: dict[str, list[str]] = {"canfetch-image": []}
    for fields in control:
        name, found = fields["Package"], fields["Version"]
        purl = f"pkg:deb/debian/{name}@{quote(found, safe=':~')}?arch={fields['Architecture']}&distro=debian-12"
        components[purl] = {"type": "library", "bom-ref": purl, "name": name, "version": found, "purl": purl}
        dependencies["canfetch-image"].append(purl)
    for dist_info in sorted(site.glob("*.dist-info")):
        package = _python_component(dist_info)
        components[package["purl"]] = package
        dependencies["canfetch-image"].append(package["purl"])
        for file in sorted(dist_info.glob("sboms/*.json")):
            bundled = json.loads(file.read_text(encoding="utf-8"))
            if bundled.get("bomFormat") != "CycloneDX":
                continue
            parts = [part for part in bundled.get("components", []) if "purl" in part]
            for part in parts:
                components.setdefault(part["purl"], {**part, "bom-ref": part["purl"]})
            dependencies.setdefault(package["purl"], []).extend(part["purl"] for part in parts)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": iso_time(epoch),
            "lifecycles": [{"phase": "build"}],
            "component": {"type": "container", "bom-ref": "canfetch-image", "name": "canfetch", "version": version},
        },
        "components": [part for _, part in sorted(components.items())],
        "dependencies": [
            {
                "ref": reference,
                **({"dependsOn": sorted(set(dependencies[reference]))} if reference in dependencies else {}),
            }
            for reference in ("canfetch-image", *sorted(components))
        ],
    }


def _python_component(dist_info: Path) -> dict[str, Any]:
    metadata = message_from_string((dist_info / "METADATA").read_text(encoding="utf-8"))
    name = re.sub(r"[-_.]+", "-", metadata["Name"]).lower()
    purl = f"pkg:pypi/{name}@{metadata['Version']}"
    component = {
        "type": "library",
        "bom-ref": purl,
        "name": metadata["Name"],
        "version": metadata["Version"],
        "purl": purl,
    }
    classifiers = [text for text in metadata.get_all("Classifier", []) if text.startswith("License :: ")]
    if expression := metadata["License-Expression"]:
        component["licenses"] = [{"expression": expression}]
    elif classifiers:
        component["licenses"] = [{"license": {"name": text.rpartition(" :: ")[2]}} for text in classifiers]
    elif licence := metadata["License"]:
        component["licenses"] = [{"license": {"name": licence.strip().splitlines()[0]}}]
    return component


def build(
    wheel: Path, architecture: Architecture, mirrors: Mirrors, output: Path, *, epoch: int, revision: str | None
) -> Path:
    """Build the image from a wheel, and return the archive."""
    with tempfile.TemporaryDirectory(prefix="canfetch-image-") as scratch:
        folder = Path(scratch)
        system, application = folder / "system", folder / "application"
        system.mkdir()
        control = install_debian_packages(download_debian_packages(architecture, mirrors, folder), system)
        configure_system(control, system)
        install_python_packages(wheel, architecture, application)
        is_native = os.uname().machine == architecture.machine
        compile_bytecode(system, system, is_native=is_native)
        compile_bytecode(application, system, is_native=is_native)
        (dist_info,) = (application / SITE).glob("canfetch-*.dist-info")
        metadata = message_from_string((dist_info / "METADATA").read_text(encoding="utf-8"))
        version = metadata["Version"]
        bill = json.dumps(sbom(control, application / SITE, version, epoch), indent=2) + "\n"
        write_file(application / SBOM, bill)
        layers = [
            build_layer(system, epoch, f"Python {PYTHON} from packages of Debian {RELEASE}"),
            build_layer(application, epoch, f"{wheel.name} with {', '.join(EXTRAS)}"),
        ]
    labelled = labels(version, metadata["License-Expression"], metadata["Summary"], epoch, revision)
    config = image_config(layers, architecture.debian, labelled, epoch)
    output.mkdir(parents=True, exist_ok=True)
    stem = f"canfetch-{version}-linux-{architecture.debian}"
    archive = output / f"{stem}.oci.tar"
    write_archive(archive, layers, config, version, epoch)
    write_file(output / f"{stem}.cdx.json", bill)
    return archive


def _git(*arguments: str) -> str | None:
    """Return the output of git, or None outside a checkout."""
    command = ["git", "-C", str(ROOT), *arguments]
    result = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    return result.stdout.strip() or None if result.returncode == 0 else None


def main() -> int:
    """Build the image, and print its file and size."""
    parser = argparse.ArgumentParser(description="Build the container image as an OCI archive.")
    machine = os.uname().machine
    native = next((name for name, found in ARCHITECTURES.items() if found.machine == machine), None)
    parser.add_argument("--architecture", choices=ARCHITECTURES, default=native, required=native is None)
    parser.add_argument("--wheel", type=Path, help="the wheel; by default the one for the architecture in dist")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="the folder of the archive")
    parser.add_argument("--mirror", default=Mirrors().packages, help="the mirror of Debian")
    parser.add_argument("--security-mirror", default=Mirrors().security, help="that of its security updates")
    arguments = parser.parse_args()
    architecture = ARCHITECTURES[arguments.architecture]
    # The time of the last commit, so that a commit has one image.
    epoch = int(
        os.environ.get("SOURCE_DATE_EPOCH") or _git("log", "-1", "--format=%ct") or datetime.now(UTC).timestamp()
    )
    try:
        wheel = arguments.wheel or find_wheel(architecture, ROOT / "dist")
        mirrors = Mirrors(arguments.mirror, arguments.security_mirror)
        archive = build(wheel, architecture, mirrors, arguments.output, epoch=epoch, revision=_git("rev-parse", "HEAD"))
    except ImageError as error:
        print(f"canfetch: {error}", file=sys.stderr)
        return 1
    print(f"{archive}: {archive.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
