// Earlier sessions to choose from: with the last thing that was said in the one under the cursor, and found by any word in them.

import { pathTo } from "@lathe/agent";
import { textOf } from "@lathe/llm";
import { wordsAndAttachments } from "../sessions/attached-text.ts";
import type { OfferedSession } from "../sessions/choose.ts";
import { openToRead } from "../sessions/open.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Choice } from "./commands/choice.ts";

const PREVIEW_CHARS = 600;
const MOST_FOUND = 200;

export function sessionChoice(workspace: Workspace, sessions: readonly OfferedSession[]): Choice<string> {
  const items = sessions.map(({ path, name }) => ({ value: path, label: name }));
  return {
    title: "Session",
    items,
    preview: (path) => lastExchange(workspace, path),
    search: async (words) => {
      const found = await sessionsWith(workspace, words);
      return items.filter(({ value }) => found.has(value));
    },
  };
}

/** The last prompt and the beginning of its answer. */
async function lastExchange({ machine, paths }: Workspace, path: string): Promise<string> {
  const journal = openToRead(machine, paths.blobs, path);
  try {
    let answer = "";
    for (const id of pathTo(journal, journal.leaf).reverse()) {
      const entry = journal.entry(id);
      if (entry.type !== "message") continue;
      if (entry.message.role === "assistant") answer ||= textOf(entry.message).trim();
      else if (entry.message.role === "user") {
        const { words } = wordsAndAttachments(entry.message.content);
        return `› ${words.trim()}\n${answer}`.slice(0, PREVIEW_CHARS);
      }
    }
    return answer.slice(0, PREVIEW_CHARS);
  } finally {
    await journal.close();
  }
}

/** Anywhere in their text. */
async function sessionsWith(workspace: Workspace, words: string): Promise<ReadonlySet<string>> {
  const { loadSqlite, searchSessions } = await import("../sessions/search.ts");
  const { parseQuery } = await import("../sessions/search-query.ts");
  const query = parseQuery(words.split(/\s+/));
  const found = await searchSessions(workspace, {
    query,
    limit: MOST_FOUND,
    width: 80,
    sqlite: loadSqlite,
    note: () => {},
  });
  return new Set(found.map(({ session }) => session.path));
}
