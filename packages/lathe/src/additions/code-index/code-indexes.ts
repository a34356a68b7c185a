// The indexes of a run: one per folder that sessions and their agents work in. They end with the last session.

import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type ExecutionEnvironment, ToolFailure } from "@lathe/agent";
import { CodeIndex } from "./code-index.ts";

const KEPT_MS = 30 * 86_400_000;

export class CodeIndexes {
  readonly #folder: string;
  readonly #now: () => number;
  /** Indexes by the identity of their environment. */
  readonly #indexes = new Map<string, Promise<CodeIndex>>();

  /** `cache`: the folder for data that can be rebuilt. */
  constructor(cache: string, now: () => number) {
    this.#folder = join(cache, "code-index");
    this.#now = now;
  }

  /** Fails with ToolFailure if the files are on another machine. */
  async for(env: ExecutionEnvironment): Promise<CodeIndex> {
    const known = this.#indexes.get(env.identity) ?? this.#make(env);
    this.#indexes.set(env.identity, known);
    const index = await known;
    index.env = env;
    return index;
  }

  /** An index that was built already, for callers that cannot wait for a build. */
  async findExisting(env: ExecutionEnvironment): Promise<CodeIndex | undefined> {
    const index = isHere(env) ? await this.for(env) : undefined;
    return index?.isThere ? index : undefined;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#indexes.values()].map(async (index) => (await index.catch(() => undefined))?.close()));
    this.#indexes.clear();
  }

  async #make(env: ExecutionEnvironment): Promise<CodeIndex> {
    if (!isHere(env)) throw new ToolFailure("The code index is only for files on this machine.");
    if (this.#indexes.size === 0) this.#removeOld();
    const root = env.workingDirectory();
    const stat = await env.stat(root);
    const isView = stat === undefined || (await env.localPath?.(stat.realPath, "read")) !== stat.realPath;
    const name = isView
      ? `view-${randomUUID()}`
      : createHash("sha256").update(stat.realPath).digest("hex").slice(0, 24);
    const file = join(this.#folder, `${name}.db`);
    const now = this.#now() / 1000;
    // An index in use must not expire.
    if (existsSync(file)) utimesSync(file, now, now);
    return new CodeIndex({ env, isView, file });
  }

  /** Removes indexes that were not used for long, and those that killed runs left behind. */
  #removeOld(): void {
    let names: string[];
    try {
      names = readdirSync(this.#folder);
    } catch {
      return; // no index was built yet
    }
    for (const name of names) {
      const file = join(this.#folder, name);
      const usedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (this.#now() - usedAt > KEPT_MS) rmSync(file, { force: true });
    }
  }
}

/** True for environments with local files: others reach their files over a connection, or have them in memory. */
const isHere = ({ identity }: ExecutionEnvironment): boolean => /^(?:local|confined) /.test(identity);
