#!/usr/bin/env bash
# Create a virtual environment in the folder VENV, unless it exists.
#
# usage: tools/prepare_machine.sh VENV [PYTHON]
#
# tools/install_packages.sh installs missing system packages. Where it cannot, an error names them.
# CANFETCH_BUILD=native makes Rust a requirement.
set -euo pipefail

venv=$1
python=${2:-}
minimum_rust=1.85

log() { printf 'canfetch: %s\n' "$*" >&2; }

install_packages() { "$(dirname "$0")/install_packages.sh" "$1"; }

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
    [[ $(printf '%s\n' "$minimum_rust" "$version" | sort -V | head -n 1) == "$minimum_rust" ]]
}

if [[ ! -x $venv/bin/python ]]; then
    interpreter=$(find_python) || {
        [[ -z $python ]] && install_packages python && interpreter=$(find_python)
    } || {
        log "needs Python 3.11 or later: pass PYTHON=/path/to/python"
        exit 1
    }
    if ! "$interpreter" -c 'import ensurepip, venv' 2>/dev/null; then
        install_packages python && "$interpreter" -c 'import ensurepip, venv' || {
            log "$interpreter cannot create virtual environments: install python3-venv"
            exit 1
        }
    fi
    log "creating $venv with $("$interpreter" --version)"
    "$interpreter" -m venv "$venv"
fi

if [[ ${CANFETCH_BUILD:-auto} == native ]] && ! rust_is_new_enough; then
    install_packages rust && rust_is_new_enough || {
        log "CANFETCH_BUILD=native needs Rust $minimum_rust or later, with cargo and a C linker"
        exit 1
    }
fi
