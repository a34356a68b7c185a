// The hint of a new session: the most useful notes in a few lines. It is stored in a file next to the database, so that
// a start neither loads SQLite nor searches all memories; stale notes are left out when it is read.

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

/** A line that was left out of a hint, with its changed files. */
interface StaleNote {
  readonly text: string;
  readonly changed: readonly string[];
}

export interface ShownHint {
  /** "" if there is nothing to show. */
  readonly text: string;
  readonly stale: readonly StaleNote[];
}

const checker = new Checker<Hint>(hint);

/** Undefined if the file does not exist, belongs to another project, or has another format. */
export function readHint(file: string, project: string): Hint | undefined {
  try {
    const value = parseJson(readFileSync(file, "utf8"));
    return checker.fits(value) && value.project === project ? value : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** A token has about four bytes. */
const TOKEN_BYTES = 4;

/** The hint for the model, at most `mostTokens` long. */
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
      changed: await digests.changedFiles(files),
    })),
  );
  const stale = all.filter(({ changed }) => changed.length > 0);
  const fresh = all.filter(({ changed }) => changed.length === 0);
  const lines = fresh.map(({ line }) => line);
  return { text: hintText(lines, stale.length, mostTokens), stale };
}

/**
 * As many lines as fit, between the marks of a hint; "" if none fits. `left`: the number of stale lines that were left
 * out.
 */
export function hintText(given: readonly string[], left: number, mostTokens: number): string {
  const frame = ["<memory>", head.trim(), ...(left === 0 ? [] : [leftOutNote(left)]), "</memory>"];
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

const leftOutNote = (count: number): string =>
  `${countOf(count, "note")} left out: the files that ${count === 1 ? "it rests" : "they rest"} on have changed.`;
