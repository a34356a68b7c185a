// Counts, for each model, how many edits of each format were applied and how many were refused. A session starts with
// the format that has worked best, and never changes it, because tools are part of the cached prompt.

import { join } from "node:path";
import type { Family, FamilyName } from "@lathe/agent";
import { Checker, integer, mapOf, object } from "@lathe/llm/schema";
import type { Settings } from "../config/settings/schema.ts";
import { readJsonFile, updateJsonFile } from "../platform/home/json-file.ts";

export type LearnableVariant = Exclude<Settings["editVariant"], "">;

/** The ways of editing that are counted: the edit formats, and writing whole files. */
export type EditWay = LearnableVariant | "write";

interface EditCount {
  readonly applied: number;
  readonly refused: number;
}

/** Counts for each way of editing. */
export type EditCounts = Readonly<Partial<Record<EditWay, EditCount>>>;

const COUNT = integer({ minimum: 0 });
const COUNTS = new Checker(mapOf(object({ applied: COUNT, refused: COUNT })));

/** With fewer edits a bad start may be chance. */
const LEAST_EDITS = 8;
/** Assumed counts for a format that was never tried. */
const UNTRIED: EditCount = { applied: 1, refused: 1 };
/** Order of preference among equals: the simplest first. */
const VARIANTS: readonly LearnableVariant[] = ["replace", "hashline", "patch", "apply_patch"];

const OWN_VARIANT: Readonly<Record<FamilyName, LearnableVariant>> = {
  anthropic: "replace",
  openai: "apply_patch",
  gemini: "replace",
  lathe: "hashline",
  minimal: "replace",
};

/** The edit format of a family's models unless something else is chosen. */
export const ownVariant = (family: string): LearnableVariant => OWN_VARIANT[family as FamilyName] ?? "replace";

/** How a call of this tool edits, given the session's `variant`; undefined for other tools. */
export function wayOf(tool: string, variant: LearnableVariant): EditWay | undefined {
  if (tool === "write" || tool === "write_file") return "write";
  if (tool === "edit_file") return "replace";
  if (tool === "apply_patch") return "apply_patch";
  return tool === "edit" ? variant : undefined;
}

/** Undefined if the family's own format is as good as any. */
export function bestVariant(
  counts: EditCounts,
  { id, toolsWith }: Pick<Family, "id" | "toolsWith">,
): LearnableVariant | undefined {
  const own = ownVariant(id);
  const tried = counts[own];
  if (!toolsWith || !tried || tried.applied + tried.refused < LEAST_EDITS || tried.applied >= tried.refused)
    return undefined;
  const rate = (variant: LearnableVariant): number => {
    const { applied, refused } = counts[variant] ?? UNTRIED;
    return (applied + 1) / (applied + refused + 2);
  };
  const best = VARIANTS.reduce((one, other) => (rate(other) > rate(one) ? other : one), own);
  return best === own ? undefined : best;
}

const fileIn = (cache: string): string => join(cache, "edit-variants.json");

/** Counts of every model, by `provider/id`. An unreadable file counts as empty. */
export function readEditCounts(cache: string): Readonly<Record<string, EditCounts>> {
  try {
    return countsIn(readJsonFile(fileIn(cache)));
  } catch {
    return {};
  }
}

function countsIn(value: unknown): Record<string, EditCounts> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([, counts]) => COUNTS.fits(counts)));
}

/** Adds the counts of a session. If the home directory cannot be written, the session continues. */
export async function addEditCounts(cache: string, model: string, seen: EditCounts): Promise<void> {
  await updateJsonFile(fileIn(cache), (value) => {
    const all = countsIn(value);
    const known = Object.hasOwn(all, model) ? all[model]! : {};
    return { ...all, [model]: sumOf(known, seen) };
  }).catch(() => undefined);
}

function sumOf(one: EditCounts, other: EditCounts): EditCounts {
  const ways = new Set([...Object.keys(one), ...Object.keys(other)] as EditWay[]);
  return Object.fromEntries(
    [...ways].map((way) => {
      const a = one[way] ?? { applied: 0, refused: 0 };
      const b = other[way] ?? { applied: 0, refused: 0 };
      return [way, { applied: a.applied + b.applied, refused: a.refused + b.refused }];
    }),
  );
}
