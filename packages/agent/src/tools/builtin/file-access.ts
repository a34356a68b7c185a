// What file tools declare about their paths: an address of a registered scheme, a host of the web, or the real path of
// a file.

import type { Access, CallScope, Tier } from "../../contract/tool.ts";
import { isConflictAddress } from "../../files/formats/conflict/address.ts";
import { conflictAccess } from "../../files/formats/conflict/settle.ts";
import { memberAccess } from "../../files/target/member-access.ts";
import { targetOf } from "../../files/target/target.ts";
import { webAccess } from "./web-access.ts";

/** Declares the access of a call that opens a file by its path or address. */
export async function fileAccess(
  kind: "read" | "write",
  paths: readonly string[],
  scope: CallScope,
): Promise<Access[]> {
  const accesses = await Promise.all(
    [...new Set(paths)].map(async (path): Promise<Access | Access[]> => {
      const target = await targetOf(path, kind, scope);
      if (target.kind === "address" && kind === "write" && isConflictAddress(path)) return conflictAccess(path, scope);
      if (target.kind === "address") {
        const more = kind === "read" ? await scope.services.schemes?.readAccess(target.path, scope) : undefined;
        return [{ kind: "address", url: target.path, write: kind === "write" }, ...(more ?? [])];
      }
      if (target.kind === "web") {
        const isKept = scope.services.pages?.has(target.path, target.selector?.raw ?? false) === true;
        return { ...(await webAccess(target.path, scope)), ...(isKept ? { kept: true } : {}) };
      }
      return [{ kind, path: target.located.real }, ...memberAccess(kind, target)];
    }),
  );
  return accesses.flat();
}

/** Reading a web page needs the tier of network access. */
export const readTier = (path: string | undefined): Tier =>
  path !== undefined && /^(?:https?:\/\/|www\.)/i.test(path) ? "network" : "read";
