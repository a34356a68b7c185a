// Files that an instruction file imports with `@path`, as in Claude Code and Gemini CLI. Each file is included once,
// before the file that imports it, and only from places that its author may read: a stranger's repository must not put
// private files into a request.

import { posix } from "node:path";
import { isInside, mayHoldSecrets } from "../policy/permissions/sensitive-paths.ts";
import type { FileStat } from "../world/env/types.ts";

const IMPORTING = new Set(["CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"]);
/** Whether `@path` in this instruction file means an import. */
export const isImporting = (path: string): boolean => IMPORTING.has(posix.basename(path));

const DEEPEST = 5;
const MOST_FILES = 100;
/** Imports of missing files count too, because each costs a disk access. */
const MOST_LOOKS = 1_000;
/** For all imported files together: as much as the prompt has room for. */
const MOST_BYTES = 32_768;
/** A warning names at most this many skipped files. */
const MOST_NAMED = 3;

const CODE = /^[ \t]*(```|~~~)[\s\S]*?^[ \t]*\1.*$|`[^`\n]*`/gm;
const IMPORT = /(?<=^|\s)@((?:\\ |[^\s`\\])+)/g;

/** An instruction file. */
export interface InstructionDoc {
  /** As the model sees it. */
  readonly path: string;
  readonly text: string;
}

/** Reads files; any environment can be used. */
export interface ImportFiles {
  stat(path: string): Promise<Pick<FileStat, "kind" | "size" | "realPath"> | undefined>;
  readFile(path: string): Promise<string>;
}

/** What may be imported, and who is told about the rest. */
export interface ImportRules {
  /** Real paths of the folders that may be imported from. */
  readonly within: readonly string[];
  /** The folder that `~` stands for. */
  readonly home?: string | undefined;
  /** True for the user's files that contain keys although their name does not say so. */
  readonly holdsKeys?: ((realPath: string) => boolean) | undefined;
  /** The path of an imported file as the model sees it. */
  readonly displayPath: (realPath: string) => string;
  readonly warn?: DocWarner | undefined;
}

/** Tells the user which part of an instruction file is skipped: one sentence, without the path. */
export type DocWarner = (warning: { readonly path: string; readonly message: string }) => void;

type Left = "outside" | "keys" | "size" | "depth" | "number";
const WHY_LEFT: Readonly<Record<Left, string>> = {
  outside: "files outside the places that it may import from",
  keys: "files that may hold keys",
  size: `more than ${MOST_BYTES >> 10} KB in total`,
  depth: `files nested deeper than ${DEEPEST} imports`,
  number: `more than ${MOST_FILES} files`,
};

/** Reads what instruction files import, within the rules, each file once. */
export class Imports {
  readonly #files: ImportFiles;
  readonly #rules: ImportRules;
  /** Real paths of the files that are already in the prompt, so that no import is circular. */
  readonly #seen: Set<string>;
  #imported = 0;
  #looks = 0;
  #bytes = 0;

  constructor(files: ImportFiles, rules: ImportRules, seen: Set<string>) {
    this.#files = files;
    this.#rules = rules;
    this.#seen = seen;
  }

  /** The files that this file imports, and their imports, in the order in which they are read. */
  async of(path: string, text: string): Promise<readonly InstructionDoc[]> {
    const left = new Map<Left, string[]>();
    const docs = await this.#docsIn(path, text, 1, left);
    for (const [why, names] of left) {
      const shown = names.slice(0, MOST_NAMED).join(", ");
      const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
      const message = `it imports ${WHY_LEFT[why]}; left out: ${shown}${more}`;
      this.#rules.warn?.({ path: this.#rules.displayPath(path), message });
    }
    return docs;
  }

  async #docsIn(path: string, text: string, depth: number, left: Map<Left, string[]>): Promise<InstructionDoc[]> {
    const docs: InstructionDoc[] = [];
    for (const name of importsIn(text)) {
      if (++this.#looks > MOST_LOOKS) break;
      const found = await this.#find(path, name, depth);
      if (found === undefined) continue;
      if ("left" in found) {
        left.set(found.left, [...(left.get(found.left) ?? []), name]);
        continue;
      }
      docs.push(...(await this.#docsIn(found.path, found.text, depth + 1, left)));
      if (found.text !== "") docs.push({ path: this.#rules.displayPath(found.path), text: found.text });
    }
    return docs;
  }

  /** Undefined if there is no such file or the prompt already has it. */
  async #find(
    from: string,
    name: string,
    depth: number,
  ): Promise<{ readonly path: string; readonly text: string } | { readonly left: Left } | undefined> {
    if (name.startsWith("~/") && this.#rules.home === undefined) return { left: "outside" };
    const file = (await this.#stat(from, name)) ?? (await this.#stat(from, name.replace(/[.,;:!?)]+$/, "")));
    if (file?.kind !== "file") return undefined;
    const { realPath, size } = file;
    const { within, home = "", holdsKeys } = this.#rules;
    if (!within.some((folder) => isInside(realPath, folder))) return { left: "outside" };
    if (mayHoldSecrets(realPath, { userHome: home, latheHome: "" }) || holdsKeys?.(realPath)) return { left: "keys" };
    if (this.#seen.has(realPath)) return undefined;
    if (depth > DEEPEST) return { left: "depth" };
    if (this.#imported >= MOST_FILES) return { left: "number" };
    if (this.#bytes + size > MOST_BYTES) return { left: "size" };
    this.#seen.add(realPath);
    const text = await this.#files.readFile(realPath).catch(() => "\0");
    if (text.includes("\0")) return undefined;
    this.#imported += 1;
    this.#bytes += size;
    return { path: realPath, text: text.trim() };
  }

  async #stat(from: string, name: string) {
    const { home = "" } = this.#rules;
    if (name === "") return undefined;
    const path = name.startsWith("~/") ? posix.join(home, name.slice(2)) : posix.resolve(posix.dirname(from), name);
    // A path that we may not access counts as missing, because an environment may be confined to a folder.
    return this.#files.stat(path).catch(() => undefined);
  }
}

/** Every imported path once, ignoring those inside code. */
const importsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.replace(CODE, "").matchAll(IMPORT)].map(([, name = ""]) => name.replaceAll("\\ ", " ")));
