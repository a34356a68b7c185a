// What this session has shown of each file, in memory: the base that staleness is judged against and that hashline tags name.
// Texts are kept with "\n" endings and without byte order mark, so that every reader of a file records the same thing.

import { createHash } from "node:crypto";
import { toLineFeeds } from "./endings.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly shownFiles?: ShownFiles;
  }
}

/** One version of a file that the model has seen. */
export interface ShownVersion {
  /** Four upper-case hex digits, unique among the versions of one path. */
  readonly tag: string;
  readonly digest: string;
  /** Absent when the file was too large to keep. */
  readonly text?: string;
  /** The version came out of an edit of this session. */
  readonly edited: boolean;
}

/** What a text inside a file is recorded under. */
export const shownKey = (absolutePath: string, inner: string): string =>
  inner === "" ? absolutePath : `${absolutePath}\0${inner}`;

/** How much the record of shown files may hold. */
export interface ShownLimits {
  readonly paths: number;
  readonly versionsPerPath: number;
  /** Longer texts are remembered by digest only. */
  readonly textLength: number;
  /** The limit of all kept texts together; the paths used longest ago go first. */
  readonly totalLength: number;
}

const defaults: ShownLimits = { paths: 200, versionsPerPath: 12, textLength: 4_000_000, totalLength: 32_000_000 };

/** Remembers which versions of files the model has seen, so that an edit of a file that changed since then is noticed. */
export class ShownFiles {
  readonly #limits: ShownLimits;
  /** Versions of a path, oldest first; paths in order of last use. */
  readonly #files = new Map<string, ShownVersion[]>();
  #length = 0;

  constructor(limits: Partial<ShownLimits> = {}) {
    this.#limits = { ...defaults, ...limits };
  }

  /**
   * Remembers the whole text of the file at the absolute `path` and returns its tag. Call it whenever any part was shown.
   * `digest` is the text's, from a caller that has it already.
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

  /** The paths used last, newest first. */
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

  /** The newest version of the path just recorded always stays. */
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

/** From the content, so that the same text gets the same tag; the next free one when another version already has it. */
function mintTag(digest: string, taken: readonly ShownVersion[]): string {
  let value = Number.parseInt(digest.slice(0, 4), 16);
  const inUse = new Set(taken.map((version) => version.tag));
  for (;;) {
    const tag = value.toString(16).toUpperCase().padStart(4, "0");
    if (!inUse.has(tag)) return tag;
    value = (value + 1) % 0x10000;
  }
}
