#!/usr/bin/env bash
# Install what tests start: Redis, PostgreSQL, four web servers, Neovim, Chromium, and Java for Spark; Maven and a Java
# compiler, which build the URLFrontier test server; npm, which builds the tester page; and what uses the C library: C,
# C++, Go, Ruby, SQLite and valgrind. Do nothing if they are installed.
#
# Installs with apt-get as root on Debian and Ubuntu, or with sudo if CI=true. Elsewhere it prints what is missing; the
# tests that need a missing server are skipped, and fail if CI=true.
set -euo pipefail

PATH=$PATH:/usr/sbin:/usr/local/sbin
missing=()
command -v redis-server >/dev/null || command -v valkey-server >/dev/null || missing+=(redis-server)
command -v initdb >/dev/null || compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null || missing+=(postgresql)
for server in nginx apache2 caddy haproxy; do
    command -v "$server" >/dev/null || missing+=("$server")
done
command -v nvim >/dev/null || missing+=(neovim)
command -v npm >/dev/null || missing+=(npm)
command -v java >/dev/null || missing+=(openjdk-17-jre-headless)
command -v javac >/dev/null || missing+=(openjdk-17-jdk-headless)
command -v mvn >/dev/null || missing+=(maven)
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
    missing+=(chromium)
command -v gcc >/dev/null || missing+=(gcc libc6-dev)
command -v g++ >/dev/null || missing+=(g++)
command -v go >/dev/null || missing+=(golang-go)
command -v pkg-config >/dev/null || missing+=(pkg-config)
command -v ruby >/dev/null || missing+=(ruby)
command -v sqlite3 >/dev/null || missing+=(sqlite3)
echo '#include <sqlite3ext.h>' | gcc -E - >/dev/null 2>&1 || missing+=(libsqlite3-dev)
command -v valgrind >/dev/null || missing+=(valgrind)
if [[ ${#missing[@]} -eq 0 ]]; then
    exit 0
fi
# RUNLEVEL=1 keeps the packages from starting their services: the tests start their own.
root=(env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1)
if [[ $(id -u) -ne 0 ]]; then
    [[ ${CI:-} == true ]] && sudo --non-interactive true 2>/dev/null && root=(sudo "${root[@]}") || root=()
fi
if [[ ${#root[@]} -gt 0 ]] && command -v apt-get >/dev/null; then
    echo "canfetch: installing ${missing[*]} with apt-get" >&2
    "${root[@]}" apt-get update -qq
    "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
    echo "canfetch: not installed: ${missing[*]}" >&2
fi
