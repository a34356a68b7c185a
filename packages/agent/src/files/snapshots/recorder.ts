// Records what files were before and after the calls of a session that may change them. The list before is made when
// the first such call of a round starts; the list after is made in parallel with the next request, and is complete
// before the next such call starts.

import { messageOf } from "@lathe/llm";
import type { BlobStore } from "../../base/blobs/store.ts";
import type { FileChange } from "../../contract/changes.ts";
import type { CallInfo } from "../../contract/seams/types.ts";
import type { ToolResult } from "../../contract/tool.ts";
import { JournalError } from "../../record/journal/errors.ts";
import type { Journal } from "../../record/journal/journal.ts";
import { filesIn } from "./compare.ts";
import { emptyTree, ignoredIn, isCoveredIn, withChange, withPaths } from "./coverage.ts";
import { isDiskFull } from "./disk-full.ts";
import { type FolderRules, rulesAbove } from "./ignore.ts";
import { mayChangeFiles } from "./may-change.ts";
import { shownPath } from "./names.ts";
import { Scan, type ScanHost, type SnapshotLimits, TooManyFiles } from "./scan.ts";
import { LookTime } from "./stat.ts";
import { StatCache } from "./stat-cache.ts";
import { type FolderNode, storeTree } from "./tree.ts";

/** What to scan, what to keep, and where. */
export interface SnapshotOptions {
  readonly journal: Journal;
  /** Separate from the journal's store, so that its blobs are not synced to disk at each turn. */
  readonly blobs: BlobStore;
  /** Absolute real paths of the folders that are covered. */
  readonly roots: readonly string[];
  /** Absolute real paths that are never scanned. */
  readonly exclude: readonly string[];
  readonly limits: SnapshotLimits;
  /** Text of the user's global ignore file. */
  readonly personalIgnores?: string | undefined;
  /** Paths that git tracks although they are ignored. */
  readonly trackedIgnored?: (() => Promise<readonly string[]>) | undefined;
  /** Which ignored paths to cover anyway. Takes absolute paths; a folder is queried as a whole. */
  readonly coversIgnored?: ((path: string) => boolean) | undefined;
  /** Location of the stat cache; a file next to it is written to learn the file system's time. */
  readonly cacheFile: string;
  /** Distinguishes our temporary files from those of other processes. */
  readonly writer: string;
  readonly warn: (message: string, code: string) => void;
}

/** The files at one moment. */
export interface SnapshotImage {
  /** The blob with its list of files. */
  readonly blob: string;
  readonly found: readonly string[];
}

const countOnly = (host: ScanHost): ScanHost => ({ ...host, limits: { ...host.limits, maxFileBytes: -1 } });

/** Records the files around the calls of one session. */
export class Snapshots {
  readonly #options: SnapshotOptions;
  readonly #cache: StatCache;
  readonly #host: ScanHost;
  #tree: FolderNode | undefined;
  #roots: readonly string[];
  readonly #rules = new Map<string, FolderRules>();
  #running = 0;
  #isOpen = false;
  /** Why recording has stopped. */
  #brokenBy: string | undefined;
  #isNoted = false;
  #cacheIsStale = false;
  /** Serializes scans and journal lines. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: SnapshotOptions) {
    this.#options = options;
    this.#roots = options.roots;
    this.#cache = new StatCache(options.cacheFile, options.blobs);
    this.#host = {
      blobs: options.blobs,
      limits: options.limits,
      exclude: new Set(options.exclude),
      excludedNames: new Set(options.exclude.map((path) => path.slice(path.lastIndexOf("/") + 1))),
      rulesAbove: (root, isRepository) => this.#rulesAbove(root, isRepository),
      storedHash: (path, stat) => this.#cache.hash(path, stat),
    };
  }

  readonly aroundExecute = async (call: CallInfo, run: () => Promise<ToolResult>): Promise<ToolResult> => {
    if (!mayChangeFiles(call)) return run();
    const paths = (call.access ?? []).flatMap((item) => (item.kind === "write" ? [item.path] : []));
    return this.aroundChange(paths, run, ({ changes = [] }) => changes);
  };

  /** `changesOf`: the changes reported by the work that it had not declared before. */
  async aroundChange<T>(
    paths: readonly string[],
    run: () => Promise<T>,
    changesOf: (done: T) => readonly FileChange[] = () => [],
  ): Promise<T> {
    this.#running++;
    try {
      await this.#inOrder(() => this.#begin(paths));
      this.#noteUnrecorded();
      const done = await run();
      const changes = changesOf(done);
      if (changes.length > 0) await this.#inOrder(() => this.#join(changes));
      return done;
    } finally {
      this.#running--;
    }
  }

  /**
   * For `beforeRequest`, and for the end of an input, because no request follows the last calls of an interrupted one.
   */
  roundEnded(): undefined {
    this.changeEnded(undefined);
  }

