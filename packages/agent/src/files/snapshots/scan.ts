// Scans a tree again: entries that are unchanged according to `lstat` are kept; others are read and stored. Folders are
// listed again only if they have changed. Synchronous calls are several times cheaper here; we yield to the host in
// between.

import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { BlobStore } from "../../base/blobs/store.ts";
import { type FolderRules, isIgnored, rulesOf } from "./ignore.ts";
import { fsPath, mayHaveLostBytes, nameOf } from "./names.ts";
import { isUnchanged, type LookTime, lstatOf, OUT_OF_REACH, type StatMark, type Stats, statMark } from "./stat.ts";
import { ABSENT, type FileNode, type FolderNode, type LinkNode, type Node, REPOSITORY } from "./tree.ts";

/** Limits on what is kept. */
export interface SnapshotLimits {
  /** A tree with more files is not covered; only the paths that calls declare to write are. */
  readonly maxFiles: number;
  /** Contents of larger files are not kept. */
  readonly maxFileBytes: number;
  /** Contents beyond this total are not kept. */
  readonly maxTotalBytes: number;
}

export interface ScanHost {
  readonly blobs: Pick<BlobStore, "put">;
  readonly limits: SnapshotLimits;
  /** Absolute paths that are never scanned, such as the folder of the snapshots. */
  readonly exclude: ReadonlySet<string>;
  /** Last parts of these paths, so that few names need a full comparison. */
  readonly excludedNames: ReadonlySet<string>;
  /** The ignore rules that apply at a root; the same object each time. */
  rulesAbove(root: string, isRepository: boolean): FolderRules;
  /** The hash of a content that an earlier process stored. */
  storedHash(path: string, stat: Stats): string | undefined;
}

export class TooManyFiles extends Error {}

/** Mode bits of files and folders that can be restored. */
export const MODE_BITS = 0o7777;
/** How long we block the host, in bytes that could have been read; about 5 ms. */
const COST_PER_TURN = 2_000_000;
const STAT_COST = 1_000;
const READ_COST = 40_000;

export class Scan {
  /** Existing paths that are covered from now on. */
  readonly found: string[] = [];
  /** New or changed files whose content is not kept. */
  readonly newlyUncovered: string[] = [];
  readonly #host: ScanHost;
  readonly #time: LookTime;
  #files = 0;
  #bytes = 0;
  #cost = 0;

  constructor(host: ScanHost, time: LookTime) {
    this.#host = host;
    this.#time = time;
  }

  /** Returns `previous` itself if nothing has changed. */
  async again(root: FolderNode): Promise<FolderNode> {
    return this.#folder("/", root, undefined, { isWhole: root.isWhole, above: undefined, aboveBefore: undefined });
  }

