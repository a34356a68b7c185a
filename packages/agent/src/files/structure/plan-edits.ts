// What structural rules would change: one language, no broken files, no two replacements of the same code.

import { type CallScope, ToolFailure } from "../../contract/tool.ts";
import type { RefactoredFile } from "../edit/refactoring.ts";
import type { StructureMatch, StructureRule } from "../parser/tasks/structure/types.ts";
import type { Candidates } from "./candidates.ts";
import type { CodeLanguage } from "./languages.ts";
import { runStructure, type StructureFile, type StructureResult } from "./run-structure.ts";

const MOST_EDITS = 20_000;

export interface EditQuery {
  readonly rules: readonly Required<StructureRule>[];
  readonly paths: readonly string[];
  readonly language?: CodeLanguage | undefined;
}

export interface PlannedFile extends RefactoredFile {
  readonly matches: readonly StructureMatch[];
}

export interface PlannedEdits extends Pick<StructureResult, "searched" | "isCapped" | "missingPaths" | "notes"> {
  readonly files: readonly PlannedFile[];
  /** Files that do not parse and are left unchanged. */
  readonly broken: readonly string[];
}

export async function planEdits({ rules, paths, language }: EditQuery, scope: CallScope): Promise<PlannedEdits> {
  const sorted = rules.toSorted((a, b) => (a.pattern < b.pattern ? -1 : 1));
  const query = { rules: sorted, paths, language, most: MOST_EDITS };
  const { files, total, ...rest } = await runStructure(query, scope, refuseSeveralLanguages);
  if (total > MOST_EDITS) throw new ToolFailure(`More than ${MOST_EDITS} replacements: narrow \`paths\`.`);
  return {
    ...rest,
    files: files.filter(({ isBroken }) => !isBroken).flatMap(plannedFile),
    broken: files.filter(({ isBroken }) => isBroken).map(({ path }) => path),
  };
}

function refuseSeveralLanguages({ files }: Candidates): void {
  const counts = new Map<string, number>();
  for (const { language } of files) counts.set(language.label, (counts.get(language.label) ?? 0) + 1);
  if (counts.size < 2) return;
  const list = [...counts].map(([label, count]) => `${label} (${count})`).join(", ");
  throw new ToolFailure(
    `These paths have files of several languages: ${list}. Name one with \`lang\`, or narrow \`paths\`.`,
  );
}

function plannedFile({ path, text, matches }: StructureFile): PlannedFile[] {
  for (const [index, { start, line }] of matches.entries())
    if (start < (matches[index - 1]?.end ?? 0))
      throw new ToolFailure(
        `Overlapping replacements detected; refine pattern to avoid ambiguous edits (${path}:${line}).`,
      );
  const changing = matches.filter(({ start, end, replacement }) => text.slice(start, end) !== replacement);
  const edits = changing.map(({ start, end, replacement = "" }) => ({ start, end, text: replacement }));
  return edits.length === 0 ? [] : [{ path, seen: text, edits, matches: changing }];
}
