// Models of Google. Tool order is part of the cached prefix: append, never reorder.

import { countedEditFileTool } from "../../builtin/edit-file/index.ts";
import { globTool } from "../../builtin/glob/index.ts";
import { grepTool } from "../../builtin/grep/index.ts";
import { listDirTool } from "../../builtin/list-dir/index.ts";
import { renameTools } from "../../builtin/native/face.ts";
import { geminiNames, geminiTools } from "../../builtin/native/gemini/index.ts";
import { keepHead } from "../../builtin/output.ts";
import { readManyFilesTool } from "../../builtin/read-many-files/index.ts";
import { shellTool } from "../../builtin/shell/index.ts";
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
      prompt: renameTools(prompt, geminiNames),
      editing: renameTools(editing, geminiNames),
      tools: list(...geminiTools),
    };
  },
  instructionFiles: ["GEMINI.md"],
} as const satisfies Family;
