// Whether the files that a memory rests on are as they were: by the digest of their bytes, where the session works.

import { createHash } from "node:crypto";
import { isAbsolute, join, relative } from "node:path";
import type { ExecutionEnvironment } from "@lathe/agent";
import type { RestsOn } from "./memory.ts";

/** Of larger files the size and time stand for the bytes. */
const LARGEST_READ = 16 << 20;
/** A change this soon after a look may leave size and time as they were. */
const TICK_MS = 3_000;

type Files = Pick<ExecutionEnvironment, "stat" | "readBytes" | "resolve">;

interface Seen {
  readonly mark: string;
  readonly digest: string;
}

export class FileDigests {
  readonly #env: () => Files;
  readonly #project: string;
  readonly #now: () => number;
  readonly #seen = new Map<string, Seen>();

  constructor(project: string, env: () => Files, now: () => number) {
    this.#env = env;
    this.#project = project;
    this.#now = now;
  }

  /** As memories name it: relative where it is in the project. */
  nameOf(path: string): string {
    const name = relative(this.#project, path);
    return name === "" || name.startsWith("..") || isAbsolute(name) ? path : name;
  }

  absolute(name: string): string {
    return isAbsolute(name) ? name : join(this.#project, name);
  }

  /** Undefined: there is no such file, or it cannot be read. */
  async digestOf(name: string): Promise<string | undefined> {
    const path = this.absolute(name);
    const stat = await this.#env()
      .stat(path)
      .catch(() => undefined);
    if (stat?.kind !== "file") return undefined;
    const mark = `${stat.size} ${stat.mtimeMs} ${stat.version ?? ""}`;
    if (stat.size > LARGEST_READ) return `unread:${mark}`;
    const known = this.#seen.get(path);
    if (known?.mark === mark) return known.digest;
    const bytes = await this.#env()
      .readBytes(path)
      .catch(() => undefined);
    if (bytes === undefined) return undefined;
    const digest = createHash("sha256").update(bytes).digest("hex");
    if (stat.mtimeMs < this.#now() - TICK_MS) this.#seen.set(path, { mark, digest });
    return digest;
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
