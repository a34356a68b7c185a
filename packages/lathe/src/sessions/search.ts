// Searches all sessions, newest first: with the index if SQLite is available, otherwise by reading every file.

import { join } from "node:path";
import { type BlobStore, FileBlobs } from "@lathe/agent";
import type { Workspace } from "../config/workspace/workspace.ts";
import { journalsIn, newestFirst, type OwnedJournal, projectFolders, readFolder } from "./files.ts";
import type { Sqlite } from "./index-file.ts";
import { describeFile } from "./list.ts";
import type { ListedSession } from "./listed-session.ts";
import type { SearchHit } from "./search-index.ts";
import type { SearchQuery } from "./search-query.ts";
import { eachText, type Snippet, snippetOf, textAt } from "./search-text.ts";

export interface FoundSession {
  readonly session: ListedSession;
  readonly snippet: Snippet;
}

export interface SearchRequest {
  readonly query: SearchQuery;
  readonly limit: number;
  /** Characters to show of a hit and the text around it. */
  readonly width: number;
  /** Undefined if the package is not installed. */
  readonly sqlite: () => Promise<Sqlite | undefined>;
  /** Shows the user one line. */
  readonly note: (text: string) => void;
}

export const loadSqlite = (): Promise<Sqlite | undefined> => import("@photostructure/sqlite").catch(() => undefined);

export async function searchSessions(workspace: Workspace, request: SearchRequest): Promise<FoundSession[]> {
  const { paths, machine } = workspace;
  const blobs = new FileBlobs(paths.blobs, `${machine.pid}`);
  const every = (): OwnedJournal[] => projectFolders(paths.sessions).flatMap((path) => journalsIn(readFolder(path)));
  const hits = (await searchIndex(workspace, blobs, request)) ?? scanJournals(every(), blobs, request);
  return hits.flatMap((hit) => {
    const session = describeFile(hit.session);
    if (typeof session !== "object") return [];
    const text = textAt(hit, blobs);
    return text === undefined ? [] : [{ session, snippet: snippetOf(text, request.query, request.width) }];
  });
}

async function searchIndex(
  { paths, machine }: Workspace,
  blobs: BlobStore,
  request: SearchRequest,
): Promise<SearchHit[] | undefined> {
  const { query, limit, note } = request;
  const sqlite = await request.sqlite();
  if (!sqlite) {
    note("@photostructure/sqlite is not installed: reading every session, which takes longer.");
    return undefined;
  }
  const [{ isBusy, withIndexFile }, { SearchIndex }] = await Promise.all([
    import("./index-file.ts"),
    import("./search-index.ts"),
  ]);
  try {
    return withIndexFile(sqlite, join(paths.cache, "search.db"), (db) => {
      const index = new SearchIndex(db, blobs);
      const behind = index.update({
        sessionsRoot: paths.sessions,
        now: machine.deps.now(),
        onStart: (bytes) => note(`Indexing ${Math.round(bytes / 1e6)} MB of sessions, once.`),
      });
      if (!behind) return index.search(query.fts, limit);
      if (behind.why !== undefined)
        note(`The search index cannot be updated (${behind.why}): reading the missing sessions directly.`);
      const wrong = new Set([...behind.gone, ...behind.unread.map(({ file }) => file.path)]);
      const right = index.search(query.fts, limit + wrong.size).filter(({ path }) => !wrong.has(path));
      return newestSessions([...scanJournals(behind.unread, blobs, request), ...right], limit);
    });
  } catch (error) {
    // If another process is creating the file, this error is expected: switching it to a write-ahead log waits for
    // nothing.
    if (!isBusy(error)) note(`The search index cannot be used (${(error as Error).message}): reading every session.`);
    return undefined;
  }
}

/** Stops when it has enough hits. */
function scanJournals(
  journals: readonly OwnedJournal[],
  blobs: BlobStore,
  { query, limit }: SearchRequest,
): SearchHit[] {
  const hits = new Map<string, SearchHit>();
  for (const { file, session } of journals.toSorted((a, b) => newestFirst(a.session, b.session))) {
    if (hits.size >= limit) break;
    if (hits.has(session.path)) continue;
    eachText(file.path, 0, blobs, (text, place) => {
      if (hits.has(session.path) || !query.patterns.every((pattern) => pattern.test(text))) return;
      hits.set(session.path, { ...place, session });
    });
  }
  return [...hits.values()];
}

function newestSessions(hits: readonly SearchHit[], limit: number): SearchHit[] {
  const bySession = new Map(hits.map((hit) => [hit.session.path, hit]));
  return [...bySession.values()].sort((a, b) => newestFirst(a.session, b.session)).slice(0, limit);
}
