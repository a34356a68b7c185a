// The four dialects under the one name `edit`: a setting picks the one a model handles best.

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

/** The ways of editing that the tool `edit` can have. */
export type EditVariant = keyof typeof editVariants;

/** Anything that is not the name of a variant means hashline. */
export function editVariant(wanted: string | undefined): EditVariant {
  return wanted !== undefined && Object.hasOwn(editVariants, wanted) ? (wanted as EditVariant) : "hashline";
}
