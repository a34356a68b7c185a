// edit, patch variant: a unified diff over one or more files.

import { applyUnified } from "../../edit/patch/apply.ts";
import { patchResult } from "../apply-patch/index.ts";
import { type ArgsOf, parameters, text } from "../params.ts";
import type { ToolDef } from "../../contract/tool.ts";
import description from "./description.md";

const params = { diff: text("The unified diff") };

export const patchEditTool: ToolDef<ArgsOf<typeof params>> = {
  name: "edit",
  label: "Edit",
  description: description.trim(),
  schema: parameters(params),
  tier: "write",
  replay: "never",
  execute: async ({ diff }, context) => patchResult(await applyUnified(context, diff)),
};
