// Asks before commands that are hard to take back, and refuses them where nobody can be asked.

import type { ExtensionApi } from "lathe/extension";

const DANGEROUS = [/\brm\s+-\w*r/, /\bsudo\b/, /\bgit\s+push\b.*--force/, /\bchmod\s+-R\b/];

export default function (lathe: ExtensionApi) {
  lathe.on("tool_call", async (event, { ui, hasUI }) => {
    const command = String(event.input["command"] ?? "");
    if (!DANGEROUS.some((pattern) => pattern.test(command))) return;
    if (hasUI && (await ui.confirm("Run this command?", command))) return;
    return { block: true, reason: `Not allowed here: ${command}` };
  });
}
