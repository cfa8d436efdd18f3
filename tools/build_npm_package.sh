#!/usr/bin/env bash
# Build the npm package into the folder OUTPUT, from which `npm pack` makes an archive.
#
# usage: tools/build_npm_package.sh OUTPUT
#
# The engine of the tester page is built if it is older than its sources. PYTHON names the interpreter that lists its
# licenses.
#
# Exit codes: 0 built; 3 npm or a toolchain for the engine is missing, which one line on standard error explains.
set -euo pipefail

output=$1
[[ $output == /* ]] || output=$PWD/$output
cd "$(dirname "$0")/.."
engine=build/engine.wasm

if ! command -v npm >/dev/null; then
    echo "canfetch: cannot build the npm package: npm is not installed" >&2
    exit 3
fi
sources=(rust/core rust/wasm tools/build_engine_module.sh)
is_built() { [[ -f $engine && -f $engine.crates ]]; }
if ! is_built || [[ -n $(find "${sources[@]}" \( -name '*.rs' -o -name '*.toml' -o -name '*.lock' -o -name '*.sh' \) -newer $engine) ]]; then
    tools/build_engine_module.sh $engine
fi
"${PYTHON:-python3}" tools/bundled_parts.py build/engine-parts.json
[[ -d page/node_modules/esbuild ]] || npm --prefix page ci --silent
node npm/build.mjs "$output"
