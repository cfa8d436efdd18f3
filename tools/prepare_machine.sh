#!/usr/bin/env bash
# Make an environment in the folder VENV, with a Python that is new enough; do nothing where it is there already.
#
# usage: tools/prepare_machine.sh VENV [PYTHON]
#
# What the system must give is checked first. On Debian and its kin, as root, what is missing is installed; elsewhere
# one line says what to install. CANFETCH_BUILD=native makes Rust one of the things that must be there, CI=true the
# servers that tests start.
set -euo pipefail

venv=$1
python=${2:-}
rust_least=1.85

say() { printf 'canfetch: %s\n' "$*" >&2; }

install_packages() {
    if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
        say "installing $* with apt-get"
        # No service that a package brings is started: the tests start their own.
        export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
        apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" >/dev/null
    else
        return 1
    fi
}

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    local candidate
    for candidate in ${python:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if new_enough "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

rust_is_new_enough() {
    command -v cargo >/dev/null || return 1
    local version
    version=$(rustc --version 2>/dev/null | cut -d' ' -f2) || return 1
    [[ $(printf '%s\n' "$rust_least" "$version" | sort -V | head -n 1) == "$rust_least" ]]
}

if [[ ! -x $venv/bin/python ]]; then
    interpreter=$(find_python) || {
        [[ -z $python ]] && install_packages python3 python3-venv && interpreter=$(find_python)
    } || {
        say "needs Python 3.11 or later; name one with PYTHON=/path/to/python"
        exit 1
    }
    if ! "$interpreter" -c 'import ensurepip, venv' 2>/dev/null; then
        install_packages python3-venv && "$interpreter" -c 'import ensurepip, venv' || {
            say "$interpreter cannot make environments; on Debian and Ubuntu: apt-get install python3-venv"
            exit 1
        }
    fi
    say "making $venv with $("$interpreter" --version)"
    "$interpreter" -m venv "$venv"
fi

if [[ ${CANFETCH_BUILD:-auto} == native ]] && ! rust_is_new_enough; then
    # Debian 12 has two toolchains; the one for its browsers is the newer.
    install_packages gcc libc6-dev cargo-web rustc-web && rust_is_new_enough || {
        say "CANFETCH_BUILD=native needs Rust $rust_least or later, with cargo and a C linker"
        exit 1
    }
fi

# In CI a test that finds no Redis server fails; elsewhere it skips, and says so.
if [[ ${CI:-} == true ]] && ! command -v redis-server >/dev/null && ! command -v valkey-server >/dev/null; then
    install_packages redis-server || say "CI needs redis-server, or the tests of the Redis store fail"
fi

# The same for the web servers that rules are written for: each is started by the tests, and by nobody else.
if [[ ${CI:-} == true ]]; then
    missing=()
    PATH=$PATH:/usr/sbin
    for server in nginx apache2 caddy haproxy; do
        command -v "$server" >/dev/null || missing+=("$server")
    done
    if [[ ${#missing[@]} -gt 0 ]]; then
        install_packages "${missing[@]}" || say "CI needs ${missing[*]}, or the tests of rules for servers fail"
    fi
fi
