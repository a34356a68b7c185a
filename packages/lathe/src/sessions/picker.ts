// The contents and actions of a session picker: sessions newest first, found by any word in them, each with a preview.

import { join } from "node:path";
import { pathTo } from "@lathe/agent/record";
import { textOf } from "@lathe/llm";
import type { Workspace } from "../config/workspace/workspace.ts";
import { wordsAndAttachments } from "./attached-text.ts";
import { listSessions, sessionName, timeAgo } from "./list.ts";
import type { ListedSession } from "./listed-session.ts";
import { openToRead } from "./open.ts";
import { loadSqlite, searchSessions } from "./search.ts";
import { parseQuery } from "./search-query.ts";
import { checkSessionName } from "./session-name.ts";

export interface PickableSession extends ListedSession {
  /** One line, safe to show. */
  readonly name: string;
  readonly age: string;
}

/** Newest first; only this directory's unless `all` is set. Reads only the beginning and end of each file. */
export function pickableSessions(
  workspace: Workspace,
  { all = false }: { readonly all?: boolean } = {},
): PickableSession[] {
  const { machine, paths, cwd } = workspace;
  const now = machine.deps.now();
  const cacheFile = join(paths.cache, "session-heads.json");
  const where = all ? {} : { cwd };
  return listSessions({ sessionsRoot: paths.sessions, cacheFile, now, ...where }).map((session) =>
    describe(session, now),
  );
}

const NAME_LENGTH = 60;

const describe = (session: ListedSession, now: number): PickableSession => ({
  ...session,
  name: sessionName(session, NAME_LENGTH),
  age: timeAgo(session.modified, now),
});

const MOST_FOUND = 50;

/**
 * Those of `sessions` that contain the words: first by name, id and directory, then by any text in them. A query
 * without words (punctuation) only matches names.
 */
export async function findAmong(
  workspace: Workspace,
  sessions: readonly PickableSession[],
  words: string,
): Promise<readonly PickableSession[]> {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (wanted.length === 0) return sessions;
  const isNamed = ({ id, path, cwd, title = "", firstMessage = "" }: PickableSession): boolean => {
    const text = `${id} ${title} ${firstMessage} ${cwd} ${path}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  const named = sessions.filter(isNamed);
  const byPath = new Map(sessions.map((session) => [session.path, session]));
  const said = (await pathsWithWords(workspace, wanted)).flatMap((path) => byPath.get(path) ?? []);
  return [...named, ...said.filter((session) => !named.includes(session))];
}

async function pathsWithWords(workspace: Workspace, words: readonly string[]): Promise<string[]> {
  if (!words.some((word) => /[\p{L}\p{N}]/u.test(word))) return [];
  const found = await searchSessions(workspace, {
    query: parseQuery(words),
    limit: MOST_FOUND,
    width: NAME_LENGTH,
    sqlite: loadSqlite,
    // Users do not read a note while typing; the hits say enough.
    note: () => {},
  });
  return found.map(({ session }) => session.path);
}

/** A preview of one session. */
export interface SessionPreview {
  readonly messages: number;
  /** The model that gave the last answer. */
  readonly model?: string;
  /** The last prompts and answers, oldest first. */
  readonly last: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
}

const SHOWN_MESSAGES = 6;
const SHOWN_CHARS = 600;

/** Reads the end of the current branch. */
export function sessionPreview({ machine, paths, redactor }: Workspace, path: string): SessionPreview {
  const journal = openToRead(machine, paths.blobs, path);
  try {
    const ids = pathTo(journal, journal.leaf).filter((id) => journal.meta(id)?.type === "message");
    const last: { role: "user" | "assistant"; text: string }[] = [];
    let model: string | undefined;
    for (let at = ids.length - 1; at >= 0 && last.length < SHOWN_MESSAGES; at--) {
      const entry = journal.entry(ids[at]!);
      if (entry.type !== "message") continue;
      const { role, content } = entry.message;
      if (role === "assistant") model ??= entry.model;
      const text = role === "user" ? wordsAndAttachments(content).words : textOf(entry.message);
      if ((role === "user" || role === "assistant") && text.trim() !== "")
        last.push({ role, text: redactor.text(text.trim()).slice(0, SHOWN_CHARS).toWellFormed() });
    }
    return { messages: ids.length, last: last.reverse(), ...(model === undefined ? {} : { model }) };
  } finally {
    void journal.close();
  }
}

/** Sets the user's own name for a session that is not open. */
export async function renameSession(workspace: Workspace, path: string, title: string): Promise<void> {
  const name = checkSessionName(title, "Give the session a name.");
  const { changeJournal } = await import("./change-journal.ts");
  await changeJournal(workspace, path, ({ journal }) => journal.setTitle(name, "user"));
}
