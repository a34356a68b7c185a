// The edit format a session gets because of how well its model's earlier edits applied. A resumed session keeps its
// format, because its prompt describes it.

import { FAMILIES, type Family, type FamilyName, familyOf } from "@lathe/agent";
import { bestVariant, type LearnableVariant, readEditCounts } from "../models/edit-record.ts";
import type { ModelChoice } from "../models/models.ts";
import type { OpenedJournal } from "../sessions/journals/journal-files.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

/** The kind of the journal entry that records the learned format. */
export const LEARNED_VARIANT = "learned_edit_variant";

type Journal = OpenedJournal["journal"];

/** Undefined: the family's default, or the format that the user chose. */
export function learnedVariant(
  { settings, env, paths }: Pick<SessionWorkspace, "settings" | "env" | "paths">,
  { provider, id, info }: ModelChoice,
  profile: FamilyName | undefined,
  journal: Journal,
): LearnableVariant | undefined {
  if (!settings["localModels.learnEdits"] || settings.editVariant !== "" || env["LATHE_EDIT_VARIANT"]) return undefined;
  if (isBegun(journal)) return variantOf(journal);
  const family: Family = FAMILIES[profile ?? familyOf(id, info?.contextWindow)];
  const counts = readEditCounts(paths.cache);
  const name = `${provider}/${id}`;
  return Object.hasOwn(counts, name) ? bestVariant(counts[name]!, family) : undefined;
}

/** The session already has entries. */
export const isBegun = (journal: Journal): boolean => journal.leaf !== null;

function variantOf(journal: Journal): LearnableVariant | undefined {
  for (const id of journal.entryIds()) {
    if (journal.meta(id)?.type !== "custom") continue;
    const entry = journal.entry(id);
    if (entry.type === "custom" && entry.customType === LEARNED_VARIANT)
      return (entry.data as { variant?: LearnableVariant } | undefined)?.variant;
  }
  return undefined;
}
