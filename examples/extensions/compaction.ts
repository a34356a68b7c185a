// Makes the notes that stand for older history itself, so that no model has to be asked: what was asked for, in order.

import type { ExtensionApi } from "lathe/extension";

export default function (lathe: ExtensionApi) {
  lathe.on("session_before_compact", (_event, { session }) => {
    const asked = session
      .messages()
      .filter(({ role }) => role === "user")
      .map(({ text }) => `- ${text.trim().split("\n").at(-1)?.slice(0, 200)}`);
    if (asked.length === 0) return;
    return { summary: `## What was asked for\n${asked.join("\n")}` };
  });
}
