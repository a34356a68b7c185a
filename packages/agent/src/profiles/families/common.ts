// What several families have in common.

import type { ToolDef } from "../../contract/tool.ts";
import { askUserTool } from "../../tools/ask-user/index.ts";
import { closeAgentTool } from "../../tools/close-agent/index.ts";
import { exitPlanModeTool } from "../../tools/exit-plan-mode/index.ts";
import { inspectImageTool } from "../../tools/inspect-image/index.ts";
import { jobOutputTool } from "../../tools/job-output/index.ts";
import { jobStopTool } from "../../tools/job-stop/index.ts";
import { readFileTool } from "../../tools/read-file/index.ts";
import { recallTool } from "../../tools/recall/index.ts";
import { sendInputTool } from "../../tools/send-input/index.ts";
import { spawnAgentTool } from "../../tools/spawn-agent/index.ts";
import { todoTool } from "../../tools/todo/index.ts";
import { waitTool } from "../../tools/wait/index.ts";
import { writeFileTool } from "../../tools/write-file/index.ts";
import type { EditKit } from "../edit-kits.ts";

export type Kit = Pick<EditKit, "read" | "write" | "edit">;

export const agents = [spawnAgentTool, sendInputTool, waitTool, closeAgentTool] as readonly ToolDef<never>[];
/** What the product adds to every family. */
export const additions = [
  todoTool,
  askUserTool,
  exitPlanModeTool,
  jobOutputTool,
  jobStopTool,
  recallTool,
  inspectImageTool,
] as readonly ToolDef<never>[];

export const files = { read: readFileTool, write: writeFileTool };

export const list = (...tools: readonly ToolDef<never>[]): readonly ToolDef[] => tools as readonly ToolDef[];
