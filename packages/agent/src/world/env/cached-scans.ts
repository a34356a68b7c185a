// An environment that walks a tree once for several globs in a row (`cached`). What is written or run through it ends the life of a
// listing; what others change is seen after a second at the latest.

import { resolve } from "node:path/posix";
import { type Clock, monotonicClock } from "../process/clock.ts";
import { realEntryOf, realPathOf } from "./real-path.ts";
import { ScanCache, type ScanLimits } from "./scan-cache.ts";
import {
  type BackgroundCommand,
  type DeleteOptions,
  EnvError,
  type ExecOptions,
  type ExecResult,
  type ExecutionEnvironment,
  type GlobOptions,
  type GlobResult,
  type PathOptions,
  type ProcessOptions,
  type ProgramArgv,
  type TerminalCommand,
  type TerminalOptions,
  type TwoWayProcess,
  type WriteOptions,
} from "./types.ts";
import { WrappedEnvironment } from "./wrapped.ts";

/** Answers globs that may be `cached` from one walk over the tree. */
export class CachedScans extends WrappedEnvironment {
  /** Paths relative to the walked directory, newest first, folders last. */
  readonly #scans: ScanCache<GlobResult>;

  constructor(inner: ExecutionEnvironment, clock: Clock = monotonicClock, limits: Partial<ScanLimits> = {}) {
    super(inner);
    this.#scans = new ScanCache(clock, limits);
  }

  override async glob(pattern: string, path: string, options: GlobOptions = {}): Promise<GlobResult> {
    if (!options.cached) return super.glob(pattern, path, options);
    const { compileGlob } = await import("./search/path-glob.ts");
    const { shownPrefix } = await import("./search/results.ts");
    const { base: directory, matches } = compileGlob(pattern);
    const root = resolve(this.inner.resolve(path), directory);
    const stat = await this.inner.stat(root);
    // The plain way knows what to say of a path that is no directory.
    if (stat?.kind !== "directory") return super.glob(pattern, path, options);
    const {
      hidden = true,
      gitignore = true,
      directories = false,
      maxResults,
      base = this.workingDirectory(),
    } = options;
    const prefix = shownPrefix(root, base);
    const walk = () => super.glob("**/*", root, { ...options, directories: true, maxResults: undefined, base: root });
    const look = async () => {
      const { listing, isOld } = await this.#scans.get(stat.realPath, `${hidden} ${gitignore}`, walk, isWhole);
      const paths: string[] = [];
      for (const found of listing.paths) {
        const isFolder = found.endsWith("/");
        if (isFolder && !directories) break;
        if (matches(isFolder ? found.slice(0, -1) : found)) {
          paths.push(prefix + found);
        }
      }
      return { paths, isOld, truncated: listing.truncated };
    };
    let found = await look();
    if (found.paths.length === 0 && found.isOld) {
      this.#scans.drop(stat.realPath);
      found = await look();
    }
    const { paths, truncated } = found;
    return { paths: paths.slice(0, maxResults), truncated: truncated || paths.length > (maxResults ?? paths.length) };
  }

  override async writeFile(path: string, content: string | Uint8Array, options?: WriteOptions): Promise<void> {
    return this.#applyChange([path], () => super.writeFile(path, content, options));
  }

  override async deleteFile(path: string, options?: DeleteOptions): Promise<void> {
    return this.#applyChange([path], () => super.deleteFile(path, options));
  }

  override async moveFile(from: string, to: string, options?: PathOptions): Promise<void> {
    return this.#applyChange([from, to], () => super.moveFile(from, to, options));
  }

  override async execCommand(command: string, timeoutMs: number, options: ExecOptions = {}): Promise<ExecResult> {
    try {
      return await super.execCommand(command, timeoutMs, options);
    } finally {
      this.#scans.drop();
    }
  }

  protected override startInner(command: string, options: ExecOptions = {}): BackgroundCommand {
    this.#scans.drop();
    const started = super.startInner(command, options);
    const dropScans = () => this.#scans.drop();
    started.done.then(dropScans, dropScans);
    return started;
  }

  /** Whatever is typed into it may do something. */
  protected override async startInnerTerminal(command: string, options: TerminalOptions): Promise<TerminalCommand> {
    const drop = () => this.#scans.drop();
    const started = await super.startInnerTerminal(command, {
      ...options,
      onOutput: (chunk) => {
        drop();
        options.onOutput(chunk);
      },
    });
    drop();
    started.done.then(drop, drop);
    return started;
  }

  /** A program that says something may have done something: a shell that stays open ends each command with a word. */
  protected override async startInnerProcess(argv: ProgramArgv, options: ProcessOptions = {}): Promise<TwoWayProcess> {
    const drop = () => this.#scans.drop();
    const started = await super.startInnerProcess(argv, options);
    started.exited.then(drop);
    drop();
    return {
      write: (bytes) => started.write(bytes).finally(drop),
      endInput: () => started.endInput(),
      stdout: each(started.stdout, drop),
      readStderr: (from) => started.readStderr(from),
      exited: started.exited,
      signal: (name) => started.signal(name),
      stop: (graceMs) => started.stop(graceMs),
    };
  }

  async #applyChange(paths: readonly string[], change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } finally {
      if (!this.#scans.isEmpty) for (const path of paths) await this.#dropAt(path);
    }
  }

  /** A link is replaced where it lies and written through where it leads: both trees have changed. */
  async #dropAt(path: string): Promise<void> {
    const full = this.inner.resolve(path);
    try {
      this.#scans.drop(await realEntryOf(this.inner, full));
      this.#scans.drop(await realPathOf(this.inner, full));
    } catch (error) {
      if (!(error instanceof EnvError)) throw error;
      // Where it really lies cannot be known, a loop of links perhaps.
      this.#scans.drop();
    }
  }
}

/** What was found before the time was up is no list to answer other questions from. */
const isWhole = ({ truncated }: GlobResult): boolean => !truncated;

/** The same chunks to one reader, who may stop and go on later. */
function each(source: AsyncIterable<Uint8Array>, seen: () => void): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const chunk of source) {
        seen();
        yield chunk;
      }
    },
  };
}
