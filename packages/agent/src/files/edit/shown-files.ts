// What this session has shown of each file, in memory: the base for detecting stale edits and for hashline tags. Texts
// are kept with "\n" endings and without a byte order mark, so that every reader of a file records the same text.

import { createHash } from "node:crypto";
import { toLineFeeds } from "./endings.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly shownFiles?: ShownFiles;
  }
}

/** One version of a file that the model has seen. */
export interface ShownVersion {
  /** Four uppercase hex digits, unique among the versions of a path. */
  readonly tag: string;
  readonly digest: string;
  /** Absent if the file was too large to keep. */
  readonly text?: string;
  /** The version is the result of an edit in this session. */
  readonly edited: boolean;
}

/** The key under which a text inside a file is recorded. */
export const shownKey = (absolutePath: string, inner: string): string =>
  inner === "" ? absolutePath : `${absolutePath}\0${inner}`;

/** The limits of the record of shown files. */
export interface ShownLimits {
  readonly paths: number;
  readonly versionsPerPath: number;
  /** Of longer texts, only the digest is kept. */
  readonly textLength: number;
  /** The limit for all kept texts together; the least recently used paths are dropped first. */
  readonly totalLength: number;
}

const defaults: ShownLimits = { paths: 200, versionsPerPath: 12, textLength: 4_000_000, totalLength: 32_000_000 };

/** Remembers which versions of files the model has seen, to detect edits of files that have changed since. */
export class ShownFiles {
  readonly #limits: ShownLimits;
  /** Versions of a path, oldest first; paths in order of last use. */
  readonly #files = new Map<string, ShownVersion[]>();
  #length = 0;

  constructor(limits: Partial<ShownLimits> = {}) {
    this.#limits = { ...defaults, ...limits };
  }

  /**
   * Records the whole text of the file at the absolute `path` and returns its tag. Call it whenever any part was shown.
   * Callers that know the text's `digest` pass it.
   */
  record(
    path: string,
    wholeText: string,
    how: { readonly edited?: boolean; readonly digest?: string | undefined } = {},
  ): string {
    const text = canonical(wholeText);
    const digest = (text === wholeText ? how.digest : undefined) ?? digestOf(text);
    const versions = this.#files.get(path) ?? [];
    this.#files.delete(path);
    this.#files.set(path, versions);
    const at = versions.findIndex((version) => version.digest === digest);
    const version: ShownVersion =
      at >= 0
        ? (versions.splice(at, 1)[0] as ShownVersion)
        : {
            tag: mintTag(digest, versions),
            digest,
            edited: how.edited ?? false,
            ...(text.length <= this.#limits.textLength ? { text } : {}),
          };
    versions.push(version);
    if (at < 0) this.#length += version.text?.length ?? 0;
    this.#evict(path, versions);
    return version.tag;
  }

  /** The most recently used paths, newest first. */
  recent(most: number): readonly string[] {
    return [...this.#files.keys()].slice(-most).reverse();
  }

  latest(path: string): ShownVersion | undefined {
    return this.#files.get(path)?.at(-1);
  }

  /** Newest first. */
  versions(path: string): readonly ShownVersion[] {
    return [...(this.#files.get(path) ?? [])].reverse();
  }

  byTag(path: string, tag: string): ShownVersion | undefined {
    return this.#files.get(path)?.find((version) => version.tag === tag);
  }

  forget(path: string): void {
    for (const version of this.#files.get(path) ?? []) this.#length -= version.text?.length ?? 0;
    this.#files.delete(path);
  }

  /** The newest version of the path that was just recorded always stays. */
  #evict(recorded: string, versions: ShownVersion[]): void {
    const { paths, versionsPerPath, totalLength } = this.#limits;
    for (const oldest of [...this.#files.keys()]) {
      if (this.#files.size <= paths && this.#length <= totalLength) break;
      if (oldest !== recorded) this.forget(oldest);
    }
    while (versions.length > versionsPerPath || (versions.length > 1 && this.#length > totalLength)) {
      this.#length -= versions.shift()?.text?.length ?? 0;
    }
  }
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function canonical(text: string): string {
  return toLineFeeds(text.startsWith("\uFEFF") ? text.slice(1) : text);
}

/**
 * Derived from the content, so that the same text gets the same tag; the next free one if another version already has
 * it.
 */
function mintTag(digest: string, taken: readonly ShownVersion[]): string {
  let value = Number.parseInt(digest.slice(0, 4), 16);
  const inUse = new Set(taken.map((version) => version.tag));
  for (;;) {
    const tag = value.toString(16).toUpperCase().padStart(4, "0");
    if (!inUse.has(tag)) return tag;
    value = (value + 1) % 0x10000;
  }
}
