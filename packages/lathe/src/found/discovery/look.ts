// One look of one provider for one kind of item: what it found, and what was wrong with it. Providers are written with these steps.

import { dirname, extname } from "node:path";
import { isInside, mayHoldSecrets } from "@lathe/agent/policy";
import { messageOf } from "@lathe/llm";
import { parseMarkdown } from "./frontmatter.ts";
import type { Place } from "./place.ts";
import type { Entry, Reader } from "./reader.ts";
import type { DiscoveryWarning, Found, ItemKind, ItemValues, Level, MarkdownValue } from "./types.ts";

/** A source family: where one agent keeps its files. */
export interface Provider {
  readonly id: string;
  /** As people know it. */
  readonly name: string;
  /** The highest wins; among equals the one that is listed first. */
  readonly priority: number;
  /** What it can find, and how. */
  readonly loaders: { readonly [K in ItemKind]?: (look: Look<K>) => void | Promise<void> };
}

/** Reads files of a place; what is wrong with one becomes a warning. */
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

  /** Nothing when there is no such file; a warning when it cannot be used. */
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

  /** Files of a folder with one of these endings. */
  filesIn(folder: string, endings: readonly string[]): readonly (Entry & { readonly base: string })[] {
    return this.files
      .entries(folder)
      .filter(({ name, isFolder }) => !isFolder && endings.some((ending) => name.endsWith(ending)))
      .map((entry) => ({ ...entry, base: withoutEnding(entry.name, endings) }));
  }

  /** A stranger's repository must not bring in private files of the user, by whatever link. */
  #refusal(path: string, level: Level): string | undefined {
    if (level !== "project" && level !== "plugin") return undefined;
    const real = this.files.realPath(path);
    if (level === "project" && !isInside(real, this.place.root))
      return "the link leads outside the repository and is not followed";
    return mayHoldSecrets(real, this.place) ? "it may hold keys or passwords and is left out" : undefined;
  }
}

/** Where in which file an item was found. */
export interface FoundAt {
  readonly level: Level;
  readonly path: string;
  /** The value is looked up when a caller asks for it. */
  readonly line?: number | (() => number | undefined) | undefined;
}

export class Look<K extends ItemKind> extends Scan {
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

/** The nearest of the project's folders that has this one in it, if it is not empty. */
export function nearest({ place, files }: Scan, name: string): string | undefined {
  return place.folders.map((folder) => `${folder}/${name}`).find((path) => files.entries(path).length > 0);
}
