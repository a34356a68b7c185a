// Tool search in a session: for tools of servers if there are many, and for discoverable tools.

import type { Session } from "@lathe/agent";
import type { AdditionMaker } from "../../conversation/session-contract.ts";
import { ToolSearch } from "./tool-search.ts";

export const toolSearchAddition: AdditionMaker = async (
  { settings },
  { opened: { journal }, tools = [], loadedTools = [] },
) => {
  let session: Session | undefined;
  const search = new ToolSearch({
    mode: settings["tools.discoveryMode"],
    essential: settings["tools.essentialOverride"],
    builtin: () => session?.profile.toolRegistry.tools() ?? [],
    knownTools: () => session?.knownTools() ?? [],
    selected: [...(journal.context.state.mcpTools ?? []), ...tools, ...loadedTools],
    onSelected: (selectedToolNames) => void journal.append({ type: "mcp_tool_selection", selectedToolNames }),
  });
  return {
    name: "tool search",
    toolProviders: [search],
    ready: (made) => {
      session = made;
    },
  };
};
