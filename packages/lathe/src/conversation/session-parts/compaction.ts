// Compacts a conversation that no longer fits the context.

import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function compactionPart({ compaction }: Pick<SessionBase, "compaction">): SessionPart {
  return { name: "compaction", middleware: [compaction.compaction.middleware()] };
}
