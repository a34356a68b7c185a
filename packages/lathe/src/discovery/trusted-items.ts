// Which found items may take effect in a folder that nobody has trusted: text always may; what runs code only as it was when its
// folder was trusted.

import { dirname } from "node:path";
import { isAsTrusted, isTrusted } from "../trust/trust.ts";
import type { Place } from "./place.ts";
import type { Found, ItemKind } from "./types.ts";

/** Items of these kinds run something. */
export const RUNS_CODE: ReadonlySet<ItemKind> = new Set(["hook", "tool", "extension", "mcp-server", "plugin"]);

/** Undefined: it may take effect. */
export function untrustedReason({ kind, source }: Found, { folders, trustFile, userHome }: Place): string | undefined {
  if (source.level !== "project" || !RUNS_CODE.has(kind)) return undefined;
  const holder = folders.find((folder) => source.path.startsWith(`${folder}/`)) ?? dirname(source.path);
  if (!isTrusted(trustFile, holder, userHome)) return "this folder is not trusted";
  return isAsTrusted(trustFile, source.path) ? undefined : "new or changed since this folder was trusted";
}
