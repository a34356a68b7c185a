// Checks by digest whether the files behind a memory are unchanged, in the environment where the session works.

import { isAbsolute, join, relative } from "node:path";
import type { ExecutionEnvironment } from "@lathe/agent";
import type { FileMarks } from "./file-marks.ts";
import type { RestsOn } from "./memory.ts";

/** For larger files, size and time replace the digest. */
const LARGEST_READ = 16 << 20;
/** How much of a file is read as evidence. */
const MOST_SHOWN = 1 << 20;
type Files = Pick<ExecutionEnvironment, "stat" | "readBytes" | "resolve">;

const isOfProject = (name: string): boolean => !isAbsolute(name) && !/(?:^|\/)(?:node_modules|\.git)\//.test(name);

export class FileDigests {
  readonly #env: () => Files;
  readonly #root: string;
  readonly #marks: FileMarks | undefined;
  /** Digests being computed: a file is read once for all simultaneous callers. */
  readonly #running = new Map<string, Promise<string | undefined>>();

  /** `root`: the project's folder. `marks`: only if the files are plain files of this machine. */
  constructor(root: string, env: () => Files, marks: FileMarks | undefined) {
    this.#env = env;
    this.#root = root;
    this.#marks = marks;
  }

  /** The path in memories: relative if in the project. */
  nameOf(path: string): string {
    const name = relative(this.#root, path);
    return name === "" || name.startsWith("..") || isAbsolute(name) ? path : name;
  }

  absolute(name: string): string {
    return isAbsolute(name) ? name : join(this.#root, name);
  }

  /** Undefined if the file does not exist or cannot be read. */
  digestOf(name: string): Promise<string | undefined> {
    const path = this.absolute(name);
    const running = this.#running.get(path);
    if (running) return running;
    const digest = this.#look(path).finally(() => this.#running.delete(path));
    this.#running.set(path, digest);
    return digest;
  }

  async #look(path: string): Promise<string | undefined> {
    if (!this.#marks) return this.#read(path);
    return this.#marks.digestOf(path) ?? this.#marks.recordRead(path, () => this.#read(path));
  }

  async #read(path: string): Promise<string | undefined> {
    const env = this.#env();
    const stat = await env.stat(path).catch(() => undefined);
    if (stat?.kind !== "file") return undefined;
    if (stat.size > LARGEST_READ) return `unread:${stat.size} ${stat.mtimeMs} ${stat.version ?? ""}`;
    const bytes = await env.readBytes(path).catch(() => undefined);
    if (bytes === undefined) return undefined;
    // Imported here, because a start that reads no file should not load it.
    const { createHash } = await import("node:crypto");
    return createHash("sha256").update(bytes).digest("hex");
  }

  /** The files that have changed. */
  async changedFiles(files: readonly RestsOn[]): Promise<readonly string[]> {
    const looked = await Promise.all(
      files.map(async ({ path, digest }) => ((await this.digestOf(path)) === digest ? [] : [path])),
    );
    return looked.flat();
  }

  /** Undefined if one of the files was changed or removed after `since`. */
  async digestUnchanged(names: readonly string[], since: number): Promise<readonly RestsOn[] | undefined> {
    const made = await Promise.all(
      names.map(async (path) => {
        const stat = await this.#env()
          .stat(this.absolute(path))
          .catch(() => undefined);
        const digest = stat !== undefined && stat.mtimeMs <= since ? await this.digestOf(path) : undefined;
        return digest === undefined ? undefined : { path, digest };
      }),
    );
    return made.every((one) => one !== undefined) ? made : undefined;
  }

  /** The beginnings of these files, as evidence. Files outside the project or from packages do not count. */
  async textOf(names: readonly string[]): Promise<string> {
    const texts = await Promise.all(
      names.filter(isOfProject).map(async (name) => {
        const path = this.absolute(name);
        const stat = await this.#env()
          .stat(path)
          .catch(() => undefined);
        if (stat?.kind !== "file" || stat.size > LARGEST_READ) return "";
        const bytes = await this.#env()
          .readBytes(path)
          .catch(() => undefined);
        return bytes === undefined ? "" : Buffer.from(bytes).subarray(0, MOST_SHOWN).toString("utf8");
      }),
    );
    return texts.join("\n");
  }

  /** The files with their current digests, without missing ones. */
  async digestAll(names: readonly string[]): Promise<readonly RestsOn[]> {
    const made = await Promise.all(
      [...new Set(names)].map(async (path) => {
        const digest = await this.digestOf(path);
        return digest === undefined ? [] : [{ path, digest }];
      }),
    );
    return made.flat();
  }
}
