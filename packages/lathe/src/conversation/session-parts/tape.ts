// A run that is recorded or replayed: what calls return passes through the tape.

import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function tapePart({ request: { tape } }: Pick<SessionBase, "request">): SessionPart | undefined {
  if (!tape) return undefined;
  return { name: "tape", around: { aroundExecute: tape.aroundExecute, aroundAccess: tape.aroundAccess } };
}
