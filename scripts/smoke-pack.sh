#!/usr/bin/env bash
# The published package: packed, installed into an empty prefix, run from there. Prints the installed size.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm pack --silent --workspace packages/lathe --pack-destination "$work" >/dev/null
mkdir "$work/home" "$work/prefix" "$work/project"
cd "$work/project"
export HOME="$work/home" LATHE_HOME="$work/home/.lathe"
npm install --silent --no-audit --no-fund --prefix "$work/prefix" --omit=optional "$work"/lathe-*.tgz
core=$(du -sk "$work/prefix/node_modules" | cut -f1)
lathe="$work/prefix/node_modules/.bin/lathe"
"$lathe" --version
"$lathe" demo </dev/null | tail -n 6 | tee "$work/output"
grep -q "# fail 0" "$work/output"
"$lathe" tool grep '{"pattern": "nothing-like-it"}'
npm install --silent --no-audit --no-fund --prefix "$work/prefix" "$work"/lathe-*.tgz
all=$(du -sk "$work/prefix/node_modules" | cut -f1)
echo "installed size: core $((core / 1024)) MB, with optional parts $((all / 1024)) MB"
# Puppeteer and the drawing of diagrams, bundled, are 3.8 MB of it, the MCP server 1 MB, the last blocks of 700 small files 1.5 MB.
[ "$core" -lt 28672 ] || { echo "the core must stay under 28 MB"; exit 1; }
