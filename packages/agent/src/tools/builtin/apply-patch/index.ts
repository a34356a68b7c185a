// apply_patch: several files in one v4a patch.

import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { Card, CardResult } from "../../../contract/card.ts";
import type { Preview, ToolContext, ToolDef, ToolResult } from "../../../contract/tool.ts";
import { editCard } from "../../../files/edit/card.ts";
import { fileChanges, hostDetails, modelDiff, paragraphs, trailer } from "../../../files/edit/outcome.ts";
import { applyV4a, type PatchOutcome, v4aPaths } from "../../../files/edit/patch/apply.ts";
import { editPreview } from "../../../files/edit/preview.ts";
import { objectsIn } from "../card.ts";
import { fileAccess } from "../file-access.ts";
import { EDIT_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = { patch: text("The patch, from `*** Begin Patch` to `*** End Patch`") };

export const applyPatchTool: ToolDef<StaticFields<typeof params>> = {
  name: "apply_patch",
  label: "Patch",
  description: description.trim(),
  schema: object(params),
  tier: "write",
  replay: "never",
  output: EDIT_OUTPUT,
  access: ({ patch }, scope) => fileAccess("write", v4aPaths(patch), scope),
  summary: ({ patch }) => v4aPaths(patch).join(", "),
  card: ({ patch }, result) => patchCard(v4aPaths(patch), result),
  preview: async ({ patch }, scope) => patchPreview(await applyV4a({ ...scope, planOnly: true }, patch), ["patch"]),
  execute: async ({ patch }, context) => patchResult(await applyV4a(context, patch), context),
};

/** The card says what happened to each file that was not simply changed. */
export function patchCard(paths: readonly string[], result: CardResult | undefined): Card {
  const done = objectsIn(result?.details["operations"]).map(({ letter, path, from }) => {
    if (typeof from === "string") return `${from} -> ${path}`;
    return `${path}${letter === "A" ? " (new)" : letter === "D" ? " (deleted)" : ""}`;
  });
  return editCard((done.length > 1 ? done : paths).join(", "), result);
}

export function patchPreview({ done, files, notes }: PatchOutcome, shows: readonly string[]): Preview {
  const moves = new Map(done.flatMap(({ from, path }) => (from === undefined ? [] : [[from, path] as const])));
  return editPreview({ files, notes, moves }, shows);
}

export function patchResult({ done, files, notes }: PatchOutcome, context: ToolContext): ToolResult {
  const list = done.map(({ letter, path, from }) => (from ? `${letter} ${from} -> ${path}` : `${letter} ${path}`));
  return {
    content: [{ kind: "text", text: paragraphs(list.join("\n"), trailer(notes, files), modelDiff(files)) }],
    details: {
      operations: done.map(({ letter, path, from }) => ({ letter, path, ...(from ? { from } : {}) })),
      files: files.map(hostDetails),
    },
    changes: fileChanges(context, files),
    effects: "done",
  };
}
