// Removes unreferenced blobs. Any 64 hex digits in a journal count as a reference, so we rather keep too much than too
// little. Lists of files refer to further blobs.

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import { namesInTree, TREE_BLOB } from "./tree-names.ts";

/** The folder to clean, and the journals that may still refer to its blobs. */
export interface BlobGcOptions {
  readonly folder: string;
  /** All session files that share the folder. */
  readonly journals: Iterable<string>;
  readonly now: () => number;
  /** Younger blobs stay, because a blob is written before the line that refers to it. */
  readonly minAgeMs: number;
  /** Only report what would be removed. */
  readonly dryRun?: boolean | undefined;
}

/** The blobs that were removed (or would be, with `dryRun`), their bytes, and how many stay. */
export interface BlobGcResult {
  readonly removed: readonly string[];
  readonly bytes: number;
  readonly kept: number;
}

/** Removes blobs that no journal refers to. */
export function collectBlobs(options: BlobGcOptions): BlobGcResult {
  if (!existsSync(options.folder)) return { removed: [], bytes: 0, kept: 0 };
  const named = new Set<string>();
  for (const path of options.journals) addNames(path, named);
  addListed(options.folder, named);
  const removed: string[] = [];
  let bytes = 0;
  let kept = 0;
  for (const name of readdirSync(options.folder)) {
    const path = join(options.folder, name);
    // A writer may have removed its temporary file by now.
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) continue;
    const { size, mtimeMs } = stat;
    const isOld = options.now() - mtimeMs >= options.minAgeMs;
    if (named.has(name) || !isOld) {
      kept++;
      continue;
    }
    if (!options.dryRun) unlinkSync(path);
    removed.push(name);
    bytes += size;
  }
  return { removed, bytes, kept };
}

/** Adds the blobs that lists of files refer to, including nested lists. */
function addListed(folder: string, named: Set<string>): void {
  const waiting = [...named];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const text = listIn(join(folder, name));
    if (text === undefined) continue;
    const { contents, lists } = namesInTree(text);
    for (const content of contents) named.add(content);
    for (const list of lists) if (!named.has(list)) waiting.push(list);
    for (const list of lists) named.add(list);
  }
}

/** Undefined if the blob is not a list. */
function listIn(path: string): string | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const start = Buffer.alloc(TREE_BLOB.length);
    readSync(fd, start, 0, start.length, 0);
    return start.toString("latin1") === TREE_BLOB ? readFileSync(fd, "utf8") : undefined;
  } finally {
    closeSync(fd);
  }
}

const CHUNK = 1 << 20;
const NAME_LENGTH = 64;

function addNames(path: string, named: Set<string>): void {
  // Opens without blocking: a pipe may have the name of a journal; it contains no names.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) return;
    const buffer = Buffer.alloc(CHUNK);
    // Chunks overlap by one name, so that no name is missed at a boundary.
    for (let offset = 0, got = CHUNK; got === CHUNK; offset += CHUNK - NAME_LENGTH) {
      got = readSync(fd, buffer, 0, CHUNK, offset);
      for (const match of buffer.toString("latin1", 0, got).matchAll(/[0-9a-f]{64}/g)) named.add(match[0]);
    }
  } finally {
    closeSync(fd);
  }
}
