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
  return {
    title: "Session",
    items: sessions.map(({ path, name }) => ({ value: path, label: name })),
    preview: (path) => lastExchange(workspace, path),
    search: (words) => sessionsWith(workspace, sessions, words),
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

/** Of those that are offered. */
async function sessionsWith(
  workspace: Workspace,
  sessions: readonly OfferedSession[],
  words: string,
): Promise<readonly string[]> {
  const { loadSqlite, searchSessions } = await import("../sessions/search.ts");
  const { parseQuery } = await import("../sessions/search-query.ts");
  const request = {
    query: parseQuery(words.split(/\s+/)),
    limit: MOST_FOUND,
    width: 80,
    sqlite: loadSqlite,
    note: () => {},
  };
  const found = new Set((await searchSessions(workspace, request)).map(({ session }) => session.path));
  return sessions.map(({ path }) => path).filter((path) => found.has(path));
}
