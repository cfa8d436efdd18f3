"""Build the container image as an OCI archive, without a container engine.

The image has two layers: Python from packages of Debian, and canfetch with its dependencies. Of its programs, only
Python runs here, to compile the modules. For another architecture, a Python of the same version does that. The result
depends on the wheel, the versions of the packages and `SOURCE_DATE_EPOCH`.

    dist/canfetch-VERSION-linux-ARCHITECTURE.oci.tar   the image
    dist/canfetch-VERSION-linux-ARCHITECTURE.cdx.json  its bill of materials, which the image has as well

mmdebstrap downloads the packages of Debian and checks their signatures, and uv those of Python.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

ROOT: Final = Path(__file__).parents[1]
FILES: Final = ROOT / "deploy" / "image"
CONSTRAINTS: Final = ROOT / "tools" / "constraints.txt"

RELEASE: Final = "bookworm"
# Python of this release.
PYTHON: Final = "3.11"
# All packages: without a shell, dpkg, and the libraries of modules that are removed below. A missing library fails the
# tests, which import every module.
DEBIAN_PACKAGES: Final = (
    "base-files",
    "ca-certificates",
    # The license of libgcc-s1.
    "gcc-12-base",
    "libbz2-1.0",
    "libc6",
    "libcrypt1",
    "libexpat1",
    "libffi8",
    "libgcc-s1",
    "liblzma5",
    "libpython3.11-minimal",
    "libpython3.11-stdlib",
    "libsqlite3-0",
    "libssl3",
    "libuuid1",
    "media-types",
    "python3.11-minimal",
    "zlib1g",
)
REMOVED: Final = (
    "boot",
    "etc/motd",
    "etc/update-motd.d",
    "home",
    "root",
    "sbin",
    "usr/games",
    "usr/include",
    "usr/lib/*/gconv",
    "usr/lib/python3.11/ensurepip",
    "usr/lib/python3.11/lib-dynload/_curses*.so",
    "usr/lib/python3.11/lib-dynload/_dbm.*.so",
    "usr/lib/python3.11/lib-dynload/nis.*.so",
    "usr/lib/python3.11/lib-dynload/readline.*.so",
    "usr/lib/python3.11/lib2to3",
    "usr/lib/python3.11/pydoc_data",
    "usr/lib/python3.11/test",
    "usr/sbin",
    "usr/share/apport",
    "usr/share/base-files",
    "usr/share/bug",
    "usr/share/dict",
    "usr/share/doc-base",
    "usr/share/gcc",
    "usr/share/gdb",
    "usr/share/info",
    "usr/share/libc-bin",
    "usr/share/lintian",
    "usr/share/locale",
    "usr/share/man",
    "usr/src",
    "var/backups",
    "var/lib/misc",
    "var/local",
    "var/mail",
    "var/opt",
    "var/spool",
)
EXTRAS: Final = ("cli", "mcp", "redis", "web")
SITE: Final = f"usr/local/lib/python{PYTHON}/dist-packages"
SBOM: Final = "usr/share/canfetch/image.cdx.json"
CERTIFICATES: Final = "etc/ssl/certs/ca-certificates.crt"

USER: Final = 65532
CACHE: Final = "cache"
# Folders that the user may write to. Everything else belongs to root, and only root may write to it.
WRITABLE: Final = {CACHE: (USER, 0o700), "tmp": (0, 0o1777)}
PORT: Final = 8420
MCP_PORT: Final = 8421
SECOND: Final = 1_000_000_000
ENVIRONMENT: Final = (
    "PATH=/usr/local/bin:/usr/bin",
    f"XDG_CACHE_HOME=/{CACHE}",
    "PYTHONDONTWRITEBYTECODE=1",
    "PYTHONNOUSERSITE=1",
    "PYTHONSAFEPATH=1",
    "PYTHONUTF8=1",
)
MEDIA_TYPE: Final = "application/vnd.oci.image"


class ImageError(Exception):
    """Raised when the image cannot be built."""


class Architecture(NamedTuple):
    """The names of an architecture.

    Attributes:
        debian: The name of Debian, and of OCI.
        machine: The name of the kernel and of wheels.
    """

    debian: str
    machine: str


ARCHITECTURES: Final = {
    "amd64": Architecture("amd64", "x86_64"),
    "arm64": Architecture("arm64", "aarch64"),
}


class Mirrors(NamedTuple):
    """The addresses of Debian's packages, and of security updates. Signatures are checked, so http is safe."""

    packages: str = "http://deb.debian.org/debian"
    security: str = "http://deb.debian.org/debian-security"


