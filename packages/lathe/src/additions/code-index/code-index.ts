// The index of one folder: definitions, references and imports of its source files, in a database of Lathe's. Every
// query first brings it up to date, without reading unchanged files again. All parsing and all SQL run in separate
// processes.

import { existsSync, rmSync } from "node:fs";
import { extname, join } from "node:path";
import { ToolFailure } from "@lathe/agent";
import {
  type CodeChanges,
  type CodeDependent,
  type CodeFacts,
  type FoundDefinition,
  grammars,
  type NamePlaces,
  NotParsed,
  Parser,
  type RankedCode,
} from "@lathe/agent/files";
import type { ExecutionEnvironment } from "@lathe/agent/world";

export interface CodeIndexOptions {
  readonly env: ExecutionEnvironment;
  /** The database file. */
  readonly file: string;
  /** Only programs in the environment can see the folder. */
  readonly isView?: boolean;
}

/** Called with the number of files that have to be read. */
export type IndexProgress = (files: number) => void;

const MOST_FILES = 20_000;
const BATCH_FILES = 200;
const BATCH_BYTES = 1 << 20;
const TASK_MS = 60_000;
/** The limit for a single file, after its batch has failed. */
const FILE_MS = 10_000;
const MEMORY_MB = 768;
/** Folders of third-party code, even if git does not ignore them. */
const FOREIGN = /(?:^|\/)(?:node_modules|bower_components|site-packages|__pycache__)\//;
const ENDINGS = Object.keys(grammars).map((ending) => `*.${ending}`);
const PATTERN = `**/{package.json,${ENDINGS.join(",")}}`;

export class CodeIndex {
  readonly #options: CodeIndexOptions;
  /** The environment of the last caller: the index outlives the session that it was made for. */
  env: ExecutionEnvironment;
  /** The process for the database. */
  readonly #store = new Parser();
  /** The process that reads the sources. */
  readonly #reader: Parser;
  #last: Promise<void> = Promise.resolve();
  #isComplete = false;
  #isCut = false;

  constructor(options: CodeIndexOptions) {
    const { env, isView } = options;
    this.#options = options;
    this.env = env;
    this.#reader = isView ? new Parser({ start: (argv) => this.env.startProcess!(argv, { cwd: "/" }) }) : this.#store;
  }

  get root(): string {
    // This has no slash at its end.
    return this.env.resolve(".");
  }

  /** The index was built before, now or in an earlier run, so an update should not take long. */
  get isThere(): boolean {
    return this.#isComplete || (!this.#options.isView && existsSync(this.#options.file));
  }

