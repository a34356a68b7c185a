// Files that a command's text names with @. A name alone on its line is replaced by the file, including its own
// includes; a name inside a sentence attaches the file, as if the user had typed it.

import { lstat, readFile, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { mayHoldSecrets } from "@lathe/agent/policy";
import type { DiscoveryWarning } from "../../found/discovery/types.ts";

export interface IncludeOptions {
  readonly cwd: string;
  readonly userHome: string;
  /** Real paths of the folders that may be read, except files that may hold keys; undefined allows everything. */
  readonly within?: readonly string[] | undefined;
  readonly latheHome: string;
  /** The user's own text: files named in it may be anywhere. */
  readonly typed?: string;
}

export interface Included {
  readonly text: string;
  /** Files to attach, in the order in which they are named. */
  readonly attached: readonly string[];
  readonly warnings: readonly DiscoveryWarning[];
}

const ALONE = /^[ \t]*@(?:\{([^}\n]+)\}|"([^"\n]+)"|(\S+))[ \t]*$/;
const NAMED = /(?<=^|[\s(])@(?:\{([^}\n]+)\}|"([^"\n]+)"|([^\s)]+))/g;
const MOST_BYTES = 256 * 1024;
const DEEPEST = 8;
/** The limit for all included files together. */
const MOST_FILES = 100;

export async function withIncludes(
  { path, text, firstLine = 1 }: { readonly path: string; readonly text: string; readonly firstLine?: number },
  options: IncludeOptions,
): Promise<Included> {
  const found = new Includes(options);
  const whole = await found.expand(path, text, firstLine, [await realpath(path)]);
  return { text: whole, attached: [...found.attached], warnings: found.warnings };
}

class Includes {
  readonly attached = new Set<string>();
  readonly warnings: DiscoveryWarning[] = [];
  readonly #options: IncludeOptions;
  #files = 0;

  constructor(options: IncludeOptions) {
    this.#options = options;
  }

  /** `open`: real paths of the files around this text. */
  async expand(path: string, text: string, firstLine: number, open: readonly string[]): Promise<string> {
    const lines: string[] = [];
    let isCode = false;
    for (const [i, line] of text.split("\n").entries()) {
      if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
      lines.push(isCode ? line : await this.#line(line, { path, line: firstLine + i }, open));
    }
    return lines.join("\n");
  }

  async #line(
    line: string,
    place: { readonly path: string; readonly line: number },
    open: readonly string[],
  ): Promise<string> {
    const [whole, braced, quoted, bare] = ALONE.exec(line) ?? [];
    if (whole !== undefined) return (await this.#include(braced ?? quoted ?? bare ?? "", place, open)) ?? line;
    for (const [, inBraces, inQuotes, word] of line.matchAll(NAMED)) {
      const name = inBraces ?? inQuotes ?? word ?? "";
      // Try the name as it is, then without the punctuation of the sentence.
      for (const candidate of new Set([name, name.replace(/[.,;:!?]+$/, "")])) {
        const file = await this.#find(candidate, place);
        if (file !== undefined) this.attached.add(file);
      }
    }
    return line;
  }

  /** Undefined leaves the line as it is. */
  async #include(
    name: string,
    place: { readonly path: string; readonly line: number },
    open: readonly string[],
  ): Promise<string | undefined> {
    const file = await this.#find(name, place);
    if (file === undefined) return undefined;
    if (open.includes(file)) {
      this.warnings.push({ ...place, message: `@${name} includes itself again and is left out` });
      return "";
    }
    if (open.length > DEEPEST) {
      this.warnings.push({ ...place, message: `@${name} is nested deeper than ${DEEPEST} files and is left out` });
      return "";
    }
    // Files that include each other several times grow without end, long before they are deeply nested.
    if (++this.#files > MOST_FILES) {
      if (this.#files === MOST_FILES + 1)
        this.warnings.push({
          ...place,
          message: `more than ${MOST_FILES} files are included; @${name} and those after it are left out`,
        });
      return "";
    }
    const bytes = await readFile(file);
    // A picture, or a file too large to be written by hand.
    if (bytes.includes(0) || bytes.length > MOST_BYTES) {
      this.attached.add(file);
      return undefined;
    }
    return (await this.expand(file, bytes.toString("utf8").trimEnd(), 1, [...open, file])).trim();
  }

  /** The real path of a file that may be read: relative to the file that names it, or else to the project. */
  async #find(name: string, place: { readonly path: string; readonly line: number }): Promise<string | undefined> {
    if (name === "") return undefined;
    const { cwd, userHome, within, typed = "" } = this.#options;
    const candidates = name.startsWith("~/")
      ? [join(userHome, name.slice(2))]
      : [resolve(dirname(place.path), name), resolve(cwd, name)];
    for (const candidate of candidates) {
      const file = await realpath(candidate).catch(() => undefined);
      if (file === undefined || !(await lstat(file)).isFile()) continue;
      const isFree = within === undefined || typed.includes(name);
      const isInProject = isFree || within.some((folder) => file.startsWith(`${folder}/`));
      if (isFree || (isInProject && !mayHoldSecrets(file, this.#options))) return file;
      const why = isInProject ? "may hold keys or passwords" : "is outside of the project";
      this.warnings.push({ ...place, message: `@${name} ${why} and is left out` });
      return undefined;
    }
    return undefined;
  }
}
