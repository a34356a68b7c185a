import type { CallInfo } from "../../contract/seams/types.ts";

/** A call that can change files; what only reads, or only talks to the network, cannot. */
export function mayChangeFiles({ tier, access }: Pick<CallInfo, "tier" | "access">): boolean {
  if (tier === "read") return false;
  return access === undefined || access.some(({ kind }) => kind === "write" || kind === "exec");
}