  /** There are more files than the index takes. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Brings the index up to date with the files on disk. Updates run one at a time. */
  async refresh(signal: AbortSignal, onProgress?: IndexProgress): Promise<void> {
    const before = this.#last;
    const work = before.then(() => this.#refresh(signal, onProgress));
    this.#last = work.catch(() => {}); // each caller gets its own failure
    await work;
  }

  async rank(path: string | undefined, signal: AbortSignal, onProgress?: IndexProgress): Promise<RankedCode> {
    return this.#ask("code.rank", { path }, signal, onProgress);
  }

  /** Files whose text a search in `env` would show: answers must not name other files. */
  async searchable(env: ExecutionEnvironment, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const globFilter = `*.{${Object.keys(grammars).join(",")}}`;
    const options = {
      globFilter,
      mode: "files_with_matches",
      base: this.root,
      maxResults: MOST_FILES,
      signal,
    } as const;
    const { files } = await env.grep("", this.root, options);
    return new Set(files.map(({ path }) => path));
  }

  /** `from`: the file in which the name was used. */
  async find(name: string, signal: AbortSignal, from?: string): Promise<NamePlaces> {
    return this.#ask("code.find", { name, from }, signal);
  }

  /** The files whose code contains the name, and those in a language that the index does not know. */
  async filesNaming(name: string, files: readonly string[], signal: AbortSignal): Promise<string[]> {
    const { definitions, references } = await this.find(name, signal);
    const named = new Set([...definitions, ...references].map(({ path }) => join(this.root, path)));
    return files.filter((file) => named.has(file) || !Object.hasOwn(grammars, extname(file).slice(1)));
  }

  /** `path` is relative to the root. */
  async definitionsIn(path: string, signal: AbortSignal): Promise<readonly FoundDefinition[]> {
    return this.#ask("code.definitions", { path }, signal);
  }

  async search(query: string, signal: AbortSignal): Promise<readonly FoundDefinition[]> {
    return this.#ask("code.definitions", { query }, signal);
  }

  /** Undefined if the file is not in the index. */
  async dependentsOf(path: string, signal: AbortSignal): Promise<readonly CodeDependent[] | undefined> {
    return this.#ask("code.dependents", { path }, signal);
  }

  async close(): Promise<void> {
    await this.#reader.close();
    await this.#store.close();
    await this.#last;
    if (!this.#options.isView) return;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(this.#options.file + suffix, { force: true });
  }

  // ---- internals ----

  async #ask<T>(task: string, input: object, signal: AbortSignal, onProgress?: IndexProgress): Promise<T> {
    for (let isSecond = false; ; isSecond = true) {
      await this.refresh(signal, onProgress);
      try {
        return await this.#run<T>(this.#store, task, { ...input, file: this.#options.file }, signal);
      } catch (error) {
        // The parser has removed a damaged database; the second pass fills it again.
        if (isSecond || signal.aborted) throw asFailure(error);
      }
    }
  }

  async #refresh(signal: AbortSignal, onProgress: IndexProgress | undefined): Promise<void> {
    const { file } = this.#options;
    const { root, env } = this;
    try {
      const found = await env.glob(PATTERN, root, { base: root, hidden: false, maxResults: MOST_FILES, signal });
      const paths = found.paths.filter((path) => !FOREIGN.test(path));
      this.#isCut = found.truncated;
      const stats = await this.#run<Float64Array>(this.#reader, "code.stat", { root, paths }, signal);
      const compare = (): Promise<CodeChanges> =>
        this.#run(this.#store, "code.compare", { file, paths, stats }, signal);
      // If the database is damaged, the first attempt removes it.
      const changes = await compare().catch(() => compare());
      const sizes = new Map(paths.map((path, at) => [path, { size: stats[at * 2]!, mtimeMs: stats[at * 2 + 1]! }]));
      const stale = [...changes.added, ...changes.changed];
      onProgress?.(stale.length);
      for (const batch of batches(stale, (path) => sizes.get(path)!.size))
        await this.#run(this.#store, "code.store", { file, facts: await this.#read(batch, sizes, signal) }, signal);
      this.#isComplete = true;
    } catch (error) {
      throw asFailure(error);
    }
  }

  /**
   * Reads files. A file that crashes the process is stored without content, and is not tried again until it changes.
   */
  async #read(
    paths: readonly string[],
    sizes: ReadonlyMap<string, Pick<CodeFacts, "size" | "mtimeMs">>,
    signal: AbortSignal,
  ): Promise<CodeFacts[]> {
    const { root } = this;
    const timeoutMs = paths.length === 1 ? FILE_MS : TASK_MS;
    try {
      return await this.#run(this.#reader, "code.read", { root, paths }, signal, timeoutMs);
    } catch (error) {
      if (!(error instanceof NotParsed) || signal.aborted) throw error;
      await this.#reader.close();
      const [path] = paths;
      if (paths.length === 1 && path !== undefined)
        return [{ path, ...sizes.get(path)!, definitions: [], references: [], imports: [], aliases: [] }];
      const middle = Math.ceil(paths.length / 2);
      const first = await this.#read(paths.slice(0, middle), sizes, signal);
      return [...first, ...(await this.#read(paths.slice(middle), sizes, signal))];
    }
  }

  async #run<T>(parser: Parser, task: string, input: object, signal: AbortSignal, timeoutMs = TASK_MS): Promise<T> {
    return (await parser.run({ task, input: { ...input }, signal, timeoutMs, memoryMb: MEMORY_MB })) as T;
  }
}

function* batches(paths: readonly string[], sizeOf: (path: string) => number): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    batch.push(path);
    bytes += sizeOf(path);
    if (batch.length < BATCH_FILES && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

const asFailure = (error: unknown): unknown =>
  error instanceof NotParsed ? new ToolFailure(`The code index cannot be used: ${error.message}.`) : error;
