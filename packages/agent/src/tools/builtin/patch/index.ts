// edit, patch variant: a unified diff over one or more files.

import { object, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolDef } from "../../../contract/tool.ts";
import { applyUnified, unifiedPaths } from "../../../files/edit/patch/apply.ts";
import { patchCard, patchPreview, patchResult } from "../apply-patch/index.ts";
import { fileAccess } from "../file-access.ts";
import { EDIT_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = { diff: text("The unified diff") };

export const patchEditTool: ToolDef<StaticFields<typeof params>> = {
  name: "edit",
  label: "Edit",
  description: description.trim(),
  schema: object(params),
  tier: "write",
  replay: "never",
  output: EDIT_OUTPUT,
  access: ({ diff }, scope) => fileAccess("write", unifiedPaths(diff), scope),
  summary: ({ diff }) => unifiedPaths(diff).join(", "),
  card: ({ diff }, result) => patchCard(unifiedPaths(diff), result),
  preview: async ({ diff }, scope) => patchPreview(await applyUnified({ ...scope, planOnly: true }, diff), ["diff"]),
  execute: async ({ diff }, context) => patchResult(await applyUnified(context, diff), context),
};
