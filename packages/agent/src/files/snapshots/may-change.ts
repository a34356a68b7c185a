import type { CallInfo } from "../../contract/seams/types.ts";
import type { Access } from "../../contract/tool.ts";

/**
 * Whether a call can change files. Calls that only read or only use the network cannot, nor can a command that is known
 * to change nothing; if it does so anyway, the scan around the next call that may change files finds it.
 */
export function mayChangeFiles({ tier, access }: Pick<CallInfo, "tier" | "access">): boolean {
  if (tier === "read") return false;
  return access === undefined || access.some(mayChange);
}

function mayChange(item: Access): boolean {
  if (item.kind === "exec") return item.doubt !== undefined || item.part?.isReadOnly !== true;
  return item.kind === "write";
}
