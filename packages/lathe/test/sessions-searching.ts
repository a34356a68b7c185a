// A search as the command does it, without printing.

import { openWorkspace } from "../src/config/workspace/workspace.ts";
import { loadSqlite, searchSessions } from "../src/sessions/search.ts";
import { parseQuery } from "../src/sessions/search-query.ts";
import type { Box } from "./sessions-box.ts";

export interface Outcome {
  readonly ids: string[];
  readonly snippets: string[];
  readonly notes: string[];
}

export async function searchIn(box: Box, words: string, sqlite = loadSqlite): Promise<Outcome> {
  const notes: string[] = [];
  const workspace = await openWorkspace(box.machine(), {});
  const note = (text: string): void => void notes.push(text);
  const query = parseQuery(words.split(" "));
  const found = await searchSessions(workspace, { query, limit: 20, width: 140, sqlite, note });
  return {
    ids: found.map(({ session }) => session.id),
    snippets: found.map(({ snippet: { before, match, after } }) => `${before}[${match}]${after}`),
    notes,
  };
}

export const noSqlite = async (): Promise<undefined> => undefined;
