// Shows how many calls the agent has made, in the status line and above the composer.

import type { ExtensionApi } from "lathe/extension";

export default function (lathe: ExtensionApi) {
  const calls = new Map<string, number>();
  lathe.on("agent_start", (_event, { ui }) => {
    calls.clear();
    ui.setWidget("calls", undefined);
  });
  lathe.on("tool_result", (event, { ui }) => {
    calls.set(event.toolName, (calls.get(event.toolName) ?? 0) + 1);
    const total = [...calls.values()].reduce((sum, count) => sum + count, 0);
    ui.setStatus("calls", `${total} ${total === 1 ? "call" : "calls"}`);
    ui.setWidget(
      "calls",
      [...calls].map(([name, count]) => ({ text: `${name} ${count}`, style: "dim" })),
    );
  });
}
