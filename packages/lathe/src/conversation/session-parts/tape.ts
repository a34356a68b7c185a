// Passes the results of calls through the tape when a run is recorded or replayed.

import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function tapePart({ request: { tape } }: Pick<SessionBase, "request">): SessionPart | undefined {
  if (!tape) return undefined;
  const { aroundExecute, aroundAccess, aroundNested } = tape;
  return { name: "tape", around: { aroundExecute, aroundAccess, aroundNested } };
}
