// apply_patch: several files in one v4a patch.

import { hostDetails, modelDiff, paragraphs, trailer } from "../../edit/outcome.ts";
import { applyV4a, type PatchOptions, type PatchOutcome } from "../../edit/patch/apply.ts";
import { type ArgsOf, parameters, text } from "../params.ts";
import type { ToolDef, ToolResult } from "../../contract/tool.ts";
import description from "./description.md";

const params = { patch: text("The patch, from `*** Begin Patch` to `*** End Patch`") };

export function createApplyPatchTool(options: PatchOptions = {}): ToolDef<ArgsOf<typeof params>> {
  return {
    name: "apply_patch",
    label: "Patch",
    description: description.trim(),
    schema: parameters(params),
    tier: "write",
    replay: "never",
    execute: async ({ patch }, context) => patchResult(await applyV4a(context, patch, options)),
  };
}

export const applyPatchTool = createApplyPatchTool();

export function patchResult({ done, files, notes, failure }: PatchOutcome): ToolResult {
  const list = done.map(({ letter, path, from }) => (from ? `${letter} ${from} -> ${path}` : `${letter} ${path}`));
  const failed = failure
    ? `${failure.message}\nDone and kept: ${done.map(({ path }) => path).join(", ")}. Not done: ${failure.notDone.join(", ")}. Send only what is not done.`
    : "";
  return {
    content: [{ kind: "text", text: paragraphs(list.join("\n"), failed, trailer(notes, files), modelDiff(files)) }],
    details: {
      operations: done.map(({ letter, path, from }) => ({ letter, path, ...(from ? { from } : {}) })),
      files: files.map(hostDetails),
    },
    effects: "done",
    ...(failure ? { isError: true } : {}),
  };
}