  /** For changes that no call made: they belong to the message that will report them, if any. */
  changeEnded(toldBy: string | undefined): void {
    if (this.#running === 0) this.#endRound(toldBy);
  }

  #endRound(entryId?: string): void {
    this.#isNoted = false;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const leaf = entryId ?? this.#options.journal.leaf;
    const end = this.#inOrder(async () => {
      const { blob, found } = await this.look();
      this.#write("after", blob, found, leaf);
    });
    // The next caller waits for #work; if the journal cannot be written, its next line reports that.
    end.catch(() => {});
  }

  /** Resolves when the list after the last calls is written, even if an abandoned call is still running. */
  async settle(): Promise<void> {
    this.#endRound();
    await this.#work;
    if (!this.#cacheIsStale || !this.#tree) return;
    this.#cacheIsStale = false;
    this.#cache.save(this.#tree, this.#options.writer);
  }

  /** False if there were too many files, so that only those named by calls are covered. */
  get coversRoots(): boolean {
    return this.#roots.length > 0;
  }

  /** The current files; `also`: additional paths to cover. Call `settle` first. */
  async look(also: Iterable<string> = []): Promise<SnapshotImage> {
    const found: string[] = [];
    const time = this.#newTime();
    const isFirst = this.#tree === undefined;
    const known = isFirst ? await this.#knownPaths() : [];
    const start = this.#tree ?? emptyTree(this.#roots);
    const scan = new Scan(this.#host, time);
    let tree: FolderNode;
    try {
      // Counted first, so that a tree that is too large is not partly stored.
      if (isFirst) await new Scan(countOnly(this.#host), time).again(start);
      tree = await scan.again(start);
    } catch (error) {
      if (!(error instanceof TooManyFiles) || this.#roots.length === 0) throw error;
      this.#coverTouchedOnly();
      return this.look(also);
    }
    tree = withPaths(tree, known, { host: this.#host, time, found: [] });
    const { coversIgnored } = this.#options;
    if (coversIgnored) tree = withPaths(tree, ignoredIn(tree, coversIgnored), { host: this.#host, time, found: [] });
    tree = withPaths(tree, also, { host: this.#host, time, found });
    if (isFirst) this.#cache.forget();
    else this.#noteUncovered(scan.newlyUncovered);
    this.#cacheIsStale ||= tree !== this.#tree;
    this.#tree = tree;
    return { blob: storeTree(tree, this.#options.blobs), found: [...scan.found, ...found] };
  }

  #newTime(): LookTime {
    return new LookTime(`${this.#options.cacheFile}.time`);
  }

  /** Paths covered although git ignores them, or outside the roots. */
  async #knownPaths(): Promise<readonly string[]> {
    const { journal, blobs, trackedIgnored } = this.#options;
    const last = [...journal.outside("snapshot")].findLast(({ blob }) => blob !== "")?.blob;
    return [...((await trackedIgnored?.()) ?? []), ...(last ? filesIn(last, blobs) : [])];
  }

  async #begin(paths: readonly string[]): Promise<void> {
    if (this.#isOpen) {
      const found: string[] = [];
      this.#joinFound(withPaths(this.#tree!, paths, { host: this.#host, time: this.#newTime(), found }), found);
      return;
    }
    const { blob, found } = await this.look(paths);
    this.#isOpen = true;
    this.#write("before", blob, found);
  }

  /** Once per round, so that a rewind of this round, in any process, knows that it cannot restore files. */
  #noteUnrecorded(): void {
    if (this.#brokenBy === undefined || this.#isNoted) return;
    this.#isNoted = true;
    const { journal } = this.#options;
    journal.write({ type: "snapshot", phase: "unrecorded", entryId: journal.leaf, blob: "", reason: this.#brokenBy });
  }

  /** Changes that a call had not declared, with the earlier content that it reports. */
  #join(changes: readonly FileChange[]): void {
    if (!this.#isOpen) return;
    const found = changes.filter(({ path }) => !isCoveredIn(this.#tree!, path));
    this.#joinFound(
      found.reduce((tree, change) => withChange(tree, change), this.#tree!),
      found.flatMap(({ path, before }) => (before ? [path] : [])),
    );
  }

  #joinFound(tree: FolderNode, found: readonly string[]): void {
    if (tree === this.#tree) return;
    this.#tree = tree;
    this.#write("joined", storeTree(tree, this.#options.blobs), found);
  }

  #write(
    phase: "before" | "joined" | "after",
    blob: string,
    found: readonly string[],
    entryId = this.#options.journal.leaf,
  ) {
    this.#options.journal.write({ type: "snapshot", phase, entryId, blob, ...(found.length === 0 ? {} : { found }) });
  }

  /** Files that cannot be scanned must not stop the agent's work. */
  #inOrder(work: () => Promise<void> | void): Promise<void> {
    const done = this.#work.then(async () => {
      if (this.#brokenBy !== undefined) return;
      try {
        await work();
      } catch (error) {
        if (error instanceof JournalError) throw error;
        this.#brokenBy = isDiskFull(error) ? "the disk was full" : messageOf(error);
        this.#isOpen = false;
        this.#options.warn(
          `Changes of files are no longer recorded in this session, so they cannot be rewound: ${this.#brokenBy}`,
          "snapshots_off",
        );
      }
    });
    this.#work = done.catch(() => {});
    return done;
  }

  #rulesAbove(root: string, isRepository: boolean): FolderRules {
    const key = `${isRepository} ${root}`;
    const known = this.#rules.get(key) ?? rulesAbove(root, isRepository, this.#options.personalIgnores);
    this.#rules.set(key, known);
    return known;
  }

  #coverTouchedOnly(): void {
    const { roots, limits, warn } = this.#options;
    this.#roots = [];
    this.#tree = undefined;
    warn(
      `${roots.map(shownPath).join(", ")} holds more than ${limits.maxFiles} files. Rewind covers only the files that edit tools change here. To cover all: raise rewind.maxFiles.`,
      "snapshots_capped",
    );
  }

  #noteUncovered(paths: readonly string[]): void {
    if (paths.length === 0) return;
    const shown = paths.slice(0, 3).map(shownPath).join(", ");
    const more = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
    this.#options.warn(`Too large to rewind: ${shown}${more}.`, "snapshots_capped");
  }
}
