// OpenAI's models. Tool order is part of the cached prefix: append, never reorder.

import { applyPatchTool } from "../../builtin/apply-patch/index.ts";
import { globTool } from "../../builtin/glob/index.ts";
import { grepTool } from "../../builtin/grep/index.ts";
import { keepHead } from "../../builtin/output.ts";
import { shellTool } from "../../builtin/shell/index.ts";
import type { Family } from "../define.ts";
import editing from "../prompts/editing/apply-patch.md";
import prompt from "../prompts/openai.md";
import { additions, agents, files, type Kit, list } from "./common.ts";

const tools = ({ read, write, edit }: Kit) =>
  list(read, edit, write, shellTool, grepTool, keepHead(globTool), ...agents, ...additions);

export const openai = {
  id: "openai",
  prompt,
  editing,
  tools: tools({ ...files, edit: applyPatchTool }),
  toolsWith: tools,
  instructionFiles: [".codex/instructions.md"],
} as const satisfies Family;