class Blob(NamedTuple):
    """A file of an OCI layout."""

    media_type: str
    content: bytes

    @property
    def digest(self) -> str:
        """The digest in the form of OCI."""
        return f"sha256:{hashlib.sha256(self.content).hexdigest()}"

    @property
    def path(self) -> str:
        """The name in the archive."""
        return f"blobs/{self.digest.replace(':', '/')}"

    @property
    def descriptor(self) -> dict[str, Any]:
        """What refers to the file."""
        return {"mediaType": self.media_type, "digest": self.digest, "size": len(self.content)}


class Layer(NamedTuple):
    """A layer of an image.

    Attributes:
        blob: The compressed archive.
        diff_id: The digest of the archive before it was compressed.
        origin: The description of its content.
    """

    blob: Blob
    diff_id: str
    origin: str


# --- packages --------------------------------------------------------------------------------------------------------


def download_debian_packages(architecture: Architecture, mirrors: Mirrors, folder: Path) -> list[Path]:
    """Download the packages of Debian, with signatures checked, and return their files."""
    if shutil.which("mmdebstrap") is None:
        raise ImageError(
            "mmdebstrap is not installed: run 'tools/install_packages.sh image' as root, or install the package"
        )
    packages = " ".join(DEBIAN_PACKAGES)
    download = (
        f'mkdir "$1/packages" && cd "$1/packages" && APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get download {packages}'
    )
    # No program of the packages runs, so no other root folder is needed, and any user can do this.
    mode = "root" if os.geteuid() == 0 else "chrootless"
    command = [
        "mmdebstrap",
        f"--mode={mode}",
        "--variant=extract",
        "--format=null",
        f"--architectures={architecture.debian}",
    ]
    command += [f"--extract-hook={download}", f"--extract-hook=copy-out /packages {folder}", RELEASE, "/dev/null"]
    command += [f"deb {mirrors.packages} {RELEASE} main", f"deb {mirrors.packages} {RELEASE}-updates main"]
    command += [f"deb {mirrors.security} {RELEASE}-security main"]
    result = subprocess.run(command, check=False, capture_output=True, encoding="utf-8", errors="replace")
    if result.returncode != 0:
        reasons = [line for line in result.stderr.splitlines() if line.startswith(("E:", "Err:", "W:"))]
        reason = " ".join((reasons or result.stderr.splitlines() or ["no message"])[0].split())
        raise ImageError(f"cannot download the packages of Debian from {mirrors.packages}: {reason}")
    return sorted((folder / "packages").glob("*.deb"))


def debian_fields(package: Path) -> Message:
    """Return the control file of a package."""
    return message_from_string(_output("dpkg-deb", "--field", str(package)))


def install_debian_packages(packages: Iterable[Path], system: Path) -> list[Message]:
    """Extract packages without running their scripts, and return their control files."""
    control = []
    for package in packages:
        _output("dpkg-deb", "--extract", str(package), str(system))
        control.append(debian_fields(package))
    for pattern in REMOVED:
        for path in system.glob(pattern):
            _remove(path)
    for path in (system / "usr" / "share" / "doc").rglob("*"):
        # What licenses require. A link is a package whose license is that of another one.
        if path.is_file() and not path.is_symlink() and path.name != "copyright":
            path.unlink()
    for path in (*(system / "bin").glob("*"), *(system / "usr" / "bin").glob("*")):
        if path.name != f"python{PYTHON}":
            _remove(path)
    return control


