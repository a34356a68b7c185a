// The command that starts a Node process for a model's scripts: in bubblewrap, without files, network or variables, and
// with bounded memory.

import type { ProgramArgv } from "@lathe/agent/world";
import boot from "./boot.js.text";

const HEAP_MB = 256;
/** Memory that node and its buffers need beyond the heap. */
const BESIDE_MB = 384;
/** Exit code of the shell if there is no node. */
export const NO_NODE = 126;

/**
 * Besides node, the process sees only the system's libraries. Node's own permissions are added: without them, a script
 * could start node again and again, if only in its own namespace.
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

/**
 * `isConfined` is false if there is no bubblewrap: then only node's own permissions are left, and the user was asked
 * about the call.
 */
export function confinedNode(isConfined: boolean): ProgramArgv {
  const start = isConfined ? `exec ${BUBBLEWRAP.replace(/\s+/g, " ")} "$@"` : 'cd / && exec env -i "$node" "$@"';
  return ["/bin/sh", "-c", `${SCRIPT}${start}`, "lathe-tab", boot, process.execPath];
}
