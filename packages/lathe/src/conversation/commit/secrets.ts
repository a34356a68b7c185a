// Secrets that a change would add: values that Lathe knows, and text that looks like a key. A commit keeps them
// forever, so the user is warned before it is made.

import type { Redactor } from "@lathe/agent/policy";
import type { StagedFile } from "./change.ts";
import { nameInLine } from "./file-name.ts";

export interface AddedSecret {
  readonly path: string;
  readonly line: number;
  /** The name in the placeholder. */
  readonly name: string;
  /** Lathe knows the value; otherwise it only looks like a secret. */
  readonly isKnown: boolean;
}

const PLACEHOLDER = /\[redacted:([^\]\n]{1,200})\]/g;
const MOST = 20;

export function addedSecrets(files: readonly StagedFile[], redactor: Redactor): AddedSecret[] {
  const found: AddedSecret[] = [];
  for (const { path, parts } of files) {
    for (const { text } of parts) {
      if (found.length >= MOST) return found;
      // Most parts have none, so each is first checked as a whole.
      if (redactor.redactForSharing(text) !== text) found.push(...inHunks(path, text, redactor));
    }
  }
  return found.slice(0, MOST);
}

function inHunks(path: string, text: string, redactor: Redactor): AddedSecret[] {
  const found: AddedSecret[] = [];
  let line = 0;
  for (const row of text.split("\n")) {
    const start = /^@@ -\S+ \+(\d+)/.exec(row)?.[1];
    if (start !== undefined) line = Number(start);
    else if (row.startsWith("+")) {
      found.push(...namesIn(row.slice(1), redactor).map((secret) => ({ path, line, ...secret })));
      line++;
    } else if (row.startsWith(" ")) line++;
  }
  return found;
}

function namesIn(row: string, redactor: Redactor): Pick<AddedSecret, "name" | "isKnown">[] {
  const before = new Set(placeholders(row));
  const known = placeholders(redactor.text(row)).filter((name) => !before.has(name));
  const all = placeholders(redactor.redactForSharing(row)).filter((name) => !before.has(name));
  return [...new Set(all)].map((name) => ({ name, isKnown: known.includes(name) }));
}

const placeholders = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);

/** One line per secret. */
export const secretLines = (secrets: readonly AddedSecret[]): string[] =>
  secrets.map(({ path, line, name, isKnown }) =>
    isKnown
      ? `${nameInLine(path)}:${line} adds your secret ${name} to the repository.`
      : `${nameInLine(path)}:${line} adds what looks like a secret (${name}) to the repository.`,
  );
