"""The container image in dist/ is an OCI layout, and its programs run in a read-only root without privileges."""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from tests.missing import skip_unless_ci

import image_archive
import image_packages

ROOT: Final = Path(__file__).parents[2]
DIST: Final = ROOT / "dist"
HERE: Final = Path(__file__).parent
USER: Final = 65532
TOKEN: Final = "horse"  # noqa: S105 - a token of a test
SECONDS: Final = 300.0
# The goal is 50 MB.
MAX_BYTES: Final = 50_000_000
OCI: Final = "application/vnd.oci.image"
WRITABLE: Final = {"cache", "tmp"}
packaging = pytest.mark.packaging


class Image(NamedTuple):
    """The content of the archive, and the files of its layers."""

    layout: dict[str, bytes]
    entries: dict[str, Any]
    manifest: dict[str, Any]
    config: dict[str, Any]
    members: dict[str, tarfile.TarInfo]
    files: dict[str, bytes]

    def blob(self, descriptor: dict[str, Any]) -> bytes:
        return self.layout["blobs/sha256/" + descriptor["digest"].removeprefix("sha256:")]


def architecture() -> str:
    machine = os.uname().machine
    return next(name for name, found in image_packages.ARCHITECTURES.items() if found.machine == machine)


def archive() -> Path:
    archives = list(DIST.glob(f"canfetch-*-linux-{architecture()}.oci.tar"))
    assert len(archives) == 1, "build it first: make image"
    return archives[0]


@cache
def image() -> Image:
    with tarfile.open(archive()) as reader:
        layout = {member.name: reader.extractfile(member).read() for member in reader if member.isreg()}  # type: ignore[union-attr]
    found = Image(layout, json.loads(layout["index.json"]), {}, {}, {}, {})
    (entry,) = found.entries["manifests"]
    manifest = json.loads(found.blob(entry))
    found = found._replace(manifest=manifest, config=json.loads(found.blob(manifest["config"])))
    for layer in manifest["layers"]:
        with tarfile.open(fileobj=io.BytesIO(gzip.decompress(found.blob(layer)))) as reader:
            for member in reader:
                found.members[member.name] = member
                if member.isreg():
                    found.files[member.name] = reader.extractfile(member).read()  # type: ignore[union-attr]
    return found


