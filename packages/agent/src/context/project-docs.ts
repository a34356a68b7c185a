// The project's own instructions: AGENTS.md and the family's file in every directory from the repository's root to the
// working directory; another family's file if a directory has neither. Deeper files come later and take precedence, so
// the upper ones are shortened first if there is too much.

import { posix } from "node:path";
import { isInside, mayHoldSecrets } from "../policy/permissions/sensitive-paths.ts";
import { realPathOf } from "../world/env/real-path.ts";
import type { ExecutionEnvironment } from "../world/env/types.ts";
import { entryOf } from "./git-files.ts";
import { type DocWarner, Imports, type InstructionDoc, isImporting } from "./imports.ts";
import { instructionsHeading } from "./prompt-parts.ts";

const BUDGET_BYTES = 32_768;
export const TRUNCATED_MARKER = "[Project instructions truncated at 32KB]";
const ALWAYS = "AGENTS.md";
/** Files of other families; the first of these is read in a folder without instructions of its own. */
const OTHERS = ["CLAUDE.md", "GEMINI.md"];
/** Nobody writes that many instructions, and reading them would slow down the start and use memory. */
const LARGEST_BYTES = 1 << 20;
const TOO_LARGE = "[Left out: larger than 1 MB]";
const LEADS_TO_KEYS = "[Omitted: this link leads to a file that may hold keys]";
const LEADS_OUT = "[Omitted: this link leads outside the repository]";

/** The instruction files of a project as one text. */
export interface ProjectDocs {
  readonly text: string;
  /** Paths of the included files, relative to the root. */
  readonly files: readonly string[];
}

/**
 * `repository`: folder of the repository, if there is one. `before`: further files of the project, which all of these
 * override.
 */
export async function projectDocs(
  env: ExecutionEnvironment,
  familyFiles: readonly string[],
  repository: string | undefined,
  before: readonly InstructionDoc[] = [],
  warn?: DocWarner,
): Promise<ProjectDocs> {
  const cwd = env.resolve(env.workingDirectory());
  const root = repository ?? cwd;
  const reader = await FolderDocs.of(env, root, warn);
  const docs: InstructionDoc[] = [];
  for (const folder of pathDown(root, cwd)) docs.push(...(await reader.in(folder, familyFiles)));
  return joinDocs([...before, ...docs], warn);
}

/** Reads the instruction files of folders of one project, each file once. */
export class FolderDocs {
  readonly #env: ExecutionEnvironment;
  readonly #root: string;
  readonly #realRoot: string;
  readonly #warn: DocWarner | undefined;
  readonly #seen = new Set<string>();
  #imports: Imports | undefined;

  private constructor(env: ExecutionEnvironment, root: string, realRoot: string, warn: DocWarner | undefined) {
    this.#env = env;
    this.#root = root;
    this.#realRoot = realRoot;
    this.#warn = warn;
  }

  static async of(env: ExecutionEnvironment, root: string, warn?: DocWarner): Promise<FolderDocs> {
    return new FolderDocs(env, root, await realPathOf(env, root), warn);
  }

  async in(folder: string, familyFiles: readonly string[]): Promise<readonly InstructionDoc[]> {
    let docs = await this.#read(folder, [ALWAYS, ...familyFiles]);
    for (const name of OTHERS) if (docs.length === 0) docs = await this.#read(folder, [name]);
    return docs;
  }

