// Earlier sessions to choose from: with the last things that were said in the one under the cursor, and found by any word in them.

import type { OfferedSession } from "../sessions/choose.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Choice } from "./commands/choice.ts";

export function sessionChoice(workspace: Workspace, sessions: readonly OfferedSession[]): Choice<string> {
  const items = sessions.map(({ path, name }) => ({ value: path, label: name }));
  return {
    title: "Session",
    items,
    previewsMarkdown: true,
    preview: async (path) => {
      const { sessionPreview } = await import("../sessions/picker.ts");
      const { last, messages, model } = sessionPreview(workspace, path);
      const said = last.map(({ role, text }) => (role === "user" ? `› ${text}` : text));
      return [`*${messages} messages${model === undefined ? "" : `, ${model}`}*`, ...said].join("\n\n");
    },
    search: async (words) => {
      const { findAmong, pickableSessions } = await import("../sessions/picker.ts");
      const found = new Set((await findAmong(workspace, pickableSessions(workspace), words)).map(({ path }) => path));
      return items.filter(({ value }) => found.has(value));
    },
  };
}