  async #folder(
    path: string,
    previous: FolderNode | undefined,
    stat: Stats | undefined,
    { isWhole, above, aboveBefore }: Surroundings,
  ): Promise<FolderNode> {
    if (!isWhole) return this.#knownNames(path, previous!, stat);
    const isListed = previous?.isWhole === true && stat !== undefined && isUnchanged(previous.mark, stat);
    const entries = isListed ? undefined : listOf(path);
    const names = entries ?? previous?.children ?? new Map<string, unknown>();
    const hasGit = entries ? entries.has(".git") : (previous?.ignored.has(".git") ?? false);
    const outer = above ?? this.#host.rulesAbove(path, hasGit);
    const knownFile = previous?.rules?.madeOf.file;
    const gitignore =
      names.has(".gitignore") || knownFile
        ? this.#stat(join(path, ".gitignore"), (now) => isUnchanged(knownFile, now))
        : undefined;
    const rules = rulesOf(path, outer, { gitignore, hasGit, lookedAt: this.#time.taken }, previous?.rules);
    const known = previous?.rules === rules ? previous : undefined;
    const listed = entries ?? (known ? undefined : listOf(path));
    const rulesBefore = previous ? previous.rules : aboveBefore;
    const next: NextFolder = { children: new Map(), ignored: new Set(), previous, path, rules, rulesBefore };
    if (!listed) for (const name of known!.ignored) next.ignored.add(name);
    for (const name of listed?.keys() ?? previous!.children.keys()) {
      if (name === ".git") {
        next.ignored.add(name);
        if (previous?.children.get(name)?.kind !== "folder") next.children.set(name, REPOSITORY);
        continue;
      }
      if (listed && this.#isSkipped(next, name, listed.get(name)!, known)) continue;
      const inner = this.#entry(next, name);
      if (inner) await inner;
    }
    for (const [name, node] of previous?.children ?? []) {
      // Ignored names are not listed as missing, so we check those we know.
      if (!next.children.has(name) && (node.kind === "absent" || previous!.ignored.has(name)))
        await this.#entry(next, name);
    }
    return this.#makeNode(next, stat, { isWhole: true, mark: isListed ? previous.mark : this.#markOf(stat) });
  }

  /** Only the names that are already known. */
  async #knownNames(path: string, previous: FolderNode, stat: Stats | undefined): Promise<FolderNode> {
    const next: NextFolder = {
      children: new Map(),
      ignored: new Set(previous.ignored),
      previous,
      path,
      rules: undefined,
      rulesBefore: undefined,
    };
    for (const name of previous.children.keys()) {
      const inner = this.#entry(next, name);
      if (inner) await inner;
    }
    return this.#makeNode(next, stat, { isWhole: false, mark: undefined });
  }

  /** True for an ignored name that we have no other reason to cover. */
  #isSkipped(next: NextFolder, name: string, isFolder: boolean, known: FolderNode | undefined): boolean {
    const { previous, path, rules } = next;
    const before = previous?.children.get(name);
    if (known && before && before.kind !== "absent" && !known.ignored.has(name)) return false;
    const wasIgnored = previous?.ignored.has(name) ?? false;
    const ignored = known && wasIgnored ? true : isIgnored(rules!, join(path, name), isFolder);
    if (ignored) {
      next.ignored.add(name);
      return before === undefined && (isFolder || wasIgnored || !isIgnoredOnlyNow(next, name));
    }
    if (wasIgnored && (before === undefined || before.kind === "folder")) this.found.push(join(path, name));
    return false;
  }

  /** Returns a promise only if there is something to wait for: most entries are unchanged files. */
  #entry(next: NextFolder, name: string): Promise<void> | undefined {
    const path = join(next.path, name);
    if (this.#host.excludedNames.has(name) && this.#host.exclude.has(path)) return undefined;
    const before = next.previous?.children.get(name);
    const stat = this.#stat(path, (now) => needsNoMark(before, now));
    if (stat?.isDirectory()) return this.#inner(next, name, stat);
    const node = stat && this.#leaf(path, stat, before);
    if (node) next.children.set(name, node);
    else this.#noteMissing(next, name);
    this.#cost += STAT_COST;
    if (this.#cost < COST_PER_TURN) return undefined;
    this.#cost = 0;
    return nextTurn();
  }

  /**
   * The first change is checked again after the time was taken, because only such a stat can be compared with the time.
   */
  #stat(path: string, isKnown: (stat: Stats) => boolean): Stats | undefined {
    const stat = lstatOf(path);
    if (stat === undefined || this.#time.taken !== undefined || isKnown(stat)) return stat;
    this.#time.take();
    return lstatOf(path);
  }

  /** Undefined, and so never trusted, for a stat from before the time was taken. */
  #markOf(stat: Stats | undefined): StatMark | undefined {
    const { taken } = this.#time;
    return stat && taken !== undefined ? statMark(stat, taken) : undefined;
  }

  async #inner(next: NextFolder, name: string, stat: Stats): Promise<void> {
    const path = join(next.path, name);
    const before = next.previous?.children.get(name);
    const previous = before?.kind === "folder" ? before : undefined;
    const isKnownOnly = next.rules === undefined || next.ignored.has(name);
    const isWhole = !isKnownOnly || previous?.isRoot === true;
    if (!isWhole && !previous) this.#noteMissing(next, name);
    else
      next.children.set(
        name,
        await this.#folder(path, previous, stat, { isWhole, above: next.rules, aboveBefore: next.rulesBefore }),
      );
  }

  #noteMissing(next: NextFolder, name: string): void {
    const before = next.previous?.children.get(name);
    const isWatched = next.rules === undefined || next.ignored.has(name) || before?.kind === "absent";
    if (isWatched && before !== undefined) next.children.set(name, goneNode(before));
  }

  #leaf(path: string, stat: Stats, before: Node | undefined): Node | undefined {
    const isFile = stat.isFile();
    if (!isFile && !stat.isSymbolicLink()) return undefined;
    if (++this.#files > this.#host.limits.maxFiles) throw new TooManyFiles();
    return isFile ? this.#file(path, stat, before) : this.#link(path, stat, before);
  }

  #file(path: string, stat: Stats, before: Node | undefined): FileNode {
    const mode = stat.mode & MODE_BITS;
    const { maxFileBytes, maxTotalBytes } = this.#host.limits;
    const isCovered = stat.size <= maxFileBytes && this.#bytes + stat.size <= maxTotalBytes;
    if (isCovered) this.#bytes += stat.size;
    const known =
      before?.kind === "file" && isUnchanged(before.mark, stat) && before.mode === mode ? before : undefined;
    if (known && (known.hash === undefined || isCovered)) return known;
    const mark = known?.mark ?? statMark(stat, this.#time.take());
    const stored = mark.isFresh || !isCovered ? undefined : this.#host.storedHash(path, stat);
    const hash = stored ?? (isCovered ? this.#read(path) : undefined);
    const isKnown = before?.kind === "file" && before.mark.mtimeMs === mark.mtimeMs && before.mark.size === mark.size;
    if (hash === undefined && !isKnown) this.newlyUncovered.push(path);
    return { kind: "file", mode, mark, ...(hash === undefined ? {} : { hash }) };
  }

  #read(path: string): string | undefined {
    const bytes = contentOf(path);
    if (!bytes) return undefined;
    this.#cost += READ_COST + bytes.length;
    return this.#host.blobs.put(bytes);
  }

  #link(path: string, stat: Stats, before: Node | undefined): LinkNode | undefined {
    if (before?.kind === "link" && isUnchanged(before.mark, stat)) return before;
    const target = linkTarget(path);
    return target === undefined ? undefined : { kind: "link", target, mark: statMark(stat, this.#time.take()) };
  }

  #makeNode(
    { children, ignored, previous, rules }: NextFolder,
    stat: Stats | undefined,
    { isWhole, mark }: { readonly isWhole: boolean; readonly mark: StatMark | undefined },
  ): FolderNode {
    const mode = stat === undefined ? 0 : stat.mode & MODE_BITS;
    const isRoot = previous?.isRoot ?? false;
    if (previous?.isWhole === isWhole && previous.mode === mode && sameEntries(previous.children, children)) {
      if (previous.rules === rules && sameNames(previous.ignored, ignored) && previous.mark === mark) return previous;
      const hash = previous.hash === undefined ? {} : { hash: previous.hash };
      return { kind: "folder", mode, mark, isWhole, isRoot, children: previous.children, ignored, rules, ...hash };
    }
    return { kind: "folder", mode, mark, isWhole, isRoot, children, ignored, rules };
  }
}

