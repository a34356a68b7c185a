// What a session gets from the user's files: skills, rules, hooks, servers, extensions. Each part of the product that
// reads such files makes one addition for the session; src/additions/list.ts lists these parts.

import { messageOf } from "@lathe/llm";
import type { ItemKind } from "../found/discovery/types.ts";
import type { AdditionEntry, SessionRequest } from "./session-contract.ts";
import type { MadeAdditions } from "./session-parts/join.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

/**
 * An addition that fails becomes one warning; the others still work. `hasFiles` says whether discovery would find
 * anything here.
 */
export async function makeAdditions(
  workspace: SessionWorkspace,
  request: SessionRequest,
  hasFiles: () => boolean,
): Promise<MadeAdditions> {
  const entries = request.additions ?? [];
  const warnings: string[] = [];
  const present = hasFiles() ? await presentKinds(workspace, entries, warnings) : new Set<ItemKind>();
  const made = await Promise.all(
    entries.map(async (entry) => {
      try {
        if (!isWanted(entry, present, workspace, request)) return [];
        const addition = await (await entry.load())(workspace, request);
        return addition ? [addition] : [];
      } catch (error) {
        warnings.push(`${entry.name}: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  return { parts: made.flat(), warnings };
}

function isWanted(
  { kinds, isNeeded }: AdditionEntry,
  present: ReadonlySet<ItemKind>,
  workspace: SessionWorkspace,
  request: SessionRequest,
): boolean {
  if (kinds === undefined && isNeeded === undefined) return true;
  return (kinds?.some((kind) => present.has(kind)) ?? false) || (isNeeded?.(workspace, request) ?? false);
}

/**
 * The kinds, among those the additions ask for, that have items here. Problems with the files are reported once for all
 * additions.
 */
async function presentKinds(
  workspace: SessionWorkspace,
  entries: readonly AdditionEntry[],
  warnings: string[],
): Promise<ReadonlySet<ItemKind>> {
  const kinds = [...new Set(entries.flatMap(({ kinds: wanted = [] }) => wanted))];
  if (kinds.length === 0) return new Set();
  const { refusedLine } = await import("../found/discovery/refused-line.ts");
  const { brokenGuardsLine } = await import("../found/discovery/broken-hooks.ts");
  const { warningLine } = await import("../found/discovery/warning-line.ts");
  const discovery = await workspace.discovery();
  discovery.begin();
  const found = await Promise.all(kinds.map((kind) => discovery.of(kind)));
  const all = found.flatMap((one) => one.all);
  const refused = refusedLine(all, discovery.place);
  warnings.push(...new Set(found.flatMap((one) => one.warnings).map(warningLine)));
  const unguarded = brokenGuardsLine(all, discovery.place);
  for (const line of [refused, unguarded]) if (line !== undefined) warnings.push(line);
  return new Set(all.map(({ kind }) => kind));
}
