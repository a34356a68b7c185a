// The context ledger, plus the number of tokens at which compaction starts.

import type { CompactionSettings } from "@lathe/agent";
import { type ContextLedger, groupsOf, type LedgerGroup, type OwnerKind, roomIn } from "@lathe/agent/context";
import type { OpenSession } from "./session-contract.ts";

export interface ContextReport extends ContextLedger {
  readonly groups: readonly LedgerGroup[];
  /** Older messages are summarized above this many tokens. Absent if nothing does that, or the window is unknown. */
  readonly threshold?: number;
}

/** Reports on the next request. */
export async function contextReport({ session, compaction }: OpenSession): Promise<ContextReport> {
  return reportOn(await session.contextLedger(), compaction.settings);
}

/** Parts that no compaction can remove. */
const FIXED: ReadonlySet<OwnerKind> = new Set(["prompt", "instructions", "tool", "environment"]);

export function reportOn(ledger: ContextLedger, settings: CompactionSettings): ContextReport {
  const groups = groupsOf(ledger);
  const fixed = groups.reduce((sum, { kind, tokens }) => sum + (FIXED.has(kind) ? tokens : 0), 0);
  const isAutomatic = settings.enabled && settings.strategy !== "off" && ledger.window > 0;
  return {
    ...ledger,
    groups,
    ...(isAutomatic ? { threshold: roomIn(ledger.window, fixed, settings).threshold } : {}),
  };
}