def configure_system(control: Iterable[Message], system: Path) -> None:
    """Write what the scripts of the packages write, and a user without a shell."""
    entries = []
    for fields in control:
        lines = [f"Package: {fields['Package']}", "Status: install ok installed"]
        lines += [f"{name}: {value}" for name, value in fields.items() if name != "Package"]
        entries.append("\n".join(lines) + "\n")
    # Scanners read it.
    _write(system / "var/lib/dpkg/status", "\n".join(entries))
    certificates = sorted((system / "usr/share/ca-certificates/mozilla").glob("*.crt"))
    _write(system / CERTIFICATES, "".join(file.read_text(encoding="ascii") for file in certificates))
    _remove(system / "usr/share/ca-certificates")
    # Where OpenSSL looks. The link is in a package that is not installed.
    authorities = system / "usr/lib/ssl/cert.pem"
    authorities.parent.mkdir()
    authorities.symlink_to(f"/{CERTIFICATES}")
    _write(
        system / "etc/passwd",
        f"root:x:0:0:root:/:/nonexistent\ncanfetch:x:{USER}:{USER}:canfetch:/{CACHE}:/nonexistent\n",
    )
    _write(system / "etc/group", f"root:x:0:\ncanfetch:x:{USER}:\n")
    _write(system / "etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
    for name in (*WRITABLE, "work"):
        (system / name).mkdir(exist_ok=True)


def find_wheel(architecture: Architecture, folder: Path) -> Path:
    """Return the native wheel for an architecture, or the wheel with the Python engine."""
    native = sorted(folder.glob(f"canfetch-*-abi3-*linux*_{architecture.machine}.whl"))
    native = [wheel for wheel in native if "musllinux" not in wheel.name]
    wheels = native or sorted(folder.glob("canfetch-*-none-any.whl"))
    if not wheels:
        raise ImageError(f"no wheel for {architecture.debian} in {folder}: run 'make package'")
    return wheels[-1]


def install_python_packages(wheel: Path, architecture: Architecture, application: Path) -> None:
    """Install canfetch and its dependencies, in the versions of tools/constraints.txt."""
    site = application / SITE
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", sys.executable]
    command += ["--target", str(site), "--python-version", PYTHON]
    command += ["--python-platform", f"{architecture.machine}-manylinux_2_28", "--only-binary", ":all:"]
    command += ["--link-mode", "copy", "--constraint", str(CONSTRAINTS)]
    command += [f"canfetch[{','.join(EXTRAS)}] @ {wheel.resolve().as_uri()}"]
    result = subprocess.run(command, check=False, capture_output=True, encoding="utf-8", errors="replace")
    if result.returncode != 0:
        raise ImageError(f"cannot install the packages of Python: {' '.join(result.stderr.split())}")
    # Their first lines name the interpreter that installed them.
    _remove(site / "bin")
    # They contain paths and times of this machine.
    for name in ("direct_url.json", "uv_cache.json"):
        for path in site.glob(f"*.dist-info/{name}"):
            path.unlink()
            record = path.with_name("RECORD")
            lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
            kept = [line for line in lines if not line.startswith(f"{path.parent.name}/{name},")]
            record.write_text("".join(kept), encoding="utf-8")
    for file in FILES.iterdir():
        target = application / "usr/local/bin" / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)


def compile_bytecode(folder: Path, system: Path, *, is_native: bool) -> None:
    """Compile the modules of a folder: a read-only container cannot save what it compiles."""
    environment = {"PYTHONHASHSEED": "0"}
    if is_native:
        # The image's Python, by its own loader, so that root is not needed to change the root folder.
        (loader,) = system.glob("lib/*/ld-linux-*.so.*")
        python = [str(loader), "--library-path", f"{loader.parent}:{system / 'usr/lib' / loader.parent.name}"]
        python += [str(system / f"usr/bin/python{PYTHON}"), "-S"]
        environment["PYTHONHOME"] = str(system / "usr")
    elif ".".join(map(str, sys.version_info[:2])) == PYTHON:
        python = [sys.executable, "-S"]
    else:
        raise ImageError(f"an image for another architecture needs Python {PYTHON} here, which compiles its modules")
    # `-B`: the modules that the compiler imports are not saved with their place on this machine.
    command = [
        *python,
        "-B",
        "-m",
        "compileall",
        "-q",
        "--invalidation-mode=unchecked-hash",
        "-s",
        str(folder),
        "-p",
        "/",
    ]
    modules = [path for path in (folder / f"usr/lib/python{PYTHON}", folder / SITE) if path.exists()]
    result = subprocess.run(
        [*command, *map(str, modules)], check=False, capture_output=True, encoding="utf-8", env=environment
    )
    if result.returncode != 0:
        raise ImageError(f"cannot compile the modules: {result.stdout}{result.stderr}")


# --- bill of materials -----------------------------------------------------------------------------------------------


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
            "timestamp": _time(epoch),
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


# --- image -----------------------------------------------------------------------------------------------------------


