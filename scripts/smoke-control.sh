#!/usr/bin/env bash
# The ways in which other programs drive Lathe, tried without a provider: nothing of the environment but PATH, and no network where
# bubblewrap can take it away. Needs a build.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/project"
alone=()
if bwrap --dev-bind / / --unshare-net true 2>/dev/null; then alone=(bwrap --dev-bind / / --unshare-net); fi
env -i PATH="$PATH" HOME="$work/home" TMPDIR="$work" "${alone[@]}" node scripts/control/smokes.mjs "$work/project"
