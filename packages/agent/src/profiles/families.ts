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
import { claudeNames, claudeTools } from "../tools/native/claude/index.ts";
import { codexTools } from "../tools/native/codex/index.ts";
import { renamed } from "../tools/native/face.ts";
import { geminiNames, geminiTools } from "../tools/native/gemini/index.ts";
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
import type { EditKit } from "./edit-kits.ts";
import anthropicPrompt from "./prompts/anthropic.md";
import applyPatchWords from "./prompts/editing/apply-patch.md";
import editFileWords from "./prompts/editing/edit-file.md";
import countedEditFileWords from "./prompts/editing/edit-file-counted.md";
import oneTextWords from "./prompts/editing/one-text.md";
import geminiPrompt from "./prompts/gemini.md";
import minimalPrompt from "./prompts/minimal.md";
import openaiPrompt from "./prompts/openai.md";
import openaiNativePrompt from "./prompts/openai-native.md";

const agents = [spawnAgentTool, sendInputTool, waitTool, closeAgentTool] as readonly ToolDef<never>[];
/** What the product adds to every family. */
const additions = [todoTool, askUserTool, exitPlanModeTool, jobOutputTool, jobStopTool] as readonly ToolDef<never>[];
const list = (...tools: readonly ToolDef<never>[]): readonly ToolDef[] => tools as readonly ToolDef[];
// Newest files stand first in a listing: cut its end, not its head.
const modes = { glob: "head", list_dir: "head", Glob: "head", list_directory: "head" } as const;

type Kit = Pick<EditKit, "read" | "write" | "edit">;

const anthropicTools = ({ read, write, edit }: Kit) =>
  list(read, write, edit, shellTool, grepWithModesTool, globTool, ...agents, ...additions);
const openaiTools = ({ read, write, edit }: Kit) =>
  list(read, edit, write, shellTool, grepTool, globTool, ...agents, ...additions);
const geminiToolsWith = ({ read, write, edit }: Kit) =>
  list(read, readManyFilesTool, write, edit, shellTool, grepTool, globTool, listDirTool, ...agents, ...additions);
const minimalTools = ({ read, write, edit }: Kit) =>
  list({ ...read, name: "read" }, minimalBashTool, { ...edit, name: "edit" }, { ...write, name: "write" });

const files = { read: readFileTool, write: writeFileTool };

export const FAMILIES = {
  anthropic: {
    id: "anthropic",
    prompt: anthropicPrompt,
    editing: editFileWords,
    tools: anthropicTools({ ...files, edit: editFileTool }),
    toolsWith: anthropicTools,
    native: {
      prompt: renamed(anthropicPrompt, claudeNames),
      editing: renamed(editFileWords, claudeNames),
      tools: list(...claudeTools),
    },
    instructionFiles: ["CLAUDE.md"],
    shellTimeoutMs: 120_000,
    toolOutputModes: modes,
  },
  openai: {
    id: "openai",
    prompt: openaiPrompt,
    editing: applyPatchWords,
    tools: openaiTools({ ...files, edit: applyPatchTool }),
    toolsWith: openaiTools,
    native: { prompt: openaiNativePrompt, editing: applyPatchWords, tools: list(...codexTools) },
    instructionFiles: [".codex/instructions.md"],
    toolOutputModes: modes,
  },
  gemini: {
    id: "gemini",
    prompt: geminiPrompt,
    editing: countedEditFileWords,
    tools: geminiToolsWith({ ...files, edit: countedEditFileTool }),
    toolsWith: geminiToolsWith,
    native: {
      prompt: renamed(geminiPrompt, geminiNames),
      editing: renamed(countedEditFileWords, geminiNames),
      tools: list(...geminiTools),
    },
    instructionFiles: ["GEMINI.md"],
    toolOutputModes: modes,
  },
  minimal: {
    id: "minimal",
    prompt: minimalPrompt,
    editing: oneTextWords,
    tools: list(minimalReadTool, minimalBashTool, minimalEditTool, minimalWriteTool),
    toolsWith: minimalTools,
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
