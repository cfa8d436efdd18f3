#!/usr/bin/env bash
# Install the packages of Debian or Ubuntu that a purpose needs. Do nothing if they are installed.
#
# usage: tools/install_packages.sh PURPOSE
#
#   ci        what `.ci/run` itself needs: make, a C compiler, and what `wheels` needs
#   services  what tests start: Redis, PostgreSQL, four web servers, Neovim, Chromium, and Java for Spark; Maven and a Java
#             compiler, which build the URLFrontier test server; npm, which builds the tester page; and what uses the C
#             library: C, C++, Go, Ruby, SQLite and valgrind
#   wheels    advzip, which makes wheels smaller
#   image     what builds the container image (mmdebstrap, with the keys of Debian), and what its tests run
#   python, rust, engine    Python, and the toolchains of the native engine and of the tester page's engine. Their callers
#                           find out whether they are needed
#
# Installs with apt-get as root, or with sudo if CI=true. Elsewhere it prints what is missing and succeeds, except for `ci`:
# tests that need a missing program are skipped, and fail if CI=true.
set -euo pipefail

PATH=$PATH:/usr/sbin:/usr/local/sbin
missing=()

# Add a package unless one of these programs exists, or a file at a path with wildcards.
# usage: needs PACKAGE PROGRAM|/PATH...
needs() {
    local package=$1 candidate
    shift
    for candidate in "$@"; do
        if command -v "$candidate" >/dev/null; then return; fi
        if [[ $candidate == /* ]] && compgen -G "$candidate" >/dev/null; then return; fi
    done
    missing+=("$package")
}

case $1 in
    ci)
        needs make make
        needs gcc cc
        needs libc6-dev cc
        needs advancecomp advzip
        ;;
    wheels) needs advancecomp advzip ;;
    services)
        needs redis-server redis-server valkey-server
        needs postgresql initdb '/usr/lib/postgresql/*/bin/initdb'
        for server in nginx apache2 caddy haproxy; do needs "$server" "$server"; done
        needs neovim nvim
        needs npm npm
        needs openjdk-17-jre-headless java
        needs openjdk-17-jdk-headless javac
        needs maven mvn
        needs chromium chromium chromium-browser google-chrome
        needs gcc gcc
        needs libc6-dev gcc
        needs g++ g++
        needs golang-go go
        needs pkg-config pkg-config
        needs ruby ruby
        needs sqlite3 sqlite3
        needs libsqlite3-dev /usr/include/sqlite3ext.h
        needs valgrind valgrind
        ;;
    image)
        needs mmdebstrap mmdebstrap
        needs umoci umoci
        needs bubblewrap bwrap
        needs debian-archive-keyring /usr/share/keyrings/debian-archive-keyring.gpg
        ;;
    python) missing=(python3 python3-venv) ;;
    # Debian 12 packages two toolchains; the one that builds its browsers is newer.
    rust) missing=(gcc libc6-dev cargo-web rustc-web) ;;
    engine) missing=(rustc-web rust-web-src cargo-web lld) ;;
    *)
        echo "canfetch: unknown purpose $1: see $0" >&2
        exit 2
        ;;
esac
if [[ ${#missing[@]} -eq 0 ]]; then
    exit 0
fi

# RUNLEVEL=1 keeps the packages from starting their services: the tests start their own.
root=(env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1)
if [[ $(id -u) -ne 0 ]]; then
    [[ ${CI:-} == true ]] && sudo --non-interactive true 2>/dev/null && root=(sudo "${root[@]}") || root=()
fi
if [[ ${#root[@]} -eq 0 ]] || ! command -v apt-get >/dev/null; then
    echo "canfetch: not installed: ${missing[*]}" >&2
    [[ $1 != ci ]]
    exit
fi
# Fresh machines update themselves in the background, and hold the lock meanwhile.
wait_for_lock=(-o DPkg::Lock::Timeout=300)
"${root[@]}" apt-get "${wait_for_lock[@]}" update -qq
# The newest version, because it must read what the compiler's LLVM writes. The package lld is an older one.
newest_lld=$(apt-cache search --names-only '^lld-[0-9]+$' | cut -d' ' -f1 | sort -V | tail -n 1)
missing=("${missing[@]/#lld/${newest_lld:-lld}}")
echo "canfetch: installing ${missing[*]} with apt-get" >&2
"${root[@]}" apt-get "${wait_for_lock[@]}" install -y -qq --no-install-recommends --no-remove "${missing[@]}" >/dev/null
