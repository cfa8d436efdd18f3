"""The layers and the configuration of the image, and the OCI archive that contains them."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from image_packages import CACHE, USER, WRITABLE

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


def image_config(layers: Iterable[Layer], architecture: str, labels: dict[str, str], epoch: int) -> dict[str, Any]:
    """Return the configuration. `Healthcheck` is of Docker; OCI permits further fields, which others ignore."""
    return {
        "created": iso_time(epoch),
        "architecture": architecture,
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
        "history": [{"created": iso_time(epoch), "created_by": layer.origin} for layer in layers],
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
        "created": iso_time(epoch),
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


def iso_time(epoch: int) -> str:
    """Return a number of seconds since 1970 as a time of RFC 3339."""
    return datetime.fromtimestamp(epoch, UTC).isoformat().replace("+00:00", "Z")


def _json(value: object) -> bytes:
    return json.dumps(value, indent=2).encode()


def _sorted_paths(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _sorted_paths(path)
