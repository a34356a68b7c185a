// Runs a program of your own when the work is done: notify-send, or what --notify-with names.

import type { ExtensionApi } from "lathe/extension";

export default function (lathe: ExtensionApi) {
  lathe.registerFlag("notify-with", { description: "program to run when the work is done", type: "string" });
  lathe.on("agent_end", async ({ reason, text }, { exec }) => {
    const program = lathe.getFlag("notify-with") ?? "notify-send";
    const said = reason === "completed" ? text.slice(0, 100) : `stopped: ${reason}`;
    await exec(String(program), ["Lathe", said]);
  });
}
