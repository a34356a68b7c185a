// The hint of a new session: the most useful notes in a few lines. It is kept in a file beside the database, so that a start neither
// loads SQLite nor looks through all memories; what has changed since is left out when it is read.

import { readFileSync } from "node:fs";
import { parseJson } from "@lathe/llm";
import { Checker, exactly, integer, listOf, object, type Static, text } from "@lathe/llm/schema";
import type { FileDigests } from "./file-digests.ts";
import head from "./hint.md";
import { countOf } from "./words.ts";

const note = object({ text: text(), files: listOf(object({ path: text(), digest: text() })) });
const playbook = object({ name: text(), about: text(), files: listOf(object({ path: text(), digest: text() })) });
const hint = object({
  version: exactly(1),
  project: text(),
  revision: integer(),
  notes: listOf(note),
  playbooks: listOf(playbook),
});

export type HintNote = Static<typeof note>;
export type Hint = Static<typeof hint>;

/** One line of a hint, and why it is left out. */
interface StaleNote {
  readonly text: string;
  readonly changed: readonly string[];
}

export interface ShownHint {
  /** "" when there is nothing to say. */
  readonly text: string;
  readonly stale: readonly StaleNote[];
}

const checker = new Checker<Hint>(hint);

/** Undefined: there is none, or it is another project's, or another version wrote it. */
export function readHint(file: string, project: string): Hint | undefined {
  try {
    const value = parseJson(readFileSync(file, "utf8"));
    return checker.fits(value) && value.project === project ? value : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** A token is about four bytes. */
const TOKEN_BYTES = 4;

/** As the model is given it; no longer than `mostTokens`. */
export async function showHint(hints: readonly Hint[], digests: FileDigests, mostTokens: number): Promise<ShownHint> {
  const notes = hints.flatMap((one) => one.notes.map((each) => ({ ...each, line: lineOf(each.text, each.files) })));
  const playbooks = hints.flatMap((one) =>
    one.playbooks.map((each) => ({
      ...each,
      text: each.name,
      line: `- Playbook ${each.name}: ${each.about} (memory://skills/${each.name})`,
    })),
  );
  const all = await Promise.all(
    [...playbooks, ...notes].map(async ({ text: what, line, files }) => ({
      text: what,
      line,
      changed: await digests.changed(files),
    })),
  );
  const stale = all.filter(({ changed }) => changed.length > 0);
  const fresh = all.filter(({ changed }) => changed.length === 0);
  const lines = fresh.map(({ line }) => line);
  return { text: hintText(lines, stale.length, mostTokens), stale };
}

/** As many of the lines as there is room for, between the marks of a hint; "" for none. `left`: how many were left out as stale. */
export function hintText(given: readonly string[], left: number, mostTokens: number): string {
  const frame = ["<memory>", head.trim(), ...(left === 0 ? [] : [leftOut(left)]), "</memory>"];
  let room = mostTokens * TOKEN_BYTES - Buffer.byteLength(frame.join("\n"));
  const lines: string[] = [];
  for (const line of given) {
    room -= Buffer.byteLength(line) + 1;
    if (room < 0) break;
    lines.push(line);
  }
  return lines.length === 0 ? "" : [...frame.slice(0, 2), ...lines, ...frame.slice(2)].join("\n");
}

const lineOf = (what: string, files: HintNote["files"]): string =>
  files.length === 0 ? `- ${what}` : `- ${what} (${files.map(({ path }) => path).join(", ")})`;

const leftOut = (count: number): string =>
  `${countOf(count, "note")} left out: the files that ${count === 1 ? "it rests" : "they rest"} on have changed.`;
