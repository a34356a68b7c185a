// Parts that several families share.

import type { ToolDef } from "../../../contract/tool.ts";
import { askUserTool } from "../../builtin/ask-user/index.ts";
import { astEditTool } from "../../builtin/ast-edit/index.ts";
import { astGrepTool } from "../../builtin/ast-grep/index.ts";
import { browserTool } from "../../builtin/browser/index.ts";
import { saveScreenshotCall } from "../../builtin/browser/save-screenshot.ts";
import { closeAgentTool } from "../../builtin/close-agent/index.ts";
import { computerTool } from "../../builtin/computer/index.ts";
import { debugTool } from "../../builtin/debug/index.ts";
import { evalTool } from "../../builtin/eval/index.ts";
import { agentCall, completionCall } from "../../builtin/eval/inner-calls.ts";
import { exitPlanModeTool } from "../../builtin/exit-plan-mode/index.ts";
import { generateImageTool } from "../../builtin/generate-image/index.ts";
import { githubTool } from "../../builtin/github/index.ts";
import { inspectImageTool } from "../../builtin/inspect-image/index.ts";
import { jobOutputTool } from "../../builtin/job-output/index.ts";
import { jobStopTool } from "../../builtin/job-stop/index.ts";
import { readFileTool } from "../../builtin/read-file/index.ts";
import { recallTool } from "../../builtin/recall/index.ts";
import { renderMermaidTool } from "../../builtin/render-mermaid/index.ts";
import { repoMapTool } from "../../builtin/repo-map/index.ts";
import { sendInputTool } from "../../builtin/send-input/index.ts";
import { spawnAgentTool } from "../../builtin/spawn-agent/index.ts";
import { todoTool } from "../../builtin/todo/index.ts";
import { waitTool } from "../../builtin/wait/index.ts";
import { keylessSearchCall, webSearchTool } from "../../builtin/web-search/index.ts";
import { writeFileTool } from "../../builtin/write-file/index.ts";
import type { EditKit } from "../edit-kits.ts";

export type Kit = Pick<EditKit, "read" | "write" | "edit">;

export const agents = [spawnAgentTool, sendInputTool, waitTool, closeAgentTool] as readonly ToolDef<never>[];
/** The code tool `eval`, and the nested calls that its cells may make. */
export const cells = [evalTool, completionCall, agentCall] as readonly ToolDef<never>[];
/** The web search, and its fallback if the chosen engines fail. */
export const webSearch = [webSearchTool, keylessSearchCall] as readonly ToolDef<never>[];
/** The tools that the product adds to every family. */
export const additions = [
  todoTool,
  askUserTool,
  exitPlanModeTool,
  jobOutputTool,
  jobStopTool,
  recallTool,
  inspectImageTool,
  astGrepTool,
  debugTool,
  ...cells,
  repoMapTool,
  astEditTool,
  renderMermaidTool,
  generateImageTool,
  computerTool,
  githubTool,
  browserTool,
  saveScreenshotCall,
  ...webSearch,
] as readonly ToolDef<never>[];

export const files = { read: readFileTool, write: writeFileTool };

export const list = (...tools: readonly ToolDef<never>[]): readonly ToolDef[] => tools as readonly ToolDef[];
