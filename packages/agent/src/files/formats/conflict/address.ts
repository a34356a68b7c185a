// Parses addresses of conflicts: conflict://3, conflict://3/ours, conflict://1,4-6, conflict://*.

import { ToolFailure } from "../../../contract/tool.ts";
import type { Conflict, Conflicts } from "./conflicts.ts";

export type Scope = "ours" | "theirs" | "base";

const FORM = /^conflict:\/\/(\*|\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)(?:\/(ours|theirs|base))?$/i;
const MOST_RANGE = 1000;

export const isConflictAddress = (path: string): boolean => /^conflict:\/\//i.test(path);

/** The conflicts named by an address, in order, and which side of them. Fails if one is not open. */
export function conflictsAt(
  url: string,
  conflicts: Conflicts | undefined,
): { readonly named: readonly Conflict[]; readonly side?: Scope | undefined } {
  const [, which, side] = FORM.exec(url) ?? [];
  if (which === undefined) {
    throw new ToolFailure(
      `${url} is not a conflict address. Use conflict://3, conflict://1,4-6 or conflict://*; to read one side, conflict://3/ours, /theirs or /base.`,
    );
  }
  const scope = side?.toLowerCase() as Scope | undefined;
  if (which === "*") {
    const named = conflicts?.open() ?? [];
    if (named.length === 0)
      throw new ToolFailure(`No conflict is open in this session. Read a file with :conflicts first.`);
    return { named, side: scope };
  }
  const named = idsOf(which).map((id) => {
    const conflict = conflicts?.get(id);
    if (conflict) return conflict;
    throw new ToolFailure(
      conflicts?.wasSettled(id)
        ? `conflict://${id} is already resolved. Read the file with :conflicts to see what is left.`
        : `There is no conflict ${id} in this session. Read the file with :conflicts; it gives the numbers.`,
    );
  });
  return { named, side: scope };
}

function idsOf(which: string): number[] {
  const ids = new Set<number>();
  for (const range of which.split(",")) {
    const [first = 0, last = first] = range.split("-").map(Number);
    if (last < first || last - first > MOST_RANGE)
      throw new ToolFailure(`conflict://${which} has an invalid range: ${range}.`);
    for (let id = first; id <= last; id++) ids.add(id);
  }
  return [...ids];
}
