#!/usr/bin/env bash
# System programs that the tests use, a Bun for tests of the libraries and a Node 24 for the smoke run, on Debian. Safe to run
# again: it does nothing when everything is there. Needs root for the packages; Bun and Node 24 go to the user's cache. Prints the
# path of Node 24.
set -euo pipefail

packages=(
  git             # repositories in tests of search, context and the edit tools
  procps psmisc   # ps and pstree: what a command left behind
  openssh-client  # environment over ssh
  openssh-server  # its other end, started by the test on loopback
  podman runc     # environment in a container; runc because crun needs another cgroup layout
  busybox-static  # the whole image of that container
  openssl         # certificates for tests of TLS
  bsdutils        # script: a terminal around the command
  tmux            # the terminal that the recorded picture shows
  zsh fish        # shells that the completions are for
  python3         # a host in another language that drives the command
  chromium        # looks at the exported page
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
  sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  "${sudo[@]}" apt-get update -qq >&2
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi

case "$(uname -m)" in
  x86_64) arch=x64 bunArch=x64 ;;
  aarch64 | arm64) arch=arm64 bunArch=aarch64 ;;
  *) echo "No Node 24 and no Bun package for $(uname -m): install them by hand." >&2; exit 1 ;;
esac
cache="${XDG_CACHE_HOME:-$HOME/.cache}/lathe-ci"
download=$(mktemp -d)
trap 'rm -rf "$download"' EXIT

# The platform's package alone: it holds the program and has no install script.
fetch_program() { # <package> <folder>
  (cd "$download" && npm pack --silent "$1" >&2)
  rm -rf "$2"
  mkdir -p "$2"
  tar -xzf "$download"/*.tgz -C "$2" --strip-components=1
  rm "$download"/*.tgz
}

node24="$cache/node24"
case "$("$node24/bin/node" --version 2>/dev/null || true)" in
  v24.*) ;;
  *) fetch_program "node-linux-$arch@24.21.0" "$node24" ;;
esac
bun="$cache/bun"
[ "$("$bun/bin/bun" --version 2>/dev/null || true)" = 1.4.4 ] || fetch_program "@oven/bun-linux-$bunArch@1.4.4" "$bun"
"$bun/bin/bun" --version >&2
"$node24/bin/node" --version >&2
echo "$node24/bin/node"
