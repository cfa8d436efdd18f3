#!/usr/bin/env bash
# Build the C library, and install it into the folder PREFIX: include/, lib/ with lib/pkgconfig/, and share/licenses/.
#
# usage: tools/build_c_library.sh PREFIX
#
# The pkg-config file finds the library relative to itself, so the folder can be moved. CARGO_TARGET_DIR is where the
# crates are compiled. CARGO_BUILD_TARGET is the platform, if it is not that of this machine: the operating system must be
# the same. PYTHON names the interpreter that lists the licenses.
#
# Exit codes: 0 built; 3 cargo is missing, which one line on standard error explains; otherwise the code of cargo.
set -euo pipefail

prefix=$1
[[ $prefix == /* ]] || prefix=$PWD/$prefix
cd "$(dirname "$0")/.."
# Not the folder of other builds, which would have to wait.
target=${CARGO_TARGET_DIR:-$PWD/rust/target}/c
# Cargo then has a folder for the platform.
release=$target/${CARGO_BUILD_TARGET:+$CARGO_BUILD_TARGET/}release

log() { printf 'canfetch: %s\n' "$*" >&2; }

if ! command -v cargo >/dev/null; then
    log "cannot build the C library: cargo is not installed"
    exit 3
fi

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' rust/Cargo.toml)
# Before 1.0, each minor version may change the binary interface.
binary=${version%%.*}
[[ $binary != 0 ]] || binary=${version%.*}
case $(uname -s) in
    Darwin)
        names=(libcanfetch."$version".dylib libcanfetch."$binary".dylib libcanfetch.dylib)
        built=libcanfetch_c.dylib
        name_option=-Wl,-install_name,@rpath/${names[1]}
        ;;
    *)
        names=(libcanfetch.so."$version" libcanfetch.so."$binary" libcanfetch.so)
        built=libcanfetch_c.so
        name_option=-Wl,-soname,${names[1]}
        ;;
esac

cargo rustc --manifest-path rust/Cargo.toml --package canfetch-c --locked --quiet --release --lib --target-dir "$target" \
    --crate-type cdylib,staticlib -- -C "link-arg=$name_option"

include=$prefix/include
lib=$prefix/lib
licenses=$prefix/share/licenses/canfetch
mkdir -p "$include" "$lib/pkgconfig" "$licenses"
install -m 644 rust/c/include/canfetch.h "$include/canfetch.h"
install -m 755 "$release/$built" "$lib/${names[0]}"
ln -sf "${names[0]}" "$lib/${names[1]}"
ln -sf "${names[1]}" "$lib/${names[2]}"
install -m 644 "$release/libcanfetch_c.a" "$lib/libcanfetch.a"
# The standard library has debugging information, which is most of the archive.
! command -v strip >/dev/null || strip -S "$lib/libcanfetch.a"

# What the standard library needs. Other builds may run at the same time, so the folder is its own.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
rustc ${CARGO_BUILD_TARGET:+"--target=$CARGO_BUILD_TARGET"} --crate-type staticlib --print native-static-libs \
    -o "$scratch/empty.a" - 2>"$scratch/notes" </dev/null || { cat "$scratch/notes" >&2 && exit 1; }
libraries=$(sed -n 's/^note: native-static-libs: //p' "$scratch/notes")
if [[ -z $libraries ]]; then
    log "cannot write canfetch.pc: rustc does not list the libraries that the static library needs"
    exit 1
fi
cat >"$lib/pkgconfig/canfetch.pc" <<EOF
prefix=\${pcfiledir}/../..
includedir=\${prefix}/include
libdir=\${prefix}/lib

Name: canfetch
Description: May this crawler fetch this URL, and why? robots.txt by RFC 9309
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lcanfetch
Libs.private: $libraries
EOF
install -m 644 LICENSE "$licenses/LICENSE"
"${PYTHON:-python3}" tools/bundled_parts.py --c-library "$licenses/LICENSES-OF-PARTS"
log "built the C library in $prefix"
