#!/usr/bin/env bash
# Install packages into the environment of an interpreter, in the versions of tools/constraints.txt.
#
# usage: tools/install.sh PYTHON ARGUMENT...
#
# uv installs what the tests need in 7 s of processor time, but it does not read pip's configuration. Where uv is missing
# or fails, pip installs.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$1
shift
options=(--quiet --constraint tools/constraints.txt)
export UV_HTTP_TIMEOUT=${UV_HTTP_TIMEOUT:-180}

if "$python" -c 'import uv' 2>/dev/null; then
    "$python" -m uv pip install --python "$python" "${options[@]}" "$@" && exit
    echo "canfetch: uv failed; pip installs $*" >&2
fi
# Bytecode is written when a module is first imported. Writing that of all dependencies takes more than half of the time.
exec "$python" -m pip install --no-compile "${options[@]}" "$@"
