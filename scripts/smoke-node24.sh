#!/usr/bin/env bash
# The built command and the libraries, on the Node 24 that scripts/setup-system.sh has put into the cache.
set -euo pipefail
cd "$(dirname "$0")/.."
node24="${XDG_CACHE_HOME:-$HOME/.cache}/lathe-ci/node24/bin/node"
[ -x "$node24" ] || { echo "Node 24 is not at $node24: run scripts/setup-system.sh"; exit 1; }
"$node24" --version
"$node24" packages/lathe/dist/cli.js --version
# Beside the run that follows the documentation the machine is busy: what fails there may pass alone, as in `npm test`.
"$node24" scripts/test.mjs packages/llm/test/core packages/agent/src/files/edit packages/lathe/test/extensions.test.ts