interface Surroundings {
  readonly isWhole: boolean;
  /** Rules of the enclosing folder, now and at the previous scan. */
  readonly above: FolderRules | undefined;
  readonly aboveBefore: FolderRules | undefined;
}

interface NextFolder {
  readonly children: Map<string, Node>;
  readonly ignored: Set<string>;
  readonly previous: FolderNode | undefined;
  readonly path: string;
  /** Undefined for a folder of which only some names are covered. */
  readonly rules: FolderRules | undefined;
  /**
   * The rules of the previous scan; for a new folder, those of the enclosing folder at that time. Undefined if there
   * was none.
   */
  readonly rulesBefore: FolderRules | undefined;
}

/**
 * A new file that the rules of the previous scan would not have ignored: the same call created and ignored it. Not for
 * folders: otherwise `npm install` next to a new .gitignore would be kept whole.
 */
function isIgnoredOnlyNow({ rules, rulesBefore, path }: NextFolder, name: string): boolean {
  return rulesBefore !== undefined && rulesBefore !== rules && !isIgnored(rulesBefore, join(path, name), false);
}

/** We keep checking the names we knew inside. */
function goneNode(before: Node): Node {
  if (before.kind !== "folder") return ABSENT;
  const isKnownGone = !before.isWhole && [...before.children.values()].every((node) => node === goneNode(node));
  if (isKnownGone) return before;
  const children = new Map([...before.children].map(([name, node]) => [name, goneNode(node)]));
  const { hash: _stale, ...kept } = before;
  return { ...kept, isWhole: false, mark: undefined, children, ignored: new Set(), rules: undefined };
}

/** The current entry is unchanged, or of a kind that has no mark. */
function needsNoMark(before: Node | undefined, stat: Stats): boolean {
  if (before === undefined || before.kind === "absent")
    return !stat.isFile() && !stat.isSymbolicLink() && !stat.isDirectory();
  if (before.kind === "repository") return true;
  if (before.kind === "folder" && !before.isWhole) return stat.isDirectory();
  return isUnchanged(before.mark, stat);
}

function sameEntries(a: ReadonlyMap<string, Node>, b: ReadonlyMap<string, Node>): boolean {
  if (a.size !== b.size) return false;
  for (const [name, node] of a) if (b.get(name) !== node) return false;
  return true;
}

function sameNames(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((name) => b.has(name));
}

export const join = (folder: string, name: string): string => (folder === "/" ? `/${name}` : `${folder}/${name}`);

/** Names in a folder; true for folders. */
/** Names in a folder, and whether each is a folder; empty if it cannot be read. */
export function listOf(path: string): Map<string, boolean> {
  try {
    const entries = readdirSync(fsPath(path), { withFileTypes: true });
    if (!entries.some(({ name }) => mayHaveLostBytes(name)))
      return new Map(entries.map((entry) => [entry.name, entry.isDirectory()]));
    const exact = readdirSync(fsPath(path), { withFileTypes: true, encoding: "buffer" });
    return new Map(exact.map((entry) => [nameOf(entry.name as unknown as Buffer), entry.isDirectory()]));
  } catch (error) {
    if (OUT_OF_REACH.has((error as NodeJS.ErrnoException).code ?? "")) return new Map();
    throw error;
  }
}

/** Undefined if it cannot be read. Never follows a link, and never waits for a pipe that replaced the file. */
export function contentOf(path: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(fsPath(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return readFileSync(fd);
  } catch (error) {
    if (OUT_OF_REACH.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

export function linkTarget(path: string): string | undefined {
  try {
    return nameOf(readlinkSync(fsPath(path), { encoding: "buffer" }));
  } catch (error) {
    if (OUT_OF_REACH.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
