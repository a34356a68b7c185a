// Which files a server has to be told of: those of an edit, and what commands and people have changed since it was last told.

import { posix } from "node:path";
import type { ExecutionEnvironment } from "@lathe/agent/world";
import type { ChangedFile, CodeIndex } from "../code-index/code-index.ts";
import type { LanguageServer } from "./language-server.ts";
import type { ServerRow } from "./server-rows.ts";

const NEWEST_FILES = 100;

type ToldServer = Pick<LanguageServer, "key" | "root"> & { readonly row: Pick<ServerRow, "fileTypes"> };

interface Edited {
  readonly path: string;
  readonly isGone: boolean;
  /** Undefined: there was no file. */
  readonly before: string | undefined;
}

export class ChangedFiles {
  /** By server: the newest time of a file, and how much of the index's list it has been told. */
  readonly #told = new Map<string, { readonly newest: number; readonly at: number | undefined }>();

  /** The newest files by a search; the index, where there is one, also knows deleted ones, and those that are not among the newest. */
  async since(
    server: ToldServer,
    edited: readonly Edited[],
    env: ExecutionEnvironment,
    index: CodeIndex | undefined,
  ): Promise<readonly ChangedFile[]> {
    const changed = new Map<string, ChangedFile["type"]>();
    const told = this.#told.get(server.key);
    const listed = index?.changesSince(told?.at);
    const endings = server.row.fileTypes.filter((type) => type.startsWith(".")).map((type) => type.slice(1));
    const isIts = (path: string): boolean =>
      path.startsWith(`${server.root}/`) && [...endings, "json"].includes(posix.extname(path).slice(1));
    // What git ignores now is gone from the index only.
    for (const { path, type } of (listed?.files ?? []).filter((one) => isIts(one.path)))
      if (type !== 3 || !(await env.fileExists(path))) changed.set(path, type);
    const { paths } = await env.glob(`**/*.{${endings.join(",")},json}`, server.root, {
      maxResults: NEWEST_FILES + edited.length,
      base: "/",
    });
    let newest = told?.newest ?? 0;
    for (const name of paths) {
      const found = name.startsWith("/") ? name : `/${name}`;
      const mtimeMs = (await env.stat(found))?.mtimeMs ?? 0;
      if (mtimeMs < (told?.newest ?? 0)) break;
      newest = Math.max(newest, mtimeMs);
      // The first look is the server's own.
      if (told && !changed.has(found)) changed.set(found, 2);
    }
    for (const { path, isGone, before } of edited) changed.set(path, isGone ? 3 : before === undefined ? 1 : 2);
    this.#told.set(server.key, { newest, at: listed?.at });
    return [...changed].map(([path, type]) => ({ path, type }));
  }
}
