// A Node process that scripts of a model may have: in bubblewrap, without files, network and variables, and with bounded memory.

import type { ProgramArgv } from "@lathe/agent/world";
import boot from "./boot.js.text";

const HEAP_MB = 256;
/** What node itself and its buffers take beside the heap. */
const BESIDE_MB = 384;
/** Said by the shell when something is missing. */
export const NO_NODE = 126;

/**
 * The libraries of the system are all that it sees beside node. Node's own permissions come on top of that: without them a script could
 * start node again and again, if only in its own namespace.
 */
const BUBBLEWRAP = `bwrap --unshare-all --die-with-parent --new-session --clearenv --cap-drop ALL --chdir / --hostname tab
  --ro-bind-try /usr/lib /usr/lib --ro-bind-try /usr/lib64 /usr/lib64 --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64
  --dir /dev --dev-bind /dev/null /dev/null --ro-bind "$node" /node --remount-ro / /node`;

const SCRIPT = `boot=$1 own=$2
for node in "$own" "$(command -v node)"; do [ -n "$node" ] && [ -x "$node" ] && break; done
[ -x "$node" ] || exit ${NO_NODE}
node=$(readlink -f "$node")
ulimit -c 0
ulimit -d ${(HEAP_MB + BESIDE_MB) * 1024} 2>/dev/null
set -- --experimental-permission --no-warnings --max-old-space-size=${HEAP_MB} -e "$boot"
`;

/** `isConfined`: false where there is no bubblewrap; then node's own permissions are what is left, and the call was asked about. */
export function confinedNode(isConfined: boolean): ProgramArgv {
  const start = isConfined ? `exec ${BUBBLEWRAP.replace(/\s+/g, " ")} "$@"` : 'cd / && exec env -i "$node" "$@"';
  return ["/bin/sh", "-c", `${SCRIPT}${start}`, "lathe-tab", boot, process.execPath];
}
