// The families of models and what each gets. Tool order is part of the cached prefix: append, never reorder.

import { applyPatchTool } from "../tools/apply-patch/index.ts";
import { askUserTool } from "../tools/ask-user/index.ts";
import { closeAgentTool } from "../tools/close-agent/index.ts";
import { countedEditFileTool, editFileTool } from "../tools/edit-file/index.ts";
import { exitPlanModeTool } from "../tools/exit-plan-mode/index.ts";
import { globTool } from "../tools/glob/index.ts";
import { grepTool, grepWithModesTool } from "../tools/grep/index.ts";
import { jobOutputTool } from "../tools/job-output/index.ts";
import { jobStopTool } from "../tools/job-stop/index.ts";
import { listDirTool } from "../tools/list-dir/index.ts";
import { minimalBashTool } from "../tools/minimal/bash/index.ts";
import { minimalEditTool } from "../tools/minimal/edit/index.ts";
import { minimalReadTool } from "../tools/minimal/read/index.ts";
import { minimalWriteTool } from "../tools/minimal/write/index.ts";
import { readFileTool } from "../tools/read-file/index.ts";
import { readManyFilesTool } from "../tools/read-many-files/index.ts";
import { sendInputTool } from "../tools/send-input/index.ts";
import { shellTool } from "../tools/shell/index.ts";
import { spawnAgentTool } from "../tools/spawn-agent/index.ts";
import { todoTool } from "../tools/todo/index.ts";
import type { ToolDef } from "../tools/types.ts";
import { waitTool } from "../tools/wait/index.ts";
import { writeFileTool } from "../tools/write-file/index.ts";
import type { Family } from "./define.ts";
import anthropicPrompt from "./prompts/anthropic.md";
import geminiPrompt from "./prompts/gemini.md";
import minimalPrompt from "./prompts/minimal.md";
import openaiPrompt from "./prompts/openai.md";

const agents = [spawnAgentTool, sendInputTool, waitTool, closeAgentTool] as readonly ToolDef<never>[];
/** What the product adds to every family. */
const additions = [todoTool, askUserTool, exitPlanModeTool, jobOutputTool, jobStopTool] as readonly ToolDef<never>[];
const list = (...tools: readonly ToolDef<never>[]): readonly ToolDef[] => tools as readonly ToolDef[];
// Newest files stand first in a listing: cut its end, not its head.
const modes = { glob: "head", list_dir: "head" } as const;

export const FAMILIES = {
  anthropic: {
    id: "anthropic",
    prompt: anthropicPrompt,
    tools: list(
      readFileTool,
      writeFileTool,
      editFileTool,
      shellTool,
      grepWithModesTool,
      globTool,
      ...agents,
      ...additions,
    ),
    instructionFiles: ["CLAUDE.md"],
    shellTimeoutMs: 120_000,
    toolOutputModes: modes,
  },
  openai: {
    id: "openai",
    prompt: openaiPrompt,
    tools: list(readFileTool, applyPatchTool, writeFileTool, shellTool, grepTool, globTool, ...agents, ...additions),
    instructionFiles: [".codex/instructions.md"],
    toolOutputModes: modes,
  },
  gemini: {
    id: "gemini",
    prompt: geminiPrompt,
    tools: list(
      readFileTool,
      readManyFilesTool,
      writeFileTool,
      countedEditFileTool,
      shellTool,
      grepTool,
      globTool,
      listDirTool,
      ...agents,
      ...additions,
    ),
    instructionFiles: ["GEMINI.md"],
    toolOutputModes: modes,
  },
  minimal: {
    id: "minimal",
    prompt: minimalPrompt,
    tools: list(minimalReadTool, minimalBashTool, minimalEditTool, minimalWriteTool),
    instructionFiles: [],
  },
} as const satisfies Record<string, Family>;

export type FamilyName = keyof typeof FAMILIES;

/** Families by what the model is called, whoever serves it. */
const BY_MODEL: readonly (readonly [RegExp, FamilyName])[] = [
  [/claude/i, "anthropic"],
  [/gemini/i, "gemini"],
  [/(^|[/.])(gpt-|o[134]\b|codex)/i, "openai"],
];

export function familyOf(model: string): FamilyName {
  return BY_MODEL.find(([pattern]) => pattern.test(model))?.[1] ?? "minimal";
}
