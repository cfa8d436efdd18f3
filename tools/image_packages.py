"""The folders that become the layers of the image: Python from packages of Debian, and canfetch.

mmdebstrap downloads the packages of Debian and checks their signatures, and uv those of Python. Of their programs, only
Python runs here, to compile the modules. For another architecture, a Python of the same version does that.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Final, NamedTuple

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
CERTIFICATES: Final = "etc/ssl/certs/ca-certificates.crt"

USER: Final = 65532
CACHE: Final = "cache"
# Folders that the user may write to. Everything else belongs to root, and only root may write to it.
WRITABLE: Final = {CACHE: (USER, 0o700), "tmp": (0, 0o1777)}


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
    write_file(system / "var/lib/dpkg/status", "\n".join(entries))
    certificates = sorted((system / "usr/share/ca-certificates/mozilla").glob("*.crt"))
    write_file(system / CERTIFICATES, "".join(file.read_text(encoding="ascii") for file in certificates))
    _remove(system / "usr/share/ca-certificates")
    # Where OpenSSL looks. The link is in a package that is not installed.
    authorities = system / "usr/lib/ssl/cert.pem"
    authorities.parent.mkdir()
    authorities.symlink_to(f"/{CERTIFICATES}")
    write_file(
        system / "etc/passwd",
        f"root:x:0:0:root:/:/nonexistent\ncanfetch:x:{USER}:{USER}:canfetch:/{CACHE}:/nonexistent\n",
    )
    write_file(system / "etc/group", f"root:x:0:\ncanfetch:x:{USER}:\n")
    write_file(system / "etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
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


def write_file(file: Path, text: str) -> None:
    """Write a file in a folder that may not exist yet."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
