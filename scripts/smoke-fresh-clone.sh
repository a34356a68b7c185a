#!/usr/bin/env bash
# What a newcomer does: a new folder, an empty home, the first command of the README. No key, no terminal.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone --quiet . "$work/clone"
mkdir "$work/home"
cd "$work/clone"
env -i PATH="$PATH" HOME="$work/home" bash -c "npm ci --silent && npm start --silent" </dev/null | tee "$work/output"
grep -q "# fail 0" "$work/output" || { echo "the first command of the README did not end with a green test"; exit 1; }
