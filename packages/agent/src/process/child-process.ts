// node:child_process, loaded with the first command: it brings half of the network stack along, which a start need not wait for.

import { createRequire } from "node:module";

export function childProcess(): typeof import("node:child_process") {
  return createRequire(import.meta.url)("node:child_process") as typeof import("node:child_process");
}
