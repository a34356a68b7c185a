// Resolves imports to files of the index. Relative ones are resolved as the languages do; others by the names of
// packages in the index, or by how many trailing parts they share with a path.

import { posix } from "node:path";

/** Files with these names represent their folder. */
const FOLDER_FILES = /^(?:index|__init__|mod|main|lib)$/;
/** In these languages, a name without a folder is an external package. */
const HAS_PACKAGES = /\.(?:[cm]?[jt]sx?|go)$/;

export interface IndexedFile {
  readonly id: number;
  readonly path: string;
}

export class ImportResolver {
  readonly #byPath = new Map<string, number>();
  /** By path without extension; a folder maps to the files that represent it. */
  readonly #byStem = new Map<string, number[]>();
  /** By the last part of such a path. */
  readonly #byName = new Map<string, string[]>();
  readonly #aliases = new Map<string, string[]>();

  constructor(
    files: readonly IndexedFile[],
    aliases: readonly { readonly specifier: string; readonly path: string }[],
  ) {
    for (const { id, path } of files) {
      this.#byPath.set(path, id);
      const stem = stemOf(path);
      this.#add(stem, id);
      const folder = posix.dirname(path);
      if (FOLDER_FILES.test(posix.basename(stem)) || path.endsWith(".go")) this.#add(folder, id);
    }
    for (const { specifier, path } of aliases)
      this.#aliases.set(specifier, [...(this.#aliases.get(specifier) ?? []), path]);
  }

  resolve(from: string, specifier: string): readonly number[] {
    if (/^\.\.?(?:\/|$)/.test(specifier)) return this.#at(posix.join(posix.dirname(from), specifier));
    const alias = this.#aliases.get(specifier);
    if (alias) return alias.flatMap((path) => this.#at(path));
    const beside = /\.\w+$/.test(specifier) ? this.#at(posix.join(posix.dirname(from), specifier)) : [];
    return beside.length > 0 ? beside : this.#byEnd(from, specifier);
  }

  /** A path with or without its extension. TypeScript imports name the compiled file. */
  #at(path: string): readonly number[] {
    const exact = this.#byPath.get(path);
    if (exact !== undefined) return [exact];
    return this.#byStem.get(path) ?? this.#byStem.get(path.replace(/\.[cm]?jsx?$/, "")) ?? [];
  }

  #byEnd(from: string, specifier: string): readonly number[] {
    const parts = specifier.split("/").filter((part) => part !== "");
    const last = parts.at(-1);
    if (last === undefined) return [];
    const mayBeAlone = !HAS_PACKAGES.test(from);
    let best: string[] = [];
    let most = 1;
    for (const stem of this.#byName.get(stemOf(last)) ?? []) {
      const own = stem.split("/");
      let common = 1;
      while (common < Math.min(own.length, parts.length) && own.at(-1 - common) === parts.at(-1 - common)) common++;
      // A single shared part is weak evidence, unless there is only one part.
      const isEnough = common > 1 || (mayBeAlone && (parts.length === 1 || own.length === 1));
      if (!isEnough || common < most) continue;
      best = common > most ? [stem] : [...best, stem];
      most = common;
    }
    return best.flatMap((stem) => this.#byStem.get(stem) ?? []);
  }

  #add(stem: string, id: number): void {
    const known = this.#byStem.get(stem);
    if (known) {
      known.push(id);
      return;
    }
    this.#byStem.set(stem, [id]);
    const name = posix.basename(stem);
    const stems = this.#byName.get(name);
    if (stems) stems.push(stem);
    else this.#byName.set(name, [stem]);
  }
}

const stemOf = (path: string): string => path.replace(/(?:\.d)?\.\w+$/, "");
