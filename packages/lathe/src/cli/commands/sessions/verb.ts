// Helpers shared by the verbs of `lathe sessions`.

import type { Workspace } from "../../../config/workspace/workspace.ts";
import { type ExitCode, usageError } from "../../../platform/usage/exit.ts";

export type Verb = (argv: readonly string[], workspace: Workspace) => Promise<ExitCode>;

export function requireSessionId(value: string | undefined, verb: string): string {
  if (value === undefined) throw usageError(`Name a session: lathe sessions ${verb} <id>. See: lathe sessions list`);
  return value;
}

/** For verbs that take one session: a second one must not be ignored. */
export function singleName([value, more]: readonly string[], verb: string): string {
  if (more !== undefined) throw usageError(`lathe sessions ${verb} takes one session, but got "${more}" as well.`);
  return requireSessionId(value, verb);
}

export function count(value: string | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (!/^\d+$/.test(value)) throw usageError(`-n takes a number, not "${value}".`);
  return Number(value);
}

/** For verbs about all sessions: an extra word meant something, and must not be ignored. */
export function refuseWords([word]: readonly string[], verb: string): void {
  if (word === undefined) return;
  throw usageError(
    `lathe sessions ${verb} takes no words, but got "${word}". To search for it: lathe sessions search ${word}`,
  );
}
