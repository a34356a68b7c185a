// node:child_process, loaded with the first command: it brings half of the network stack along, which a start need not wait for.

export function childProcess(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}
