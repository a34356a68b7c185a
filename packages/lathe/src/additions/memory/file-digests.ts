// Whether the files that a memory rests on are as they were: by the digest of their bytes, where the session works.

import { isAbsolute, join, relative } from "node:path";
import type { ExecutionEnvironment } from "@lathe/agent";
import type { FileMarks } from "./file-marks.ts";
import type { RestsOn } from "./memory.ts";

/** Of larger files the size and time stand for the bytes. */
const LARGEST_READ = 16 << 20;
/** So much of a file is looked through for what it shows. */
const MOST_SHOWN = 1 << 20;
type Files = Pick<ExecutionEnvironment, "stat" | "readBytes" | "resolve">;

const isOfProject = (name: string): boolean => !isAbsolute(name) && !/(?:^|\/)(?:node_modules|\.git)\//.test(name);

export class FileDigests {
  readonly #env: () => Files;
  readonly #root: string;
  readonly #marks: FileMarks | undefined;
  /** A file is read once for all that ask at the same time. */
  readonly #running = new Map<string, Promise<string | undefined>>();

  /** `root`: the project's folder. `marks`: where the files are those of this machine as they are. */
  constructor(root: string, env: () => Files, marks: FileMarks | undefined) {
    this.#env = env;
    this.#root = root;
    this.#marks = marks;
  }

  /** As memories name it: relative where it is in the project. */
  nameOf(path: string): string {
    const name = relative(this.#root, path);
    return name === "" || name.startsWith("..") || isAbsolute(name) ? path : name;
  }

  absolute(name: string): string {
    return isAbsolute(name) ? name : join(this.#root, name);
  }

  /** Undefined: there is no such file, or it cannot be read. */
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
    return this.#marks.digestOf(path) ?? this.#marks.reading(path, () => this.#read(path));
  }

  async #read(path: string): Promise<string | undefined> {
    const env = this.#env();
    const stat = await env.stat(path).catch(() => undefined);
    if (stat?.kind !== "file") return undefined;
    if (stat.size > LARGEST_READ) return `unread:${stat.size} ${stat.mtimeMs} ${stat.version ?? ""}`;
    const bytes = await env.readBytes(path).catch(() => undefined);
    if (bytes === undefined) return undefined;
    // A start that reads no file does without it.
    const { createHash } = await import("node:crypto");
    return createHash("sha256").update(bytes).digest("hex");
  }

  /** Those of the files that are not as they were. */
  async changed(files: readonly RestsOn[]): Promise<readonly string[]> {
    const looked = await Promise.all(
      files.map(async ({ path, digest }) => ((await this.digestOf(path)) === digest ? [] : [path])),
    );
    return looked.flat();
  }

  /** Undefined when one has been changed or removed after this moment. */
  async ofUnchanged(names: readonly string[], since: number): Promise<readonly RestsOn[] | undefined> {
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

  /** What those of the project say, of each its beginning: what was put elsewhere, or came with a package, shows nothing of it. */
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

  /** As they are now; those that are not there are left out. */
  async of(names: readonly string[]): Promise<readonly RestsOn[]> {
    const made = await Promise.all(
      [...new Set(names)].map(async (path) => {
        const digest = await this.digestOf(path);
        return digest === undefined ? [] : [{ path, digest }];
      }),
    );
    return made.flat();
  }
}
