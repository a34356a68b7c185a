// Search over all sessions: by the index when SQLite is there, else by reading every file.

import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { type BlobStore, decodeLine, FileBlobs, readLines } from "@lathe/agent";
import type { Workspace } from "../run/workspace.ts";
import { childFiles, sessionFiles } from "./files.ts";
import { describeFile, type ListedSession } from "./list.ts";
import type { IndexedFile, IndexHit } from "./search-index.ts";
import type { SearchQuery } from "./search-query.ts";
import { isSearched, type Snippet, searchText, snippetOf } from "./search-text.ts";

export interface FoundSession {
  readonly session: ListedSession;
  readonly snippet: Snippet;
}

type Sqlite = typeof import("@photostructure/sqlite");

export interface SearchRequest {
  readonly query: SearchQuery;
  readonly limit: number;
  /** Undefined: the package is not installed. */
  readonly sqlite: () => Promise<Sqlite | undefined>;
  /** One line for the user. */
  readonly note: (text: string) => void;
}

export const loadSqlite = (): Promise<Sqlite | undefined> => import("@photostructure/sqlite").catch(() => undefined);

export async function searchSessions(workspace: Workspace, request: SearchRequest): Promise<FoundSession[]> {
  const { paths, machine } = workspace;
  const blobs = new FileBlobs(paths.blobs, `${machine.pid}`);
  const sessions = sessionFiles(paths.sessions);
  const files: IndexedFile[] = [
    ...sessions.map((file) => ({ ...file, session: file.path })),
    ...childFiles(paths.sessions).map(({ file, session }) => ({ ...file, session })),
  ];
  const hits = (await indexed(join(paths.cache, "search.db"), files, blobs, request)) ?? scanned(files, blobs, request);
  const byPath = new Map(sessions.map((file) => [file.path, file]));
  return hits.flatMap((hit) => {
    const file = byPath.get(hit.session);
    const session = file && describeFile(file);
    return session ? [{ session, snippet: snippetOf(textAt(hit, blobs), request.query) }] : [];
  });
}

async function indexed(
  file: string,
  files: readonly IndexedFile[],
  blobs: BlobStore,
  { query, limit, sqlite, note }: SearchRequest,
): Promise<IndexHit[] | undefined> {
  const package_ = await sqlite();
  if (!package_) {
    note("@photostructure/sqlite is not installed: reading every session, which takes longer.");
    return undefined;
  }
  const { withSearchIndex } = await import("./search-index.ts");
  try {
    return withSearchIndex(package_, file, blobs, (index) => {
      index.update(files, (bytes) => note(`Indexing ${Math.round(bytes / 1e6)} MB of sessions, once.`));
      return index.search(query.fts, limit);
    });
  } catch (error) {
    note(`The search index cannot be used (${(error as Error).message}): reading every session.`);
    return undefined;
  }
}

/** Newest sessions first; stops when there are enough. */
function scanned(files: readonly IndexedFile[], blobs: BlobStore, { query, limit }: SearchRequest): IndexHit[] {
  const hits = new Map<string, IndexHit>();
  for (const { path, session } of files) {
    if (hits.size >= limit) break;
    if (hits.has(session)) continue;
    readLines(path, 0, (line, offset) => {
      if (hits.has(session) || !isSearched(line)) return;
      const text = searchText(decodeLine(line, blobs));
      if (query.patterns.every((pattern) => pattern.test(text)))
        hits.set(session, { session, path, offset, bytes: line.length });
    });
  }
  return [...hits.values()];
}

function textAt({ path, offset, bytes }: IndexHit, blobs: BlobStore): string {
  const fd = openSync(path, "r");
  try {
    const line = Buffer.alloc(bytes);
    readSync(fd, line, 0, bytes, offset);
    return searchText(decodeLine(line, blobs));
  } finally {
    closeSync(fd);
  }
}
