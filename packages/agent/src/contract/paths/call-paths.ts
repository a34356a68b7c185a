// Which files the paths of one call mean. Each is looked up once, when the call is judged; whatever opens the file afterwards
// gets the same answer, so what was approved is what is opened.

import { posix } from "node:path";
import { realPathOf } from "../../world/env/real-path.ts";
import type { ExecutionEnvironment, FileStat } from "../../world/env/types.ts";
import { sameNamed } from "./same-name.ts";

/** Where a path of a call leads. */
export interface Located {
  /** The path as the caller wrote it. */
  readonly path: string;
  /** Absolute, links not followed: the key of the shown-file record. */
  readonly absolute: string;
  /** Where the bytes are, or would be. */
  readonly real: string;
  /** What is at the path; absent when nothing is, not even a link. */
  readonly stat?: FileStat;
}

/** Resolves each path of one call once, so that what was approved is what is opened. */
export class CallPaths {
  readonly #env: ExecutionEnvironment;
  readonly #signal: AbortSignal;
  readonly #located = new Map<string, Promise<Located>>();
  /** Real paths of files whose content the call has loaded to show it. */
  readonly shown = new Set<string>();
  /** Pages of the web that the call has loaded to show them: the address that was asked for, and the one it led to; none where it shows no links. */
  readonly pages = new Map<string, string | undefined>();
  readonly #matches = new Map<string, Promise<readonly string[]>>();

  constructor(env: ExecutionEnvironment, signal: AbortSignal) {
    this.#env = env;
    this.#signal = signal;
  }

  locate(path: string): Promise<Located> {
    return remember(this.#located, path, () => this.#look(path));
  }

  /** Where to search for what `path` names: links followed, and named from the working directory when it is in there. */
  async searchRoot(path: string): Promise<string> {
    const cwd = this.#env.workingDirectory();
    const [at, root] = await Promise.all([this.locate(path), this.locate(cwd)]);
    const inside = posix.relative(root.real, at.real);
    return inside.startsWith("..") ? at.real : posix.join(cwd, inside);
  }

  /** Files that a pattern matches now, newest first. */
  filesMatching(pattern: string, maxResults: number): Promise<readonly string[]> {
    return remember(this.#matches, pattern, async () => {
      const { paths } = await this.#env.glob(pattern, ".", { maxResults, signal: this.#signal });
      return paths;
    });
  }

  async #look(path: string): Promise<Located> {
    const env = this.#env;
    const absolute = env.resolve(path);
    let stat = await env.stat(absolute);
    let found = absolute;
    if (!stat) {
      // Models type the plain form of names that contain special spaces and quotes.
      found = (await sameNamed(env, absolute)) ?? absolute;
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
