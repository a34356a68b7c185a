import type { CallInfo } from "../../contract/seams/types.ts";
import type { Access } from "../../contract/tool.ts";

/**
 * A call that can change files. What only reads, or only talks to the network, cannot, and neither can a command whose parse says that it
 * changes nothing: should it do so all the same, the look around the next call that may change files finds it.
 */
export function mayChangeFiles({ tier, access }: Pick<CallInfo, "tier" | "access">): boolean {
  if (tier === "read") return false;
  return access === undefined || access.some(mayChange);
}

function mayChange(item: Access): boolean {
  if (item.kind === "exec") return item.doubt !== undefined || item.part?.isReadOnly !== true;
  return item.kind === "write";
}