def build_layer(folder: Path, epoch: int, origin: str) -> Layer:
    """Return a layer with the content of a folder: sorted, with one time, owned by root except for `WRITABLE`."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as writer:
        for path in _sorted_paths(folder):
            name = path.relative_to(folder).as_posix()
            member = writer.gettarinfo(path, name)
            # A second name of a file is a file: the order of names decides which is the first.
            if member.islnk():
                member.type, member.size = tarfile.REGTYPE, path.stat().st_size
            owner, mode = WRITABLE.get(name, (0, 0o755 if member.isdir() or member.mode & 0o100 else 0o644))
            member.uid = member.gid = owner
            member.mode = 0o777 if member.issym() else mode
            member.uname = member.gname = ""
            member.mtime = epoch
            if member.isreg():
                with path.open("rb") as file:
                    writer.addfile(member, file)
            else:
                writer.addfile(member)
    content = archive.getvalue()
    blob = Blob(f"{MEDIA_TYPE}.layer.v1.tar+gzip", gzip.compress(content, 6, mtime=0))
    return Layer(blob, f"sha256:{hashlib.sha256(content).hexdigest()}", origin)


def image_config(
    layers: Iterable[Layer], architecture: Architecture, labels: dict[str, str], epoch: int
) -> dict[str, Any]:
    """Return the configuration. `Healthcheck` is of Docker; OCI permits further fields, which others ignore."""
    return {
        "created": _time(epoch),
        "architecture": architecture.debian,
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "ExposedPorts": {f"{port}/tcp": {} for port in (PORT, MCP_PORT)},
            "Env": list(ENVIRONMENT),
            "Entrypoint": ["/usr/local/bin/canfetch"],
            "Cmd": ["serve", "--host", "0.0.0.0", "--port", str(PORT)],  # noqa: S104 - all addresses of the container
            "WorkingDir": "/work",
            "Labels": labels,
            "Healthcheck": {
                "Test": ["CMD", "/usr/local/bin/healthcheck"],
                "Interval": 30 * SECOND,
                "Timeout": 5 * SECOND,
                "StartPeriod": 20 * SECOND,
                "Retries": 3,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [layer.diff_id for layer in layers]},
        "history": [{"created": _time(epoch), "created_by": layer.origin} for layer in layers],
    }


def write_archive(file: Path, layers: list[Layer], config: dict[str, Any], version: str, epoch: int) -> None:
    """Write an OCI layout with one image as an archive.

    `manifest.json` is for Docker without containerd's image store, which reads no other list of layers.
    """
    config_blob = Blob(f"{MEDIA_TYPE}.config.v1+json", _json(config))
    manifest = Blob(
        f"{MEDIA_TYPE}.manifest.v1+json",
        _json(
            {
                "schemaVersion": 2,
                "mediaType": f"{MEDIA_TYPE}.manifest.v1+json",
                "config": config_blob.descriptor,
                "layers": [layer.blob.descriptor for layer in layers],
                "annotations": config["config"]["Labels"],
            }
        ),
    )
    names = {
        "org.opencontainers.image.ref.name": version,
        # The name that engines give to the image of an archive.
        "io.containerd.image.name": f"docker.io/library/canfetch:{version}",
    }
    platform = {"architecture": config["architecture"], "os": config["os"]}
    index = {
        "schemaVersion": 2,
        "mediaType": f"{MEDIA_TYPE}.index.v1+json",
        "manifests": [{**manifest.descriptor, "platform": platform, "annotations": names}],
    }
    docker = {
        "Config": config_blob.path,
        "RepoTags": [f"canfetch:{version}"],
        "Layers": [layer.blob.path for layer in layers],
    }
    files = {
        "oci-layout": _json({"imageLayoutVersion": "1.0.0"}),
        "index.json": _json(index),
        "manifest.json": _json([docker]),
    }
    for blob in (config_blob, manifest, *(layer.blob for layer in layers)):
        files[blob.path] = blob.content
    with tarfile.open(file, "w", format=tarfile.PAX_FORMAT) as writer:
        for folder in ("blobs", "blobs/sha256"):
            member = tarfile.TarInfo(folder)
            member.type, member.mode, member.mtime = tarfile.DIRTYPE, 0o755, epoch
            writer.addfile(member)
        for name, content in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), epoch
            writer.addfile(member, io.BytesIO(content))


def labels(version: str, licence: str, description: str, epoch: int, revision: str | None) -> dict[str, str]:
    """Return the labels of an image."""
    from canfetch.repository import DOCUMENTATION, REPOSITORY

    values = {
        "created": _time(epoch),
        "title": "canfetch",
        "description": description,
        "version": version,
        "licenses": licence,
        "vendor": "The canfetch authors",
        "revision": revision,
        "url": DOCUMENTATION or REPOSITORY,
        "documentation": DOCUMENTATION,
        "source": REPOSITORY,
    }
    return {f"org.opencontainers.image.{name}": value for name, value in sorted(values.items()) if value}


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
        _write(application / SBOM, bill)
        layers = [
            build_layer(system, epoch, f"Python {PYTHON} from packages of Debian {RELEASE}"),
            build_layer(application, epoch, f"{wheel.name} with {', '.join(EXTRAS)}"),
        ]
    labelled = labels(version, metadata["License-Expression"], metadata["Summary"], epoch, revision)
    config = image_config(layers, architecture, labelled, epoch)
    output.mkdir(parents=True, exist_ok=True)
    stem = f"canfetch-{version}-linux-{architecture.debian}"
    archive = output / f"{stem}.oci.tar"
    write_archive(archive, layers, config, version, epoch)
    _write(output / f"{stem}.cdx.json", bill)
    return archive


# --- helpers ---------------------------------------------------------------------------------------------------------


def _sorted_paths(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _sorted_paths(path)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _json(value: object) -> bytes:
    return json.dumps(value, indent=2).encode()


def _time(epoch: int) -> str:
    return datetime.fromtimestamp(epoch, UTC).isoformat().replace("+00:00", "Z")


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


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
