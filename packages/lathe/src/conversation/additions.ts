// What a session has besides what is built in: skills, rules, hooks, servers, extensions. Each part of the product that brings
// something makes one addition for a session; the list of these parts is in src/additions/list.ts.

import { messageOf } from "@lathe/llm";
import type { ItemKind } from "../found/discovery/types.ts";
import type { AdditionEntry, SessionRequest } from "./session-contract.ts";
import type { MadeAdditions } from "./session-parts/join.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

/** A part that fails is one warning; the others work. `hasFiles`: whether discovery would find anything here. */
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

/** Of the kinds that the parts ask for, those with items here. What is wrong with the files is said once for all parts. */
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
