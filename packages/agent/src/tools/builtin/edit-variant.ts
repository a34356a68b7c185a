// The four dialects of the tool `edit`. A setting selects the one that a model handles best.

import type { ToolDef } from "../../contract/tool.ts";
import { applyPatchTool } from "./apply-patch/index.ts";
import { hashlineEditTool } from "./hashline/index.ts";
import { patchEditTool } from "./patch/index.ts";
import { replaceEditTool } from "./replace/index.ts";

export const editVariants = {
  hashline: hashlineEditTool,
  replace: replaceEditTool,
  patch: patchEditTool,
  apply_patch: { ...applyPatchTool, name: "edit" },
} as const satisfies Readonly<Record<string, ToolDef<never>>>;

/** The dialects that the tool `edit` can have. */
export type EditVariant = keyof typeof editVariants;

/** Anything that is not a variant's name means hashline. */
export function editVariant(wanted: string | undefined): EditVariant {
  return wanted !== undefined && Object.hasOwn(editVariants, wanted) ? (wanted as EditVariant) : "hashline";
}
