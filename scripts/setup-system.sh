#!/usr/bin/env bash
# System programs that the tests use, and a Node 24 for the smoke run, on Debian. Safe to run again: it does nothing when
# everything is there. Needs root for the packages; Node 24 goes to the user's cache. Prints the path of Node 24.
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
  x86_64) arch=x64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) echo "No Node 24 package for $(uname -m): install it by hand for the smoke run." >&2; exit 1 ;;
esac
node24="${XDG_CACHE_HOME:-$HOME/.cache}/lathe-ci/node24"
case "$("$node24/bin/node" --version 2>/dev/null || true)" in
  v24.*) ;;
  *)
    download=$(mktemp -d)
    trap 'rm -rf "$download"' EXIT
    # The platform's package alone: it holds the program and has no install script.
    (cd "$download" && npm pack --silent "node-linux-$arch@24.21.0" >&2)
    rm -rf "$node24"
    mkdir -p "$node24"
    tar -xzf "$download"/*.tgz -C "$node24" --strip-components=1
    ;;
esac
"$node24/bin/node" --version >&2
echo "$node24/bin/node"
