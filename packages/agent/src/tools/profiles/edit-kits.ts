// The parts of each way of editing: the tools for reading and writing (hashline edits refer to what they show) and the
// text in the prompt.

import type { ToolDef } from "../../contract/tool.ts";
import { type EditVariant, editVariants } from "../builtin/edit-variant.ts";
import { hashlineReadTool } from "../builtin/hashline-read/index.ts";
import { hashlineWriteTool } from "../builtin/hashline-write/index.ts";
import { readFileTool } from "../builtin/read-file/index.ts";
import { writeFileTool } from "../builtin/write-file/index.ts";
import applyPatchWords from "./prompts/editing/variant-apply-patch.md";
import hashlineWords from "./prompts/editing/variant-hashline.md";
import patchWords from "./prompts/editing/variant-patch.md";
import replaceWords from "./prompts/editing/variant-replace.md";

/** The tools and prompt text of one way of editing. */
export interface EditKit {
  readonly read: ToolDef<never>;
  readonly write: ToolDef<never>;
  readonly edit: ToolDef<never>;
  /** Text for the prompt. */
  readonly editing: string;
}

const plain = { read: readFileTool, write: writeFileTool };

export const editKits: Readonly<Record<EditVariant, EditKit>> = {
  hashline: { read: hashlineReadTool, write: hashlineWriteTool, edit: editVariants.hashline, editing: hashlineWords },
  replace: { ...plain, edit: editVariants.replace, editing: replaceWords },
  patch: { ...plain, edit: editVariants.patch, editing: patchWords },
  apply_patch: { ...plain, edit: editVariants.apply_patch, editing: applyPatchWords },
};
