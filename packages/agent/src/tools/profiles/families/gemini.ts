// Google's models. Tool order is part of the cached prefix: append, never reorder.

import { countedEditFileTool } from "../../builtin/edit-file/index.ts";
import { globTool } from "../../builtin/glob/index.ts";
import { grepTool } from "../../builtin/grep/index.ts";
import { listDirTool } from "../../builtin/list-dir/index.ts";
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
  instructionFiles: ["GEMINI.md"],
} as const satisfies Family;
