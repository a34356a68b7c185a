// Models of unknown families with room for more than a few tools: one path parameter for everything. Tool order is part
// of the cached prefix: append, never reorder.

import { askTool } from "../../builtin/ask/index.ts";
import { astEditTool } from "../../builtin/ast-edit/index.ts";
import { taggedAstGrepTool } from "../../builtin/ast-grep/index.ts";
import { bashTool } from "../../builtin/bash/index.ts";
import { browserTool } from "../../builtin/browser/index.ts";
import { saveScreenshotCall } from "../../builtin/browser/save-screenshot.ts";
import { computerTool } from "../../builtin/computer/index.ts";
import { debugTool } from "../../builtin/debug/index.ts";
import { exitPlanModeTool } from "../../builtin/exit-plan-mode/index.ts";
import { findTool } from "../../builtin/find/index.ts";
import { generateImageTool } from "../../builtin/generate-image/index.ts";
import { githubTool } from "../../builtin/github/index.ts";
import { hashlineEditTool } from "../../builtin/hashline/index.ts";
import { inspectImageTool } from "../../builtin/inspect-image/index.ts";
import { jobTool } from "../../builtin/job/index.ts";
import { readTool } from "../../builtin/read/index.ts";
import { recallTool } from "../../builtin/recall/index.ts";
import { renderMermaidTool } from "../../builtin/render-mermaid/index.ts";
import { repoMapTool } from "../../builtin/repo-map/index.ts";
import { searchTool } from "../../builtin/search/index.ts";
import { todoTool } from "../../builtin/todo/index.ts";
import { writeTool } from "../../builtin/write/index.ts";
import type { Family } from "../define.ts";
import editing from "../prompts/editing/variant-hashline.md";
import prompt from "../prompts/lathe.md";
import { agents, cells, type Kit, list, webSearch } from "./common.ts";

const tools = ({ edit }: Pick<Kit, "edit">) =>
  list(
    readTool,
    writeTool,
    edit,
    searchTool,
    findTool,
    bashTool,
    jobTool,
    todoTool,
    askTool,
    ...agents,
    exitPlanModeTool,
    recallTool,
    inspectImageTool,
    taggedAstGrepTool,
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
  );

export const lathe = {
  id: "lathe",
  prompt,
  editing,
  tools: tools({ edit: hashlineEditTool }),
  toolsWith: tools,
  instructionFiles: [],
  shellTimeoutMs: 120_000,
} as const satisfies Family;
