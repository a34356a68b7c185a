// The files that an @ may mean: those of the project, near ones first, and any folder named by its path.

import { readdir } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { ExecutionEnvironment } from "@lathe/agent";
import { fuzzyFilter } from "@lathe/tui";
import type { Conversation } from "../../conversation/conversation.ts";

/** Paths that were found, best first; folders end with a slash. */
export interface NamedFiles {
  readonly paths: readonly string[];
  /** A note if files are missing from the list, and how to find them. */
  readonly remark?: string;
}

/** In larger projects, the list has the files of the upper levels and the newest of the others. */
const MOST_FILES = 20_000;
const UPPER_LEVELS = ["*", "*/*"];
const MOST_PER_LEVEL = 2_000;
/** The most entries of a folder named by its path. */
const MOST_ENTRIES = 5_000;
/** How long a list of files is reused. */
const FRESH_MS = 5_000;

/** Paths that do not start in the project. */
const ELSEWHERE = /^(?:\.{1,2}(?:\/|$)|\/|~(?:\/|$))/;

export class ProjectFiles {
  readonly #now: () => number;
  #known: { readonly cwd: string; readonly at: number; readonly files: Promise<NamedFiles> } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  async find(typed: string, conversation: Conversation): Promise<NamedFiles> {
    if (ELSEWHERE.test(typed)) return this.#inFolder(typed, conversation);
    const { paths, remark } = await this.#all(conversation);
    const found = fuzzyFilter(typed, paths, (path) => path);
    if (found.length === 0 && typed.includes("/")) return this.#inFolder(typed, conversation);
    return { paths: found, ...(remark === undefined ? {} : { remark }) };
  }

  #all(conversation: Conversation): Promise<NamedFiles> {
    const { cwd } = conversation.workspace;
    const now = this.#now();
    if (!this.#known || this.#known.cwd !== cwd || now - this.#known.at > FRESH_MS)
      this.#known = { cwd, at: now, files: projectFiles(conversation, cwd) };
    return this.#known.files;
  }

  /** Entries of the folder that the typed path names, narrowed by its last part. Empty if there is no such folder. */
  async #inFolder(typed: string, conversation: Conversation): Promise<NamedFiles> {
    const { cwd, machine, view } = conversation.workspace;
    const whole = /(?:^|\/)\.{1,2}$|^~$/.test(typed) ? `${typed}/` : typed;
    const folder = whole.slice(0, whole.lastIndexOf("/") + 1);
    const last = whole.slice(folder.length);
    const place = folder.startsWith("~/") ? join(machine.userHome, folder.slice(2)) : resolve(cwd, folder);
    const entries = view ? await entriesInView(view.env, place) : await entriesIn(place);
    const named = entries
      .filter(({ name }) => last.startsWith(".") || !name.startsWith("."))
      .sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.name < b.name ? -1 : 1))
      .slice(0, MOST_ENTRIES);
    const found = fuzzyFilter(last, named, ({ name }) => name);
    return { paths: found.map(({ name, isFolder }) => `${folder}${name}${isFolder ? "/" : ""}`) };
  }
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Empty if this is not a folder or not readable. */
async function entriesIn(place: string): Promise<Entry[]> {
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
}

async function entriesInView(env: ExecutionEnvironment, place: string): Promise<Entry[]> {
  if ((await env.stat(place))?.kind !== "directory") return [];
  return (await env.listDirectory(place, 1)).map(({ name, isDir }) => ({ name, isFolder: isDir }));
}

/** Lists files as searches do: without those that git ignores. */
async function projectFiles({ session }: Conversation, cwd: string): Promise<NamedFiles> {
  const all = await session.env.glob("**/*", cwd, { maxResults: MOST_FILES });
  const upper = all.truncated
    ? await Promise.all(UPPER_LEVELS.map((level) => session.env.glob(level, cwd, { maxResults: MOST_PER_LEVEL })))
    : [];
  const files = new Set(
    [...upper, all].flatMap(({ paths }) => paths.map((path) => relative(cwd, resolve(cwd, path)) || path)),
  );
  const folders = new Set<string>();
  for (const file of files)
    for (let at = dirname(file); at !== "." && at !== "/" && !folders.has(`${at}/`); at = dirname(at))
      folders.add(`${at}/`);
  const paths = [...files, ...folders].map((path) => ({ path, level: levelOf(path) }));
  paths.sort((a, b) => a.level - b.level || (a.path < b.path ? -1 : 1));
  return {
    paths: paths.map(({ path }) => path),
    ...(all.truncated ? { remark: "Not all files are listed. To see those of a folder, type it: @./folder/" } : {}),
  };
}

/** Files of a folder come before its subfolders. */
function levelOf(path: string): number {
  const isFolder = path.endsWith("/");
  const slashes = path.split("/").length - 1;
  return 2 * (isFolder ? slashes - 1 : slashes) + (isFolder ? 1 : 0);
}