  async #read(folder: string, names: readonly string[]): Promise<InstructionDoc[]> {
    const found: InstructionDoc[] = [];
    for (const name of names) {
      const path = entryOf(folder, name);
      const shown = posix.relative(this.#root, path) || name;
      const { text, problem } = await readDoc(this.#env, path, this.#realRoot, this.#seen);
      if (problem !== undefined) this.#warn?.({ path: shown, message: `${problem}; it is left out` });
      if (text === "") continue;
      if (text.includes("@") && isImporting(name)) found.push(...(await this.#importsOf(path, text)));
      found.push({ path: shown, text });
    }
    return found;
  }

  async #importsOf(path: string, text: string): Promise<readonly InstructionDoc[]> {
    const realRoot = this.#realRoot;
    const displayPath = (real: string): string => posix.relative(realRoot, real);
    this.#imports ??= new Imports(this.#env, { within: [realRoot], displayPath, warn: this.#warn }, this.#seen);
    return this.#imports.of(await realPathOf(this.#env, path), text);
  }
}

/** Later files take precedence, so the first ones are shortened if there is too much. */
export function joinDocs(docs: readonly InstructionDoc[], warn?: DocWarner): ProjectDocs {
  const text = joinTexts(docs);
  const [first] = docs;
  if (first && text.startsWith(TRUNCATED_MARKER))
    warn?.({
      path: first.path,
      message: "with the other instruction files it is larger than 32 KB, so it is cut or left out",
    });
  return { text, files: docs.map(({ path }) => path) };
}

/** Stands for a missing or empty instruction file. */
const NO_FILE = {
  directory: "it is a directory",
  other: "it is a pipe or device",
  dangling: "it is a link that leads nowhere",
} as const;

/**
 * The text is empty if there is nothing to include. An unreadable file in another person's repository must not keep
 * people from working there.
 */
async function readDoc(
  env: ExecutionEnvironment,
  path: string,
  realRoot: string,
  seen: Set<string>,
): Promise<{ readonly text: string; readonly problem?: string }> {
  try {
    const stat = await env.stat(path);
    if (!stat || seen.has(stat.realPath)) return { text: "" };
    if (stat.kind !== "file") return { text: "", problem: NO_FILE[stat.kind] };
    seen.add(stat.realPath);
    // A stranger's repository must not put a private file into the prompt.
    if (!isInside(stat.realPath, realRoot))
      return { text: LEADS_OUT, problem: "the link leads outside the repository" };
    if (mayHoldSecrets(stat.realPath, { userHome: "", latheHome: "" }))
      return { text: LEADS_TO_KEYS, problem: "the link leads to a file that may hold keys" };
    if (stat.size > LARGEST_BYTES) return { text: TOO_LARGE, problem: "it is larger than 1 MB" };
    const text = (await env.readFile(path)).trim();
    return text.includes("\0") ? { text: "", problem: "it is not text" } : { text };
  } catch {
    return { text: "", problem: "it cannot be read" };
  }
}

/** The folders from one down to another below it, both included. */
export function pathDown(root: string, cwd: string): string[] {
  const folders = [root];
  if (cwd === root) return folders;
  for (const name of posix.relative(root, cwd).split("/"))
    if (name !== "") folders.push(posix.join(folders.at(-1) ?? root, name));
  return folders;
}

function joinTexts(docs: readonly InstructionDoc[]): string {
  const sections = docs.map(({ path, text }) => instructionsHeading(path) + text);
  const whole = sections.join("\n\n");
  if (Buffer.byteLength(whole) <= BUDGET_BYTES) return whole;
  // The last sections are kept whole; the first one that no longer fits is shortened, and those before it are dropped.
  const kept: string[] = [];
  let room = BUDGET_BYTES;
  for (const section of [...sections].reverse()) {
    const fitting = firstBytes(section, room);
    if (fitting !== "") kept.unshift(fitting);
    room -= Buffer.byteLength(fitting) + 2;
    if (fitting.length < section.length || room <= 0) break;
  }
  return `${TRUNCATED_MARKER}\n\n${kept.join("\n\n")}`;
}

/** The first bytes of a text, never half a character. */
function firstBytes(text: string, bytes: number): string {
  if (bytes <= 0) return "";
  const buffer = Buffer.from(text);
  if (buffer.length <= bytes) return text;
  return new TextDecoder("utf-8").decode(buffer.subarray(0, bytes), { stream: true });
}
