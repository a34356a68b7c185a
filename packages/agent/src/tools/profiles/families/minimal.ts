// All other models: four tools and a short prompt. Tool order is part of the cached prefix: append, never reorder.

import { minimalBashTool } from "../../builtin/minimal/bash/index.ts";
import { minimalEditTool } from "../../builtin/minimal/edit/index.ts";
import { minimalReadTool } from "../../builtin/minimal/read/index.ts";
import { minimalWriteTool } from "../../builtin/minimal/write/index.ts";
import type { Family } from "../define.ts";
import editing from "../prompts/editing/one-text.md";
import prompt from "../prompts/minimal.md";
import { type Kit, list } from "./common.ts";

const tools = ({ read, write, edit }: Kit) =>
  list({ ...read, name: "read" }, minimalBashTool, { ...edit, name: "edit" }, { ...write, name: "write" });

export const minimal = {
  id: "minimal",
  prompt,
  editing,
  tools: list(minimalReadTool, minimalBashTool, minimalEditTool, minimalWriteTool),
  toolsWith: tools,
  instructionFiles: [],
} as const satisfies Family;
