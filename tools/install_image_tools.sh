#!/usr/bin/env bash
# Install what builds the container image (mmdebstrap, with the keys of Debian), and what its tests run (umoci, bubblewrap).
# Do nothing if they are installed.
#
# Installs with apt-get as root on Debian and Ubuntu. Elsewhere it prints what is missing.
set -euo pipefail

missing=()
for tool in mmdebstrap umoci; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
command -v bwrap >/dev/null || missing+=(bubblewrap)
[[ -e /usr/share/keyrings/debian-archive-keyring.gpg ]] || missing+=(debian-archive-keyring)
if [[ ${#missing[@]} -eq 0 ]]; then
    exit 0
fi
if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
    echo "canfetch: installing ${missing[*]} with apt-get" >&2
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
    echo "canfetch: not installed: ${missing[*]}" >&2
fi
