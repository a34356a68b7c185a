// One search of one provider for one kind of item: what it found, and what was wrong. Providers are built from these
// steps.

import { dirname, extname } from "node:path";
import { isInside, mayHoldSecrets } from "@lathe/agent/policy";
import { messageOf } from "@lathe/llm";
import { parseMarkdown } from "./frontmatter.ts";
import type { Place } from "./place.ts";
import type { Entry, Reader } from "./reader.ts";
import type { DiscoveryWarning, Found, ItemKind, ItemValues, Level, MarkdownValue } from "./types.ts";

/** A provider: where one agent keeps its files. */
export interface Provider {
  readonly id: string;
  /** The name that users know. */
  readonly name: string;
  /** The highest wins; among equals, the provider listed first. */
  readonly priority: number;
  /** How to find each kind of item that it supports. */
  readonly loaders: { readonly [K in ItemKind]?: (search: Search<K>) => void | Promise<void> };
}

/** Reads files of a place; problems with a file become warnings. */
export class Scan {
  readonly place: Place;
  readonly files: Reader;
  readonly warnings: DiscoveryWarning[] = [];

  constructor(place: Place, files: Reader) {
    this.place = place;
    this.files = files;
  }

  warn(path: string, message: string, line?: number): void {
    this.warnings.push({ path, message, ...(line === undefined ? {} : { line }) });
  }

  /** Undefined if there is no such file, or with a warning if it cannot be used. */
  text(path: string, level: Level): string | undefined {
    try {
      const text = this.files.text(path);
      const why = text === undefined ? undefined : this.#refusal(path, level);
      if (why === undefined) return text;
      this.warn(path, why);
    } catch (error) {
      this.warn(path, `it cannot be read: ${messageOf(error)}`);
    }
    return undefined;
  }

  markdown(path: string, level: Level): MarkdownValue | undefined {
    const text = this.text(path, level);
    if (text === undefined) return undefined;
    const { frontmatter, body, problem } = parseMarkdown(text);
    if (problem) this.warn(path, problem.message, problem.line);
    return { frontmatter, body, folder: dirname(path) };
  }

  /** The files in a folder with one of these endings. */
  filesIn(folder: string, endings: readonly string[]): readonly (Entry & { readonly base: string })[] {
    return this.files
      .entries(folder)
      .filter(({ name, isFolder }) => !isFolder && endings.some((ending) => name.endsWith(ending)))
      .map((entry) => ({ ...entry, base: withoutEnding(entry.name, endings) }));
  }

  /** A stranger's repository must not pull in the user's private files through a link. */
  #refusal(path: string, level: Level): string | undefined {
    if (level !== "project" && level !== "plugin") return undefined;
    const real = this.files.realPath(path);
    if (level === "project" && !isInside(real, this.place.root))
      return "the link leads outside the repository and is not followed";
    return mayHoldSecrets(real, this.place) ? "it may hold keys or passwords and is left out" : undefined;
  }
}

/** The file, and the position in it, where an item was found. */
export interface FoundAt {
  readonly level: Level;
  readonly path: string;
  /** A function is only called when the line is needed. */
  readonly line?: number | (() => number | undefined) | undefined;
}

export class Search<K extends ItemKind> extends Scan {
  readonly items: Found<ItemValues[K]>[] = [];
  readonly #provider: Provider;
  readonly #kind: K;

  constructor(provider: Provider, kind: K, place: Place, files: Reader) {
    super(place, files);
    this.#provider = provider;
    this.#kind = kind;
  }

  add(name: string, { level, path, line }: FoundAt, value: ItemValues[K]): void {
    const { id, name: providerName } = this.#provider;
    const source = { provider: id, providerName, level, path };
    if (typeof line === "function") Object.defineProperty(source, "line", { get: line, enumerable: true });
    else if (line !== undefined) Object.assign(source, { line });
    this.items.push({ kind: this.#kind, name, source, value });
  }
}

function withoutEnding(name: string, endings: readonly string[]): string {
  const ending = endings.find((one) => name.endsWith(one)) ?? extname(name);
  return name.slice(0, name.length - ending.length);
}

/** The first of the project's folders that contains a non-empty folder with this name. */
export function nearest({ place, files }: Scan, name: string): string | undefined {
  return place.folders.map((folder) => `${folder}/${name}`).find((path) => files.entries(path).length > 0);
}
