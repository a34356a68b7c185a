// The files that the paths of one call refer to. Each path is resolved once, when permissions judge the call; every
// later use gets the same result, so the call opens exactly what was approved.

import { posix } from "node:path";
import { realPathOf } from "../../world/env/real-path.ts";
import type { ExecutionEnvironment, FileStat } from "../../world/env/types.ts";
import { findSameNamed } from "./same-name.ts";

/** The file that a path of a call refers to. */
export interface Located {
  /** The path as the caller wrote it. */
  readonly path: string;
  /** Absolute, links not resolved; the key in the record of shown files. */
  readonly absolute: string;
  /** The location of the content, or where it would be created. */
  readonly real: string;
  /** What exists at the path; absent if nothing does, not even a link. */
  readonly stat?: FileStat;
}

/** Resolves each path of a call once, so that the call opens what was approved. */
export class CallPaths {
  readonly #env: ExecutionEnvironment;
  readonly #signal: AbortSignal;
  readonly #located = new Map<string, Promise<Located>>();
  /** Real paths of files whose content the call loaded in order to show it. */
  readonly shown = new Set<string>();
  /**
   * Web pages that the call loaded in order to show them: the requested address, and the address it led to (undefined
   * if the page shows no links).
   */
  readonly pages = new Map<string, string | undefined>();
  readonly #matches = new Map<string, Promise<readonly string[]>>();

  constructor(env: ExecutionEnvironment, signal: AbortSignal) {
    this.#env = env;
    this.#signal = signal;
  }

  locate(path: string): Promise<Located> {
    return remember(this.#located, path, () => this.#resolve(path));
  }

  /** The directory to search for `path`: links resolved, and relative to the working directory if it is inside. */
  async searchRoot(path: string): Promise<string> {
    const cwd = this.#env.workingDirectory();
    const [at, root] = await Promise.all([this.locate(path), this.locate(cwd)]);
    const inside = posix.relative(root.real, at.real);
    return inside.startsWith("..") ? at.real : posix.join(cwd, inside);
  }

  /** Files that match a pattern now, newest first. */
  filesMatching(pattern: string, maxResults: number): Promise<readonly string[]> {
    return remember(this.#matches, pattern, async () => {
      const { paths } = await this.#env.glob(pattern, ".", { maxResults, signal: this.#signal });
      return paths;
    });
  }

  async #resolve(path: string): Promise<Located> {
    const env = this.#env;
    const absolute = env.resolve(path);
    let stat = await env.stat(absolute);
    let found = absolute;
    if (!stat) {
      // Models type the plain form of names that contain special spaces and quotes.
      found = (await findSameNamed(env, absolute)) ?? absolute;
      if (found !== absolute) stat = await env.stat(found);
    }
    if (stat && stat.kind !== "dangling") return { path, absolute, real: stat.realPath, stat };
    const real = await realPathOf(env, found);
    return stat ? { path, absolute, real, stat } : { path, absolute, real };
  }
}

function remember<T>(memory: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  let known = memory.get(key);
  if (!known) {
    known = make();
    memory.set(key, known);
  }
  return known;
}
