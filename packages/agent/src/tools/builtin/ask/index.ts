// `ask_user` under the short name of the universal toolset.

import type { ToolDef } from "../../../contract/tool.ts";
import { askUserTool } from "../ask-user/index.ts";

export const askTool: typeof askUserTool extends ToolDef<infer Args> ? ToolDef<Args> : never = {
  ...askUserTool,
  name: "ask",
};
