// Models of Google. Tool order is part of the cached prefix: append, never reorder.

import { countedEditFileTool } from "../../tools/edit-file/index.ts";
import { globTool } from "../../tools/glob/index.ts";
import { grepTool } from "../../tools/grep/index.ts";
import { listDirTool } from "../../tools/list-dir/index.ts";
import { renamed } from "../../tools/native/face.ts";
import { geminiNames, geminiTools } from "../../tools/native/gemini/index.ts";
import { keepHead } from "../../tools/output.ts";
import { readManyFilesTool } from "../../tools/read-many-files/index.ts";
import { shellTool } from "../../tools/shell/index.ts";
import type { Family } from "../define.ts";
import editing from "../prompts/editing/edit-file-counted.md";
import prompt from "../prompts/gemini.md";
import { additions, agents, files, type Kit, list } from "./common.ts";

const tools = ({ read, write, edit }: Kit) =>
  list(
    read,
    readManyFilesTool,
    write,
    edit,
    shellTool,
    grepTool,
    keepHead(globTool),
    keepHead(listDirTool),
    ...agents,
    ...additions,
  );

export const gemini = {
  id: "gemini",
  prompt,
  editing,
  tools: tools({ ...files, edit: countedEditFileTool }),
  toolsWith: tools,
  get native() {
    return {
      prompt: renamed(prompt, geminiNames),
      editing: renamed(editing, geminiNames),
      tools: list(...geminiTools),
    };
  },
  instructionFiles: ["GEMINI.md"],
} as const satisfies Family;
