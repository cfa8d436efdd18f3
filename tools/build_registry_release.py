"""Write a release of the registry of crawlers, with its signature.

    python tools/build_registry_release.py FOLDER [--key KEY.pem]

The release is `registry-VERSION.json`: the entries of the package, and the headers that declare no crawler. The same
files make the same bytes. The signature beside it, `.sig`, is Ed25519 with the private key in PEM. `openssl genpkey
-algorithm ed25519 -out KEY.pem` makes such a key, and `openssl pkey -in KEY.pem -pubout` prints the public key that
belongs into `RELEASE_KEYS` of `canfetch.client.registry_update`.
"""

import argparse
import base64
import json
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from canfetch.agents.releases import parse_release
from generate_registry_file import OTHER_HEADERS, format_release, read_plain


def main() -> int:
    """Write the files, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files are written")
    parser.add_argument("--key", type=Path, help="the private key; without it, nothing is signed")
    arguments = parser.parse_args()
    plain = read_plain()
    for crawler in plain["crawlers"]:
        crawler.pop("comment", None)
    plain["other_headers"] = json.loads(OTHER_HEADERS.read_bytes())
    content = format_release(plain).encode()
    release = parse_release(content)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    target = arguments.folder / f"registry-{release.version}.json"
    target.write_bytes(content)
    print(target)
    if arguments.key is not None:
        key = load_pem_private_key(arguments.key.read_bytes(), None)
        if not isinstance(key, Ed25519PrivateKey):
            parser.error(f"{arguments.key} is not an Ed25519 key")
        signature = target.with_name(f"{target.name}.sig")
        signature.write_bytes(base64.b64encode(key.sign(content)) + b"\n")
        print(signature)
    return 0


if __name__ == "__main__":
    sys.exit(main())
