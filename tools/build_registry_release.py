"""Write a release of the registry of crawlers, with its signature, or make a key for releases.

    python tools/build_registry_release.py --new-key KEY.pem
    python tools/build_registry_release.py FOLDER --key KEY.pem

`--new-key` writes a new private key that only its owner can read, outside the checkout, and adds the public key to
`RELEASE_KEYS` in src/canfetch/repository.py. Commit that file, and keep KEY.pem offline.

The release is `registry-VERSION.json`: the entries of the package, and the headers that declare no crawler. The same
files make the same bytes. The signature beside it, `.sig`, is Ed25519. A key that is not in `RELEASE_KEYS` signs only
with `--unpinned`, because `canfetch agents update` refuses its releases.
"""

import argparse
import base64
import getpass
import json
import os
import re
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from canfetch import repository
from canfetch.agents.releases import parse_release
from generate_registry_file import OTHER_HEADERS, format_release, read_plain
from generated import ROOT

PINS = ROOT / "src" / "canfetch" / "repository.py"
_PINS = re.compile(r"^(RELEASE_KEYS: Final\[tuple\[str, \.\.\.\]\] = )\((.*?)\)$", re.MULTILINE | re.DOTALL)


def public_line(key: Ed25519PrivateKey) -> str:
    """Return a public key in the form of `RELEASE_KEYS`: the middle line of its PEM."""
    return base64.b64encode(key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).decode()


def pin(line: str) -> None:
    """Add a public key to `RELEASE_KEYS`, after the others."""
    text = PINS.read_text(encoding="utf-8")
    found = _PINS.search(text)
    if found is None:
        raise SystemExit(f"{PINS} has no line 'RELEASE_KEYS: Final[tuple[str, ...]] = (...)'")
    lines = [*re.findall(r'"([^"]+)"', found[2]), line]
    keys = f'"{line}",' if len(lines) == 1 else "\n" + "".join(f'    "{one}",\n' for one in lines)
    PINS.write_text(text[: found.start(2)] + keys + text[found.end(2) :], encoding="utf-8")


def new_key(target: Path) -> None:
    """Write a new private key, and pin the public one."""
    key = Ed25519PrivateKey.generate()
    content = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with os.fdopen(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(content)
    pin(public_line(key))
    print(f"{target}: the private key. Keep it and a copy offline.\n{PINS}: has the public key now. Commit it.")


def read_key(file: Path) -> Ed25519PrivateKey:
    """Return a private key. The passphrase of an encrypted one is read from the terminal."""
    content = file.read_bytes()
    passphrase = getpass.getpass(f"Passphrase of {file}: ").encode() if b"ENCRYPTED" in content else None
    key = load_pem_private_key(content, passphrase)
    if not isinstance(key, Ed25519PrivateKey):
        raise SystemExit(f"{file} is not an Ed25519 key")
    return key


def write_release(folder: Path, key: Ed25519PrivateKey | None) -> None:
    """Write a release, and its signature if there is a key."""
    plain = read_plain()
    for crawler in plain["crawlers"]:
        crawler.pop("comment", None)
    plain["other_headers"] = json.loads(OTHER_HEADERS.read_bytes())
    content = format_release(plain).encode()
    release = parse_release(content)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"registry-{release.version}.json"
    target.write_bytes(content)
    print(target)
    if key is not None:
        signature = target.with_name(f"{target.name}.sig")
        signature.write_bytes(base64.b64encode(key.sign(content)) + b"\n")
        print(signature)


def main() -> int:
    """Write the files, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="where the files are written")
    parser.add_argument("--key", type=Path, help="the private key; without it, nothing is signed")
    parser.add_argument("--unpinned", action="store_true", help="sign with a key that is not in RELEASE_KEYS")
    parser.add_argument("--new-key", type=Path, metavar="KEY", help="make a private key, and pin the public one")
    arguments = parser.parse_args()
    if (arguments.new_key is None) == (arguments.folder is None):
        parser.error("pass either FOLDER or --new-key KEY")
    if arguments.new_key is not None:
        if arguments.new_key.resolve().is_relative_to(ROOT):
            parser.error(f"{arguments.new_key} is in the checkout: choose a place that is never committed")
        new_key(arguments.new_key)
        return 0
    key = None if arguments.key is None else read_key(arguments.key)
    if key is not None and not arguments.unpinned and public_line(key) not in repository.RELEASE_KEYS:
        parser.error(f"the public key of {arguments.key} is not in RELEASE_KEYS of {PINS}: pin it, or pass --unpinned")
    write_release(arguments.folder, key)
    return 0


if __name__ == "__main__":
    sys.exit(main())
