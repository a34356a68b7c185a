// Files that an instruction file imports with `@path`, as Claude Code and Gemini CLI do. Each file is given once, before the file that
// names it, and only from places that its author may read: a stranger's repository must not put private files into a request.

import { posix } from "node:path";
import { isInside, mayHoldSecrets } from "../policy/permissions/sensitive-paths.ts";
import type { FileStat } from "../world/env/types.ts";

const IMPORTING = new Set(["CLAUDE.md", "CLAUDE.local.md", "GEMINI.md"]);
/** Whether `@path` in this instruction file means an import. */
export const isImporting = (path: string): boolean => IMPORTING.has(posix.basename(path));

const DEEPEST = 5;
const MOST_FILES = 100;
/** Imports that lead nowhere are counted as well: each costs a look at the disk. */
const MOST_LOOKS = 1_000;
/** All imported files together: as much as the prompt has room for. */
const MOST_BYTES = 32_768;
/** So many left out files are named in a warning. */
const MOST_NAMED = 3;

const CODE = /^[ \t]*(```|~~~)[\s\S]*?^[ \t]*\1.*$|`[^`\n]*`/gm;
const IMPORT = /(?<=^|\s)@((?:\\ |[^\s`\\])+)/g;

/** An instruction file. */
export interface InstructionDoc {
  /** As the model sees it. */
  readonly path: string;
  readonly text: string;
}

/** Where files are read: any environment is one. */
export interface ImportFiles {
  stat(path: string): Promise<Pick<FileStat, "kind" | "size" | "realPath"> | undefined>;
  readFile(path: string): Promise<string>;
}

/** What may be imported, and who is told about the rest. */
export interface ImportRules {
  /** Real paths of the folders that may be imported from. */
  readonly within: readonly string[];
  /** Where `~` leads. */
  readonly home?: string | undefined;
  /** Files of the user's that hold keys without having a name that says so. */
  readonly holdsKeys?: ((realPath: string) => boolean) | undefined;
  /** How the model sees the path of an imported file. */
  readonly shown: (realPath: string) => string;
  readonly warn?: DocWarner | undefined;
}

/** Tells the user what of an instruction file is left out: one sentence, without the path. */
export type DocWarner = (warning: { readonly path: string; readonly message: string }) => void;

type Left = "outside" | "keys" | "size" | "depth" | "number";
const WHY_LEFT: Readonly<Record<Left, string>> = {
  outside: "files outside the places that it may import from",
  keys: "files that may hold keys",
  size: `more than ${MOST_BYTES >> 10} KB in sum`,
  depth: `files nested deeper than ${DEEPEST} imports`,
  number: `more than ${MOST_FILES} files`,
};

/** Reads what instruction files import, within the rules, each file once. */
export class Imports {
  readonly #files: ImportFiles;
  readonly #rules: ImportRules;
  /** Real paths of files that the prompt has already: so no import is circular. */
  readonly #seen: Set<string>;
  #imported = 0;
  #looks = 0;
  #bytes = 0;

  constructor(files: ImportFiles, rules: ImportRules, seen: Set<string>) {
    this.#files = files;
    this.#rules = rules;
    this.#seen = seen;
  }

  /** What the file imports, and the imports of that, in the order in which they are read. */
  async of(path: string, text: string): Promise<readonly InstructionDoc[]> {
    const left = new Map<Left, string[]>();
    const docs = await this.#docsIn(path, text, 1, left);
    for (const [why, names] of left) {
      const shown = names.slice(0, MOST_NAMED).join(", ");
      const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
      const message = `it imports ${WHY_LEFT[why]}; left out: ${shown}${more}`;
      this.#rules.warn?.({ path: this.#rules.shown(path), message });
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
      if (found.text !== "") docs.push({ path: this.#rules.shown(found.path), text: found.text });
    }
    return docs;
  }

  /** Undefined: there is no such file, or the prompt has it. */
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
    // A path that cannot be looked at is no file to import: an environment may be confined to a folder.
    return this.#files.stat(path).catch(() => undefined);
  }
}

/** Every path once, without those inside code. */
const importsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.replace(CODE, "").matchAll(IMPORT)].map(([, name = ""]) => name.replaceAll("\\ ", " ")));