class Sandbox(NamedTuple):
    """The unpacked image, which runs as another user, without capabilities and network, in a read-only root.

    Attributes:
        root: The root folder, as umoci unpacked it.
        cache: The folder for `/cache`.
        config: The configuration for a runtime, which umoci made from that of the image.
    """

    root: Path
    cache: Path
    config: dict[str, Any]

    def run(
        self, *command: str, mounts: tuple[str, ...] = (), content: str = "", environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        process = self.config["process"]
        assert process["user"]["uid"] == process["user"]["gid"] == USER
        drop = [
            "setpriv",
            f"--reuid={USER}",
            f"--regid={USER}",
            "--clear-groups",
            "--no-new-privs",
            "--bounding-set=-all",
        ]
        confine = ["bwrap", "--unshare-all", "--die-with-parent", "--clearenv", "--chdir", process["cwd"]]
        confine += ["--ro-bind", str(self.root), "/", "--proc", "/proc", "--dev", "/dev", *mounts]
        variables = dict(entry.split("=", 1) for entry in process["env"]) | (environment or {})
        for name, value in variables.items():
            confine += ["--setenv", name, value]
        return subprocess.run(
            [*drop, *confine, "--", *command],
            input=content,
            check=False,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
        )

    def canfetch(self, *arguments: str, content: str = "") -> subprocess.CompletedProcess[str]:
        (entry,) = image().config["config"]["Entrypoint"]
        return self.run(entry, *arguments, mounts=("--bind", str(self.cache), "/cache"), content=content)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    for tool in ("umoci", "bwrap", "setpriv"):
        if shutil.which(tool) is None:
            skip_unless_ci(f"{tool} is not installed")
    if os.geteuid() != 0:
        skip_unless_ci("only root can become another user")
    # Not in a folder of pytest, which other users cannot enter.
    with tempfile.TemporaryDirectory(prefix="canfetch-image-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with tarfile.open(archive()) as reader:
            reader.extractall(folder / "layout", filter="data")
        reference = (
            f"{folder / 'layout'}:{image().entries['manifests'][0]['annotations']['org.opencontainers.image.ref.name']}"
        )
        subprocess.run(["umoci", "unpack", "--image", reference, str(folder / "bundle")], check=True)
        (folder / "bundle").chmod(0o755)
        caches = folder / "cache"
        caches.mkdir(0o700)
        os.chown(caches, USER, USER)
        config = json.loads((folder / "bundle/config.json").read_text(encoding="utf-8"))
        yield Sandbox(folder / "bundle/rootfs", caches, config)


# --- the archive -----------------------------------------------------------------------------------------------------


@packaging
def test_archive_is_an_oci_layout_with_matching_digests() -> None:
    found = image()
    assert json.loads(found.layout["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    assert (found.entries["schemaVersion"], found.entries["mediaType"]) == (2, f"{OCI}.index.v1+json")
    (entry,) = found.entries["manifests"]
    assert entry["platform"] == {"architecture": architecture(), "os": "linux"}
    assert entry["mediaType"] == found.manifest["mediaType"] == f"{OCI}.manifest.v1+json"
    assert found.manifest["config"]["mediaType"] == f"{OCI}.config.v1+json"
    assert {layer["mediaType"] for layer in found.manifest["layers"]} == {f"{OCI}.layer.v1.tar+gzip"}
    descriptors = [entry, found.manifest["config"], *found.manifest["layers"]]
    for descriptor in descriptors:
        content = found.blob(descriptor)
        assert descriptor["size"] == len(content)
        assert descriptor["digest"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
    names = {
        "oci-layout",
        "index.json",
        "manifest.json",
        *("blobs/sha256/" + found["digest"][7:] for found in descriptors),
    }
    assert set(found.layout) == names
    contents = [gzip.decompress(found.blob(layer)) for layer in found.manifest["layers"]]
    digests = [f"sha256:{hashlib.sha256(content).hexdigest()}" for content in contents]
    assert found.config["rootfs"] == {"type": "layers", "diff_ids": digests}


@packaging
def test_engines_find_the_name_and_the_layers() -> None:
    """Docker without the image store of containerd reads only `manifest.json`, as in archives of `docker save`."""
    from canfetch import __version__

    found = image()
    (entry,) = found.entries["manifests"]
    assert entry["annotations"] == {
        "io.containerd.image.name": f"docker.io/library/canfetch:{__version__}",
        "org.opencontainers.image.ref.name": __version__,
    }
    (docker,) = json.loads(found.layout["manifest.json"])
    assert docker["RepoTags"] == [f"canfetch:{__version__}"]
    assert found.layout[docker["Config"]] == found.blob(found.manifest["config"])
    assert [found.layout[name] for name in docker["Layers"]] == [
        found.blob(layer) for layer in found.manifest["layers"]
    ]


@packaging
def test_archive_is_as_small_as_the_documentation_states() -> None:
    page = (ROOT / "docs/container.md").read_text(encoding="utf-8")
    (megabytes,) = re.findall(r"\*\*Small:\*\* (\d+) MB", page)
    size = archive().stat().st_size
    assert size < MAX_BYTES
    assert abs(size / 1e6 - int(megabytes)) < 2, "update the size in docs/container.md and CHANGELOG.md"


@packaging
def test_config_has_a_numeric_user_the_server_and_its_health_check() -> None:
    config = image().config["config"]
    assert config["User"] == f"{USER}:{USER}"
    assert config["Entrypoint"] == ["/usr/local/bin/canfetch"]
    assert config["Cmd"] == ["serve", "--host", "0.0.0.0", "--port", "8420"]  # noqa: S104 - all addresses of a container
    assert config["ExposedPorts"] == {"8420/tcp": {}, "8421/tcp": {}}
    assert config["Healthcheck"]["Test"] == ["CMD", "/usr/local/bin/healthcheck"]
    assert config["WorkingDir"] == "/work"
    for command in (config["Entrypoint"][0], config["Healthcheck"]["Test"][1]):
        assert image().members[command[1:]].mode == 0o755


@packaging
def test_labels_are_those_of_the_wheel() -> None:
    from canfetch import __version__

    labels = image().config["config"]["Labels"]
    assert labels == image().manifest["annotations"]
    prefix = "org.opencontainers.image."
    assert all(name.startswith(prefix) for name in labels)
    assert labels[f"{prefix}version"] == __version__
    assert labels[f"{prefix}licenses"] == "Apache-2.0"
    assert {f"{prefix}{name}" for name in ("created", "title", "description", "vendor")} <= set(labels)


@packaging
def test_only_root_can_write_to_files_and_none_is_setuid() -> None:
    for name, member in image().members.items():
        if name in WRITABLE:
            assert member.isdir()
            continue
        assert (member.uid, member.gid) == (0, 0), name
        assert member.isreg() or member.isdir() or member.issym(), name
        assert member.issym() or not member.mode & (stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX | 0o022), name
    cache_folder, tmp = image().members["cache"], image().members["tmp"]
    assert (cache_folder.uid, cache_folder.gid, cache_folder.mode) == (USER, USER, 0o700)
    assert (tmp.uid, tmp.mode) == (0, 0o1777)


@packaging
def test_image_has_one_program_and_no_traces_of_the_build() -> None:
    programs = {
        name
        for name in image().members
        if name.startswith(("bin/", "sbin/", "usr/bin/", "usr/sbin/", "usr/local/bin/"))
    }
    assert programs == {"usr/bin/python3.11", "usr/local/bin/canfetch", "usr/local/bin/healthcheck"}
    assert len({member.mtime for member in image().members.values()}) == 1
    traces = (str(ROOT).encode(), tempfile.gettempdir().encode() + b"/canfetch-image-")
    for name, content in image().files.items():
        # The native module has the places of its own build.
        if not name.endswith(".so"):
            assert not any(trace in content for trace in traces), name


@packaging
def test_bill_of_materials_lists_every_package() -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    text = image().files["usr/share/canfetch/image.cdx.json"].decode()
    assert (DIST / archive().name.replace(".oci.tar", ".cdx.json")).read_text(encoding="utf-8") == text
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    purls = [part["purl"] for part in json.loads(text)["components"]]
    assert len(purls) == len(set(purls))
    status = image().files["var/lib/dpkg/status"].decode()
    debian = {line.partition(": ")[2] for line in status.splitlines() if line.startswith("Package: ")}
    assert {purl.split("/")[2].partition("@")[0] for purl in purls if purl.startswith("pkg:deb/")} == debian
    assert debian == set(image_packages.DEBIAN_PACKAGES)
    installed = [name for name in image().files if name.endswith(".dist-info/METADATA")]
    assert len([purl for purl in purls if purl.startswith("pkg:pypi/")]) >= len(installed) > 20
    assert {"pkg:cargo/memchr", "pkg:pypi/canfetch", "pkg:npm/crelt"} <= {purl.partition("@")[0] for purl in purls}


@packaging
def test_each_package_of_debian_has_its_license() -> None:
    members = image().members
    for package in image_packages.DEBIAN_PACKAGES:
        folder = members[f"usr/share/doc/{package}"]
        owner = folder.linkname if folder.issym() else package
        assert f"usr/share/doc/{owner}/copyright" in members, package


# --- running ---------------------------------------------------------------------------------------------------------


@packaging
def test_version_names_the_native_engine(sandbox: Sandbox) -> None:
    result = sandbox.canfetch("--version")
    assert (result.returncode, result.stderr) == (0, "")
    assert ", engine native, Python 3.11." in result.stdout


@packaging
def test_check_reads_standard_input(sandbox: Sandbox) -> None:
    arguments = ("check", "https://example.com/private/1", "--agent", "GPTBot", "--robots", "-")
    result = sandbox.canfetch(*arguments, content="User-agent: *\nDisallow: /private\n")
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout == "disallowed  https://example.com/private/1  GPTBot  line 2, Disallow: /private\n"


@packaging
def test_every_module_finds_its_libraries(sandbox: Sandbox) -> None:
    names = set()
    for module in (Path(name) for name in image().files if ".cpython-311-" in name or name.endswith(".abi3.so")):
        if module.suffix == ".so":
            folder = module.parent.as_posix().partition("/dist-packages")[2].strip("/")
            names.add(f"{folder}/{module.name.partition('.')[0]}".strip("/").replace("/", "."))
    assert {"_ssl", "_sqlite3", "lxml.etree", "canfetch._native"} <= names
    imports = "\n".join(f"import {name}" for name in sorted(names))
    result = sandbox.run("/usr/bin/python3.11", "-c", imports)
    assert result.returncode == 0, result.stderr


@packaging
def test_certificates_are_found(sandbox: Sandbox) -> None:
    program = "import ssl; print(ssl.create_default_context().cert_store_stats()['x509_ca'])"
    assert int(sandbox.run("/usr/bin/python3.11", "-c", program).stdout) > 100


@packaging
def test_modules_are_compiled(sandbox: Sandbox) -> None:
    """A read-only container compiles what is not compiled at each start."""
    program = (
        "import sys, fastapi, mcp, canfetch.web.app, canfetch.cli.main, os\n"
        "found = [m.__spec__ for m in sys.modules.values() if getattr(m, '__spec__', None)]\n"
        "print([s.name for s in found if (s.origin or '').endswith('.py') and not os.path.exists(s.cached)])"
    )
    assert sandbox.run("/usr/bin/python3.11", "-c", program).stdout == "[]\n"


@packaging
def test_server_is_not_public_without_a_token(sandbox: Sandbox) -> None:
    result = sandbox.canfetch(*image().config["config"]["Cmd"])
    assert result.returncode == 2
    assert "pass --token" in result.stderr


@packaging
@pytest.mark.parametrize("workers", ["1", "2"])
def test_server_answers_in_a_read_only_root(sandbox: Sandbox, workers: str) -> None:
    config = image().config["config"]
    mounts = ("--bind", str(sandbox.cache), "/cache", "--tmpfs", "/tmp")  # noqa: S108 - that of the container
    command = [*config["Entrypoint"], *config["Cmd"], "--workers", workers]
    check = config["Healthcheck"]["Test"][1]
    result = sandbox.run(
        "/usr/bin/python3.11",
        "-c",
        (HERE / "image_server.py").read_text(encoding="utf-8"),
        check,
        *command,
        mounts=mounts,
        environment={"CANFETCH_TOKEN": TOKEN},
    )
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["before"] == 1
    assert found["healthz"][0] == 200
    assert found["page"][:2] == [200, "text/html; charset=utf-8"]
    assert "static/" in found["page"][2]
    assert found["without_token"][0] == 401
    assert found["decide"][0] == 200
    assert json.loads(found["decide"][2])["allowed"] is False
    assert found["exit"] == 0
    assert found["user"] == [USER, USER, []]
    assert set(found["capabilities"]) == {"0000000000000000"}
    assert found["read_only"] == ["/", "/etc", "/usr/local", "/work"]


@packaging
def test_mcp_server_answers_on_standard_streams(sandbox: Sandbox) -> None:
    client = {"name": "test", "version": "1"}
    parameters = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}
    result = sandbox.canfetch("mcp", content=json.dumps(request) + "\n")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "canfetch"


# --- the build -------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="the image is not built on Windows")
def test_layer_depends_only_on_names_contents_and_time(tmp_path: Path) -> None:
    layers = []
    for number, names in enumerate((("a", "b/c", "tmp/d"), ("tmp/d", "b/c", "a"))):
        folder = tmp_path / str(number)
        for name in names:
            file = folder / name
            file.parent.mkdir(exist_ok=True, parents=True)
            file.write_text(name, encoding="utf-8")
            os.utime(file, (number, number))
        (folder / "a").chmod(0o4755 if number else 0o777)
        (folder / "link").symlink_to("a")
        os.link(folder / "a", folder / "b" / "again")
        layers.append(image_archive.build_layer(folder, 7, "test"))
    assert layers[0] == layers[1]
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(layers[0].blob.content))) as reader:
        found = {member.name: (member.mode, member.mtime, member.isreg()) for member in reader}
    assert found["a"] == found["b/again"] == (0o755, 7, True)
    assert found["b/c"] == (0o644, 7, True)
    assert found["tmp"] == (0o1777, 7, False)


@packaging
def test_mirror_that_cannot_be_reached_gives_one_line(tmp_path: Path) -> None:
    mirrors = ["--mirror", "http://127.0.0.1:9/debian", "--security-mirror", "http://127.0.0.1:9/security"]
    command = [sys.executable, str(ROOT / "tools/build_image.py"), "--output", str(tmp_path), *mirrors]
    result = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("canfetch: cannot download the packages of Debian from http://127.0.0.1:9/debian: ")
    assert not list(tmp_path.iterdir())


def test_wheel_of_the_architecture_is_preferred(tmp_path: Path) -> None:
    amd64, arm64 = image_packages.ARCHITECTURES["amd64"], image_packages.ARCHITECTURES["arm64"]
    with pytest.raises(image_packages.ImageError, match="no wheel for amd64"):
        image_packages.find_wheel(amd64, tmp_path)
    names = ["cp311-abi3-linux_x86_64", "cp311-abi3-musllinux_1_2_x86_64", "py3-none-any"]
    for name in names:
        (tmp_path / f"canfetch-1-{name}.whl").touch()
    assert image_packages.find_wheel(amd64, tmp_path).stem == "canfetch-1-cp311-abi3-linux_x86_64"
    assert image_packages.find_wheel(arm64, tmp_path).stem == "canfetch-1-py3-none-any"


def test_compose_file_confines_the_container() -> None:
    yaml = pytest.importorskip("yaml")
    service = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text(encoding="utf-8"))["services"]["canfetch"]
    from canfetch import __version__

    assert service["image"] == f"canfetch:{__version__}"
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["user"] == f"{USER}:{USER}"
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["healthcheck"]["test"] == ["CMD", "/usr/local/bin/healthcheck"]
    written = {entry.split(":")[1] for entry in service["volumes"]} | {
        entry.split(":")[0] for entry in service["tmpfs"]
    }
    assert written == {f"/{name}" for name in WRITABLE}
