// The action `run`: a script on an open tab, and what happened in the tab meanwhile.

import type { ToolContext, ToolResult } from "@lathe/agent";
import { type BrowserRequest, runScript, type TabScripts } from "@lathe/agent/tools";
import type { Tab } from "../tab.ts";

export async function runOnTab(
  tab: Tab,
  { name, code = "", files = [], timeoutMs }: BrowserRequest,
  scripts: TabScripts,
  context: ToolContext,
): Promise<ToolResult> {
  const script = { tab: name, code, files, timeoutMs };
  const { text, pictures, hasLostPage, isError } = await runScript(scripts, script, context);
  const address = tab.page.url();
  const lines = [
    text,
    ...(hasLostPage ? [`Its page was closed with it. Open the tab "${name}" again.`] : []),
    ...tab.report.take(),
    ...((await tab.downloads?.take(context)) ?? []),
  ];
  return {
    content: [{ kind: "text", text: lines.join("\n") }, ...pictures],
    details: { name, url: address },
    isError,
    effects: isError ? "unknown" : "done",
    fromWeb: { source: address, links: [] },
  };
}
