// Anthropic's models. Tool order is part of the cached prefix: append, never reorder.

import { editFileTool } from "../../builtin/edit-file/index.ts";
import { globTool } from "../../builtin/glob/index.ts";
import { grepWithModesTool } from "../../builtin/grep/index.ts";
import { keepHead } from "../../builtin/output.ts";
import { shellTool } from "../../builtin/shell/index.ts";
import type { Family } from "../define.ts";
import prompt from "../prompts/anthropic.md";
import editing from "../prompts/editing/edit-file.md";
import { additions, agents, files, type Kit, list } from "./common.ts";

const tools = ({ read, write, edit }: Kit) =>
  list(read, write, edit, shellTool, grepWithModesTool, keepHead(globTool), ...agents, ...additions);

export const anthropic = {
  id: "anthropic",
  prompt,
  editing,
  tools: tools({ ...files, edit: editFileTool }),
  toolsWith: tools,
  instructionFiles: ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"],
  shellTimeoutMs: 120_000,
} as const satisfies Family;
