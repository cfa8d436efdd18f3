#!/usr/bin/env bash
# Build the engine of the tester page and of the npm package, a WebAssembly module, into the file OUTPUT.
#
# usage: tools/build_engine_module.sh OUTPUT
#
# The standard library is built as well, which makes the module a third smaller. That needs a rustc whose sources are
# installed, such as rustup's with the component rust-src or Debian's rustc-web with rust-web-src, and a linker: rust-lld
# of any toolchain, or wasm-ld of the package lld. A toolchain with the target wasm32-unknown-unknown is used otherwise.
#
# The file OUTPUT.rustc names the compiler, whose standard library is in the module, and the file OUTPUT.crates the crates
# that were built.
#
# In CI (CI=true), what is missing is installed with rustup, or with tools/install_packages.sh.
#
# Exit codes: 0 built; 3 a toolchain is missing, which one line on standard error explains; otherwise the code of cargo.
set -euo pipefail

output=$1
[[ $output == /* ]] || output=$PWD/$output
cd "$(dirname "$0")/.."
target=wasm32-unknown-unknown

log() { printf 'canfetch: %s\n' "$*" >&2; }

# Print the first program that compiles for the target without building the standard library.
find_compiler_with_target() {
    local candidate
    for candidate in "$(command -v rustc || true)" "${HOME:-/root}"/.cargo/bin/rustc; do
        if [[ -x $candidate && -d $("$candidate" --print sysroot)/lib/rustlib/$target/lib ]]; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    return 1
}

# Print the first program whose standard library can be built, because its sources are installed.
find_compiler_with_sources() {
    local candidate
    for candidate in "$(command -v rustc || true)" /usr/bin/rustc; do
        if [[ -x $candidate && -f $("$candidate" --print sysroot)/lib/rustlib/src/rust/library/Cargo.toml ]]; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    return 1
}

find_linker() {
    local candidate
    for candidate in "$("$1" --print sysroot)" "${RUSTUP_HOME:-${HOME:-/root}/.rustup}"/toolchains/*; do
        candidate=$(compgen -G "$candidate/lib/rustlib/*/bin/rust-lld" | head -n 1)
        if [[ -n $candidate ]]; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    # The newest version, because it must read what the compiler's LLVM writes.
    candidate=$(compgen -c wasm-ld | sort -V | tail -n 1)
    [[ -n $candidate ]] && command -v "$candidate"
}

# Set `rustc`, and `linker` if the standard library has to be built. Otherwise set `problem`.
find_toolchain() {
    linker=
    if ! command -v cargo >/dev/null; then
        problem="cargo is not installed"
    elif rustc=$(find_compiler_with_sources) && linker=$(find_linker "$rustc"); then
        return 0
    elif rustc=$(find_compiler_with_target); then
        return 0
    elif find_compiler_with_sources >/dev/null; then
        problem="no linker for WebAssembly is installed"
    else
        problem="no Rust compiler has the sources of its standard library, or the target $target"
    fi
    return 1
}

install_toolchain() {
    [[ ${CI:-} == true ]] || return 1
    if command -v rustup >/dev/null; then
        log "installing the component rust-src with rustup"
        rustup --quiet component add rust-src && return 0
    fi
    tools/install_packages.sh engine
}

find_toolchain || { install_toolchain && find_toolchain; } || {
    log "cannot build the WebAssembly engine: $problem; install Rust with rustup and run" \
        "'rustup component add rust-src', or install Debian's packages rustc-web rust-web-src cargo-web and lld"
    exit 3
}

export CARGO_TARGET_DIR=$PWD/rust/target/wasm RUSTC=$rustc
build=(cargo build --manifest-path rust/wasm/Cargo.toml --locked --quiet --lib --release --target "$target")
log "building the WebAssembly engine with $("$rustc" --version)"
if [[ -n $linker ]]; then
    # Building the standard library is an unstable option of cargo. Its short sorting functions make the module a
    # quarter smaller.
    export RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$linker
    build+=(-Zbuild-std=std,panic_abort -Zbuild-std-features=optimize_for_size)
    if "$rustc" -Zunstable-options -Cpanic=immediate-abort --print cfg >/dev/null 2>&1; then
        # Without the messages of panics. The module has no imports, so nobody could read them.
        export RUSTFLAGS="-Zunstable-options -Cpanic=immediate-abort"
    fi
fi
"${build[@]}"

mkdir -p "$(dirname "$output")"
install -m 644 "$CARGO_TARGET_DIR/$target/release/canfetch_wasm.wasm" "$output"
printf '%s\n' "$rustc" >"$output.rustc"
find "$CARGO_TARGET_DIR/$target/release/deps" -name 'lib*.rlib' | sed -n 's|.*/lib\(.*\)-[0-9a-f]*\.rlib$|\1|p' | sort -u \
    >"$output.crates"
log "built ${output#"$PWD"/}, $(stat -c %s "$output" 2>/dev/null || stat -f %z "$output") bytes"
