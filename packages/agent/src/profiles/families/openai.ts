// Models of OpenAI. Tool order is part of the cached prefix: append, never reorder.

import { applyPatchTool } from "../../tools/apply-patch/index.ts";
import { globTool } from "../../tools/glob/index.ts";
import { grepTool } from "../../tools/grep/index.ts";
import { codexTools } from "../../tools/native/codex/index.ts";
import { keepHead } from "../../tools/output.ts";
import { shellTool } from "../../tools/shell/index.ts";
import type { Family } from "../define.ts";
import editing from "../prompts/editing/apply-patch.md";
import prompt from "../prompts/openai.md";
import nativePrompt from "../prompts/openai-native.md";
import { additions, agents, files, type Kit, list } from "./common.ts";

const tools = ({ read, write, edit }: Kit) =>
  list(read, edit, write, shellTool, grepTool, keepHead(globTool), ...agents, ...additions);

export const openai = {
  id: "openai",
  prompt,
  editing,
  tools: tools({ ...files, edit: applyPatchTool }),
  toolsWith: tools,
  get native() {
    return { prompt: nativePrompt, editing, tools: list(...codexTools) };
  },
  instructionFiles: [".codex/instructions.md"],
} as const satisfies Family;
